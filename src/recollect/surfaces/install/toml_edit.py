"""Tables of ours in TOML text: put at its end, taken out again; comments, order and line ends stay."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from typing import Any

import tomlkit

from recollect.clients.file_parts import FilePart, is_ours
from recollect.surfaces.install.json_edit import line_end


class NotToml(ValueError):
    """The text is no TOML that can be edited; the message says why."""


def read(text: str) -> dict[str, Any]:
    """What a text says; raises NotToml."""
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise NotToml(f"it is no TOML: {error}") from error


def with_tables(text: str, parts: Sequence[FilePart]) -> str:
    """The text with a table more at its end for each part."""
    for part in parts:
        if _at(read(text), part.path) is not None:
            raise NotToml(f"it has a {part.path[-1]} of its own at {'.'.join(part.path)}")
        end = line_end(text)
        gap = "" if not text else end if text.endswith("\n") else end * 2
        text += gap + _block(part).replace("\n", end)
        if _at(read(text), part.path) != part.value:
            raise NotToml(f"{'.'.join(part.path[:-1])} is written in a way that nothing can be added to")
    return text


def without_tables(text: str, parts: Sequence[FilePart]) -> str:
    """The text without the tables that are ours; a person's own of the same name stays."""
    for part in parts:
        table = _at(read(text), part.path)
        if table is None:
            continue
        if not is_ours(table):
            raise NotToml(f"it has a {part.path[-1]} of its own at {'.'.join(part.path)}")
        text = _without(text, part, table)
    return text


def _without(text: str, part: FilePart, table: Any) -> str:
    rest = read(text)
    _drop(rest, part.path)
    block = _block(FilePart(path=part.path, value=table)).replace("\n", line_end(text))
    for gap in (line_end(text), ""):
        shorter = text.replace(gap + block, "", 1)
        if shorter != text and read(shorter) == rest:
            return shorter
    document = tomlkit.parse(text)
    _drop(document, part.path)
    done = tomlkit.dumps(document)
    if read(done) != rest:
        raise NotToml("it could not be edited without changing something else")
    return done


def _drop(table: Any, path: tuple[str, ...]) -> None:
    *outer, last = path
    above: list[tuple[Any, str]] = []
    for key in outer:
        above.append((table, key))
        table = table[key]
    del table[last]
    for parent, key in reversed(above):
        if not parent[key]:
            del parent[key]


def _at(table: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        table = table.get(key) if isinstance(table, dict) else None
    return table


def _block(part: FilePart) -> str:
    lines = [f"[{'.'.join(part.path)}]"]
    lines += [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in part.value.items()]
    return "\n".join(lines) + "\n"
