"""
Claude Code: hooks in its settings; the server in the file of its state, for the user or for one project.

Its plugin has the same hooks, started by a script that finds our Python.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from recollect.clients.client_install import (
    GATED_ACTS,
    ClientFolders,
    ClientInstall,
    InstallScope,
    Program,
    hook_entry,
    hook_groups,
    server_entry,
)
from recollect.clients.file_parts import HOOKS_MODULE, FileFormat, FilePart, WantedFile
from recollect.clients.json_text import read

NAME = "claude-code"
_RUN = 'sh "${CLAUDE_PLUGIN_ROOT}/bin/run"'


def plugin_hooks(events: Mapping[str, str]) -> str:
    """The text of the plugin's `hooks/hooks.json`."""
    hooks = {
        event: [{"hooks": [hook_entry(_plugin_command(event, act), act)]}] for event, act in events.items()
    }
    plugin = {"description": "recollect: records what happens and hands back what is known", "hooks": hooks}
    return json.dumps(plugin, indent=2) + "\n"


def _plugin_command(event: str, act: str) -> str:
    gate = f"--gate {act}" if act in GATED_ACTS else ""
    return " ".join(filter(None, (_RUN, gate, HOOKS_MODULE, NAME, event)))


def _files(
    program: Program, folders: ClientFolders, scope: InstallScope, events: Mapping[str, str]
) -> tuple[WantedFile, ...]:
    servers: tuple[str, ...] = ("mcpServers", "recollect")
    if scope is InstallScope.PROJECT:
        # The paths are this machine's, so they go where Claude Code keeps what is not shared; `.mcp.json` is.
        settings = folders.project / ".claude" / "settings.local.json"
        servers = ("projects", folders.project.as_posix(), *servers)
    else:
        settings = _settings(folders) / "settings.json"
    entry = {"type": "stdio", **server_entry(program)}
    return (
        WantedFile(path=str(settings), form=FileFormat.JSON, parts=hook_groups(NAME, program, events)),
        WantedFile(
            path=str(_state(folders)),
            form=FileFormat.JSON,
            parts=(FilePart(path=servers, value=entry),),
            adds_up=True,
        ),
    )


def _settings(folders: ClientFolders) -> Path:
    return folders.folder("CLAUDE_CONFIG_DIR", ".claude")


def _state(folders: ClientFolders) -> Path:
    # In the folder that was named for it; without one, beside the usual folder.
    named = folders.named.get("CLAUDE_CONFIG_DIR")
    return Path(named or folders.home, ".claude.json")


def _plugin(folders: ClientFolders) -> str:
    """Whether the plugin is there: its hooks and those in the settings would tell everything twice."""
    name = _plugin_name(folders)
    return f"the plugin {name} is enabled and does the same" if name else ""


def _plugin_runs(folders: ClientFolders) -> tuple[str, ...]:
    """The script in the plugin's folder: where a marketplace on this disk has it, else in the plugins' cache."""
    plugins, name = _settings(folders) / "plugins", _plugin_name(folders)
    _, _, market = name.partition("@")
    here = _read_json(plugins / "known_marketplaces.json").get(market, {}).get("installLocation", "")
    copies = _read_json(plugins / "installed_plugins.json").get("plugins", {}).get(name, [])
    places = [Path(here, "plugins", "claude-code"), *(Path(copy.get("installPath", "")) for copy in copies)]
    return next(
        (("sh", str(folder / "bin" / "run")) for folder in places if (folder / "bin" / "run").is_file()), ()
    )


def _plugin_name(folders: ClientFolders) -> str:
    enabled = _read_json(_settings(folders) / "settings.json").get("enabledPlugins")
    names = [name for name, on in enabled.items() if on is True] if isinstance(enabled, dict) else []
    return next((name for name in names if name.startswith("recollect@")), "")


def _read_json(file: Path) -> dict[str, Any]:
    try:
        value = read(file.read_text("utf-8")).value
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


INSTALL = ClientInstall(
    settings=_settings,
    files=_files,
    instead=_plugin,
    instead_runs=_plugin_runs,
)
