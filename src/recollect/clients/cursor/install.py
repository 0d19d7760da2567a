"""Cursor: `hooks.json` and `mcp.json`. Written from its documentation; no run of it was ever seen."""

from __future__ import annotations

from pathlib import Path

from recollect.clients.client import SECONDS, Client, Place, Reach, server
from recollect.clients.file_parts import Form, Part, Wanted
from recollect.clients.hook_events import TABLE
from recollect.clients.program import Program

NAME = "cursor"


def _files(program: Program, place: Place, reach: Reach) -> tuple[Wanted, ...]:
    folder = place.project / ".cursor" if reach is Reach.PROJECT else _settings(place)
    hooks = tuple(
        Part(
            path=("hooks", event),
            value={"command": program.hook_command(NAME, event), "timeout": SECONDS},
            in_list=True,
        )
        for event in TABLE[NAME]
    )
    entry = Part(path=("mcpServers", "recollect"), value=server(program))
    return (
        Wanted(path=str(folder / "hooks.json"), form=Form.JSON, parts=hooks, skeleton={"version": 1}),
        Wanted(path=str(folder / "mcp.json"), form=Form.JSON, parts=(entry,)),
    )


def _settings(place: Place) -> Path:
    return place.home / ".cursor"


CURSOR = Client(
    name=NAME,
    title="Cursor",
    program="cursor-agent",
    tried="",
    settings=_settings,
    files=_files,
    afterwards="Cursor's hooks are written from its documentation and were never tried: `recollect doctor` tells more.",
)
