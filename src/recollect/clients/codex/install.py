"""Codex: hooks in `hooks.json`, the server as a table in `config.toml`."""

from __future__ import annotations

from pathlib import Path

from recollect.clients.client import Client, Place, Reach, hook_groups, server
from recollect.clients.file_parts import Form, Part, Wanted
from recollect.clients.hook_events import TABLE
from recollect.clients.program import Program

NAME = "codex"


def _files(program: Program, place: Place, reach: Reach) -> tuple[Wanted, ...]:
    folder = place.project / ".codex" if reach is Reach.PROJECT else _settings(place)
    return (
        Wanted(
            path=str(folder / "hooks.json"),
            form=Form.JSON,
            parts=hook_groups(NAME, program, TABLE[NAME]),
        ),
        Wanted(
            path=str(folder / "config.toml"),
            form=Form.TOML,
            parts=(Part(path=("mcp_servers", "recollect"), value=server(program)),),
        ),
    )


def _settings(place: Place) -> Path:
    return place.folder("CODEX_HOME", ".codex")


CODEX = Client(
    name=NAME,
    title="Codex",
    program="codex",
    tried="0.166.0",
    settings=_settings,
    files=_files,
    afterwards="Codex runs a new hook only once you trust it: start codex, type /hooks, and trust those of recollect.",
)
