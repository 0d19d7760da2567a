"""Cursor: `hooks.json` and `mcp.json`. Written from its documentation; no run of it was ever seen."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from recollect.clients.client_install import (
    HOOK_SECONDS,
    ClientFolders,
    ClientInstall,
    InstallScope,
    Program,
    server_entry,
)
from recollect.clients.file_parts import FileFormat, FilePart, WantedFile

NAME = "cursor"


def _files(
    program: Program, folders: ClientFolders, scope: InstallScope, events: Mapping[str, str]
) -> tuple[WantedFile, ...]:
    folder = folders.project / ".cursor" if scope is InstallScope.PROJECT else _settings(folders)
    hooks = tuple(
        FilePart(
            path=("hooks", event),
            value={"command": program.hook_command(NAME, event, act), "timeout": HOOK_SECONDS},
            in_list=True,
        )
        for event, act in events.items()
    )
    entry = FilePart(path=("mcpServers", "recollect"), value=server_entry(program))
    return (
        WantedFile(
            path=str(folder / "hooks.json"), form=FileFormat.JSON, parts=hooks, skeleton={"version": 1}
        ),
        WantedFile(path=str(folder / "mcp.json"), form=FileFormat.JSON, parts=(entry,)),
    )


def _settings(folders: ClientFolders) -> Path:
    return folders.home / ".cursor"


INSTALL = ClientInstall(
    settings=_settings,
    files=_files,
    afterwards="Cursor's hooks are written from its documentation and were never tried: `recollect doctor` tells more.",
)
