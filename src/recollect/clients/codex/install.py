"""
Codex: hooks in `hooks.json`, the server as a table in `config.toml`.

Codex keeps in its `config.toml` which hooks it trusts, by the file, event and place of each. That is read only: whether
to trust a hook is the person's to say, in Codex itself.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from recollect.clients.client_install import (
    ClientFolders,
    ClientInstall,
    InstallScope,
    Program,
    hook_groups,
    server_entry,
)
from recollect.clients.file_parts import FileFormat, FilePart, WantedFile, is_ours

NAME = "codex"


def _files(
    program: Program, folders: ClientFolders, scope: InstallScope, events: Mapping[str, str]
) -> tuple[WantedFile, ...]:
    folder = folders.project / ".codex" if scope is InstallScope.PROJECT else _settings(folders)
    return (
        WantedFile(
            path=str(folder / "hooks.json"),
            form=FileFormat.JSON,
            parts=hook_groups(NAME, program, events),
        ),
        WantedFile(
            path=str(folder / "config.toml"),
            form=FileFormat.TOML,
            parts=(FilePart(path=("mcp_servers", "recollect"), value=server_entry(program)),),
        ),
    )


def _settings(folders: ClientFolders) -> Path:
    return folders.folder("CODEX_HOME", ".codex")


def _find_untrusted(hooks: Path, folders: ClientFolders) -> list[str]:
    """The events whose hooks of ours Codex would pass over without a word."""
    groups = _read_json(hooks).get("hooks", {})
    state = _read_toml(_settings(folders) / "config.toml").get("hooks", {})
    trusted = state.get("state", {}) if isinstance(state, dict) else {}
    return [
        event
        for event, listed in groups.items()
        for number, group in enumerate(listed)
        for place, hook in enumerate(group.get("hooks", ()))
        if is_ours(hook) and not _is_trusted(trusted, hooks, f"{_label(event)}:{number}:{place}")
    ]


def _is_trusted(trusted: dict[str, Any], hooks: Path, place: str) -> bool:
    states = (trusted.get(f"{path}:{place}") for path in (hooks, hooks.resolve()))
    return any(
        isinstance(state, dict) and state.get("trusted_hash") and state.get("enabled") is not False
        for state in states
    )


def _label(event: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", event).lower()


def _read_json(file: Path) -> dict[str, Any]:
    try:
        value = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def _read_toml(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return {}


INSTALL = ClientInstall(
    settings=_settings,
    files=_files,
    find_untrusted=_find_untrusted,
    afterwards="Codex runs a new hook only once you trust it: start codex, type /hooks, and trust those of recollect.",
)
