"""Gemini CLI: hooks and the server in one `settings.json`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from recollect.clients.client_install import (
    HOOK_SECONDS,
    ClientFolders,
    ClientInstall,
    InstallScope,
    Program,
    hook_groups,
    server_entry,
)
from recollect.clients.file_parts import FileFormat, FilePart, WantedFile

NAME = "gemini"
_MILLISECONDS = 1000


def _files(
    program: Program, folders: ClientFolders, scope: InstallScope, events: Mapping[str, str]
) -> tuple[WantedFile, ...]:
    folder = folders.project / ".gemini" if scope is InstallScope.PROJECT else _settings(folders)
    # It counts in milliseconds, and a name lets a person switch the hook off by `/hooks disable`.
    hooks = hook_groups(NAME, program, events, timeout=HOOK_SECONDS * _MILLISECONDS, name="recollect")
    entry = FilePart(path=("mcpServers", "recollect"), value=server_entry(program))
    return (WantedFile(path=str(folder / "settings.json"), form=FileFormat.JSON, parts=(*hooks, entry)),)


def _settings(folders: ClientFolders) -> Path:
    return folders.folder("GEMINI_CLI_HOME") / ".gemini"


INSTALL = ClientInstall(
    settings=_settings,
    files=_files,
)
