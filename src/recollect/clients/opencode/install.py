"""OpenCode: a plugin in JavaScript that starts our hooks, the server in `opencode.json`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from recollect.clients.client_install import HOOK_SECONDS, ClientFolders, ClientInstall, InstallScope, Program
from recollect.clients.file_parts import FileFormat, FilePart, WantedFile

NAME = "opencode"
_PLUGIN = Path(__file__).with_name("plugin.js")
_SKELETON = {"$schema": "https://opencode.ai/config.json"}


def plugin_text(program: Program) -> str:
    """The plugin's text, with the command that it starts for each event."""
    *words, _ = program.hook_words(NAME, "")
    text = _PLUGIN.read_text("utf-8").replace("const COMMAND = [];", f"const COMMAND = {json.dumps(words)};")
    text = text.replace("const GATE = [];", f"const GATE = {json.dumps(program.gate_words('tool'))};")
    return text.replace("const SECONDS = 10;", f"const SECONDS = {HOOK_SECONDS};")


def _command_in(text: str) -> tuple[str, ...]:
    """The words that a plugin starts its hooks with, before the event."""
    command = re.search(r"^const COMMAND = (\[.*\]);$", text, re.MULTILINE)
    return tuple(json.loads(command[1])) if command else ()


def _files(
    program: Program, folders: ClientFolders, scope: InstallScope, events: Mapping[str, str]
) -> tuple[WantedFile, ...]:
    if scope is InstallScope.PROJECT:
        folder, plugins = folders.project, folders.project / ".opencode" / "plugins"
    else:
        folder, plugins = _settings(folders), _settings(folders) / "plugins"
    entry = {"type": "local", "command": program.mcp_words(), "enabled": True}
    return (
        WantedFile(path=str(plugins / "recollect.js"), form=FileFormat.TEXT, text=plugin_text(program)),
        WantedFile(
            path=str(_config(folder)),
            form=FileFormat.JSON,
            parts=(FilePart(path=("mcp", "recollect"), value=entry),),
            skeleton=_SKELETON,
        ),
    )


def _config(folder: Path) -> Path:
    with_comments = folder / "opencode.jsonc"
    return with_comments if with_comments.exists() else folder / "opencode.json"


def _settings(folders: ClientFolders) -> Path:
    return folders.folder("XDG_CONFIG_HOME", ".config") / "opencode"


INSTALL = ClientInstall(
    settings=_settings,
    files=_files,
    command_in=_command_in,
)
