"""
The named queries, loaded once.

A file holds blocks that begin with `-- name: NAME` (a query) or `-- part: NAME` (text that queries
include as `{NAME}`); the comment lines after it say the purpose. A file `TOPIC.sql` of the folder `queries` is common
to all databases; what must differ stands under the same name in every `TOPIC.<dialect>.sql`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

_HERE = Path(__file__).parent
_BLOCK = re.compile(r"^-- (name|part): (\w+)\n", re.MULTILINE)
_PART = re.compile(r"\{(\w+)\}")


@cache
def queries(dialect: str) -> Mapping[str, str]:
    """Every query of a dialect, by name."""
    found: dict[str, str] = {}
    parts: dict[str, str] = {}
    for name in query_files(dialect):
        for kind, key, body in _blocks(read(name)):
            home = found if kind == "name" else parts
            if key in home:
                raise ValueError(f"{name} defines {key} a second time")
            home[key] = body
    return {key: _PART.sub(lambda match: parts[match.group(1)], body) for key, body in found.items()}


def query_files(dialect: str) -> tuple[str, ...]:
    """The files that hold the queries of a dialect: the common ones and its own."""
    names = sorted(entry.name for entry in (_HERE / "queries").iterdir())
    return tuple(f"queries/{name}" for name in names if name.split(".")[1:] in (["sql"], [dialect, "sql"]))


@cache
def templates(dialect: str) -> Mapping[str, str]:
    """Statements for tables that are known by the catalogue alone, by name; whoever uses one fills in its `@words`."""
    return {key: body for _, key, body in _blocks(read(f"templates.{dialect}.sql"))}


@cache
def read(name: str) -> str:
    """The text of one file of this folder."""
    return (_HERE / name).read_text(encoding="utf-8")


def migrations(dialect: str) -> tuple[tuple[int, str, str], ...]:
    """All migrations of a dialect in order: number, name, text."""
    names = sorted(
        entry.name for entry in (_HERE / "migrations").iterdir() if entry.name.endswith(f".{dialect}.sql")
    )
    return tuple((int(name[:4]), name[5:].split(".")[0], read(f"migrations/{name}")) for name in names)


def _blocks(text: str) -> list[tuple[str, str, str]]:
    pieces = _BLOCK.split(text)[1:]
    return [(pieces[i], pieces[i + 1], _without_comments(pieces[i + 2])) for i in range(0, len(pieces), 3)]


def _without_comments(body: str) -> str:
    lines = (line for line in body.splitlines() if not line.lstrip().startswith("--"))
    return "\n".join(line for line in lines if line.strip()).rstrip(";\n ")
