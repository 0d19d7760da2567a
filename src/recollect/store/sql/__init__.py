"""
The named queries: read once, each put together when it is first asked for.

A file holds blocks that begin with `-- name: NAME` (a query) or `-- part: NAME` (text that queries
include as `{NAME}`); the comment lines after it say the purpose. A file `TOPIC.sql` of the folder `queries` is common
to all databases; what must differ stands under the same name in every `TOPIC.<dialect>.sql`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

_HERE = Path(__file__).parent
_BLOCK = re.compile(r"^-- (name|part): (\w+)\n", re.MULTILINE)
_PART = re.compile(r"\{(\w+)\}")


@cache
def query(dialect: str, name: str) -> str:
    """The text of a query. A short process asks for thirty of three hundred."""
    blocks = _read_blocks(dialect)
    body = _without_comments(blocks["name", name])
    return _PART.sub(lambda match: _without_comments(blocks["part", match.group(1)]), body)


def queries(dialect: str) -> Mapping[str, str]:
    """Every query of a dialect, by name."""
    return {name: query(dialect, name) for kind, name in _read_blocks(dialect) if kind == "name"}


def query_files(dialect: str) -> tuple[str, ...]:
    """The files that hold the queries of a dialect: the common ones and its own."""
    names = sorted(entry.name for entry in (_HERE / "queries").iterdir())
    return tuple(f"queries/{name}" for name in names if name.split(".")[1:] in (["sql"], [dialect, "sql"]))


@cache
def templates(dialect: str) -> Mapping[str, str]:
    """Statements for tables that are known by the catalogue alone, by name; whoever uses one fills in its `@words`."""
    return {key: _without_comments(body) for _, key, body in _split_blocks(read(f"templates.{dialect}.sql"))}


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


def newest_schema(dialect: str) -> int:
    """The newest schema this version can read."""
    return migrations(dialect)[-1][0]


@cache
def _read_blocks(dialect: str) -> Mapping[tuple[str, str], str]:
    """The blocks of all files as they stand there, by kind and name."""
    blocks: dict[tuple[str, str], str] = {}
    for file in query_files(dialect):
        for kind, name, body in _split_blocks(read(file)):
            if (kind, name) in blocks:
                raise ValueError(f"{file} defines {name} a second time")
            blocks[kind, name] = body
    return blocks


def _split_blocks(text: str) -> Iterator[tuple[str, str, str]]:
    pieces = iter(_BLOCK.split(text)[1:])
    return zip(pieces, pieces, pieces, strict=True)


def _without_comments(body: str) -> str:
    lines = (line for line in body.splitlines() if not line.lstrip().startswith("--"))
    return "\n".join(line for line in lines if line.strip()).rstrip(";\n ")
