"""Qwen Code: hooks and the server in one `settings.json`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from recollect.clients.client_install import (
    ClientFolders,
    ClientInstall,
    InstallScope,
    Program,
    hook_groups,
    server_entry,
)
from recollect.clients.file_parts import FileFormat, FilePart, WantedFile

NAME = "qwen-code"


def _files(
    program: Program, folders: ClientFolders, scope: InstallScope, events: Mapping[str, str]
) -> tuple[WantedFile, ...]:
    folder = folders.project / ".qwen" if scope is InstallScope.PROJECT else _settings(folders)
    # A name is what `/hooks` shows.
    hooks = hook_groups(NAME, program, events, name="recollect")
    entry = FilePart(path=("mcpServers", "recollect"), value=server_entry(program))
    return (WantedFile(path=str(folder / "settings.json"), form=FileFormat.JSON, parts=(*hooks, entry)),)


def _settings(folders: ClientFolders) -> Path:
    return folders.home / ".qwen"


INSTALL = ClientInstall(
    settings=_settings,
    files=_files,
)
