"""OpenCode: a plugin in JavaScript that starts our hooks, the server in `opencode.json`."""

from __future__ import annotations

import json
import re
from pathlib import Path

from recollect.clients.client import SECONDS, Client, Place, Reach
from recollect.clients.file_parts import Form, Part, Wanted
from recollect.clients.program import Program

NAME = "opencode"
_PLUGIN = Path(__file__).with_name("plugin.js")
_SKELETON = {"$schema": "https://opencode.ai/config.json"}


def plugin(program: Program) -> str:
    """The plugin's text, with the command that it starts for each event."""
    *words, _ = program.hook_words(NAME, "")
    text = _PLUGIN.read_text("utf-8").replace("const COMMAND = [];", f"const COMMAND = {json.dumps(words)};")
    return text.replace("const SECONDS = 10;", f"const SECONDS = {SECONDS};")


def command_in(text: str) -> tuple[str, ...]:
    """The words that a plugin starts its hooks with, before the event."""
    found = re.search(r"^const COMMAND = (\[.*\]);$", text, re.MULTILINE)
    return tuple(json.loads(found[1])) if found else ()


def _files(program: Program, place: Place, reach: Reach) -> tuple[Wanted, ...]:
    if reach is Reach.PROJECT:
        folder, plugins = place.project, place.project / ".opencode" / "plugins"
    else:
        folder, plugins = _settings(place), _settings(place) / "plugins"
    entry = {"type": "local", "command": program.mcp_words(), "enabled": True}
    return (
        Wanted(path=str(plugins / "recollect.js"), form=Form.TEXT, text=plugin(program)),
        Wanted(
            path=str(_config(folder)),
            form=Form.JSON,
            parts=(Part(path=("mcp", "recollect"), value=entry),),
            skeleton=_SKELETON,
        ),
    )


def _config(folder: Path) -> Path:
    with_comments = folder / "opencode.jsonc"
    return with_comments if with_comments.exists() else folder / "opencode.json"


def _settings(place: Place) -> Path:
    return place.folder("XDG_CONFIG_HOME", ".config") / "opencode"


OPENCODE = Client(
    name=NAME,
    title="OpenCode",
    program="opencode",
    tried="1.18.33",
    settings=_settings,
    files=_files,
)
