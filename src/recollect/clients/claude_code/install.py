"""Claude Code: hooks in its settings; the server in `.mcp.json`, or for the user in the file of its state."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from recollect.clients.client import Client, Place, Reach, hook_groups, server
from recollect.clients.file_parts import Form, Part, Wanted
from recollect.clients.hook_events import TABLE
from recollect.clients.json_text import read
from recollect.clients.program import Program

NAME = "claude-code"


def _files(program: Program, place: Place, reach: Reach) -> tuple[Wanted, ...]:
    if reach is Reach.PROJECT:
        # The paths are this machine's, so they go where Claude Code keeps what is not shared.
        settings, servers = place.project / ".claude" / "settings.local.json", place.project / ".mcp.json"
    else:
        settings, servers = _settings(place) / "settings.json", _state(place)
    entry = {"type": "stdio", **server(program)}
    return (
        Wanted(path=str(settings), form=Form.JSON, parts=hook_groups(NAME, program, TABLE[NAME])),
        Wanted(
            path=str(servers), form=Form.JSON, parts=(Part(path=("mcpServers", "recollect"), value=entry),)
        ),
    )


def _settings(place: Place) -> Path:
    return place.folder("CLAUDE_CONFIG_DIR", ".claude")


def _state(place: Place) -> Path:
    # In the folder that was named for it; without one, beside the usual folder.
    named = place.named.get("CLAUDE_CONFIG_DIR")
    return Path(named or place.home, ".claude.json")


def _plugin(place: Place) -> str:
    """Whether the plugin is there: its hooks and those in the settings would tell everything twice."""
    found = _plugin_name(place)
    return f"the plugin {found} is enabled and does the same" if found else ""


def _plugin_runs(place: Place) -> tuple[str, ...]:
    """The script in the plugin's folder: where a marketplace on this disk has it, else in the plugins' cache."""
    plugins, name = _settings(place) / "plugins", _plugin_name(place)
    _, _, market = name.partition("@")
    here = _told(plugins / "known_marketplaces.json").get(market, {}).get("installLocation", "")
    copies = _told(plugins / "installed_plugins.json").get("plugins", {}).get(name, [])
    folders = [Path(here, "plugins", "claude-code"), *(Path(copy.get("installPath", "")) for copy in copies)]
    return next(
        (("sh", str(folder / "bin" / "run")) for folder in folders if (folder / "bin" / "run").is_file()), ()
    )


def _plugin_name(place: Place) -> str:
    enabled = _told(_settings(place) / "settings.json").get("enabledPlugins")
    names = [name for name, on in enabled.items() if on is True] if isinstance(enabled, dict) else []
    return next((name for name in names if name.startswith("recollect@")), "")


def _told(file: Path) -> dict[str, Any]:
    try:
        value = read(file.read_text("utf-8")).value
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


CLAUDE_CODE = Client(
    name=NAME,
    title="Claude Code",
    program="claude",
    tried="2.1.325",
    settings=_settings,
    files=_files,
    instead=_plugin,
    instead_runs=_plugin_runs,
)
