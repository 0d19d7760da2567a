"""Gemini CLI: hooks and the server in one `settings.json`."""

from __future__ import annotations

from pathlib import Path

from recollect.clients.client import SECONDS, Client, Place, Reach, hook_groups, server
from recollect.clients.file_parts import Form, Part, Wanted
from recollect.clients.hook_events import TABLE
from recollect.clients.program import Program

NAME = "gemini"
_MILLISECONDS = 1000


def _files(program: Program, place: Place, reach: Reach) -> tuple[Wanted, ...]:
    folder = place.project / ".gemini" if reach is Reach.PROJECT else _settings(place)
    # It counts in milliseconds, and a name lets a person switch the hook off by `/hooks disable`.
    hooks = hook_groups(NAME, program, TABLE[NAME], timeout=SECONDS * _MILLISECONDS, name="recollect")
    entry = Part(path=("mcpServers", "recollect"), value=server(program))
    return (Wanted(path=str(folder / "settings.json"), form=Form.JSON, parts=(*hooks, entry)),)


def _settings(place: Place) -> Path:
    return place.folder("GEMINI_CLI_HOME") / ".gemini"


GEMINI = Client(
    name=NAME,
    title="Gemini CLI",
    program="gemini",
    tried="0.61.0",
    settings=_settings,
    files=_files,
)
