"""Claude Code: hooks in its settings, the server in `.mcp.json` or, for the user, in `.claude.json`."""

from __future__ import annotations

from pathlib import Path

from recollect.surfaces.install.clients.client import Client, Place, Reach, hook_parts
from recollect.surfaces.install.parts import Form, Part, Wanted
from recollect.surfaces.install.program import Program

NAME = "claude-code"
# Seconds. A hook of ours ends by itself far sooner; this only bounds a machine that stands still.
EVENTS = {
    "SessionStart": 10,
    "UserPromptSubmit": 10,
    "PostToolUse": 5,
    "PostToolUseFailure": 5,
    "PostToolBatch": 5,
    "SubagentStart": 5,
    "SubagentStop": 5,
    "PostCompact": 5,
    "Stop": 5,
    "SessionEnd": 5,
}


def _files(program: Program, place: Place, reach: Reach) -> tuple[Wanted, ...]:
    if reach is Reach.PROJECT:
        # The paths are this machine's, so they go where Claude Code keeps what is not shared.
        settings = place.project / ".claude" / "settings.local.json"
        servers, path = place.project / ".mcp.json", ("mcpServers", "recollect")
    else:
        settings = _settings(place) / "settings.json"
        servers = _state(place)
        path = ("mcpServers", "recollect")
    command, *args = program.mcp_words()
    server = {"type": "stdio", "command": command, "args": args}
    return (
        Wanted(path=str(settings), form=Form.JSON, parts=hook_parts(NAME, program, EVENTS)),
        Wanted(path=str(servers), form=Form.JSON, parts=(Part(path=path, value=server),)),
    )


def _settings(place: Place) -> Path:
    return place.folder("CLAUDE_CONFIG_DIR", ".claude")


def _state(place: Place) -> Path:
    # With a folder of its own it is in there, else beside it.
    named = place.named.get("CLAUDE_CONFIG_DIR")
    return Path(named, ".claude.json") if named else place.home / ".claude.json"


CLAUDE_CODE = Client(
    name=NAME,
    title="Claude Code",
    program="claude",
    tried="2.1.325",
    settings=_settings,
    events=EVENTS,
    files=_files,
)
