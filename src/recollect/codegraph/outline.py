"""
The outline of one file: definitions, imports, calls, as tree-sitter shows them before any name is resolved.

An outline depends on nothing but the file's bytes and the reader's version, so it is kept under the blob's
hash and shared by branches and worktrees. The parts are named tuples and not dataclasses: a large project has
hundreds of thousands of them, and as JSON they are plain lists.
"""

from __future__ import annotations

import json
import zlib
from typing import Any, NamedTuple

from recollect.model.value import dataclass

# Raise it when the same bytes would give another outline.
VERSION = 2
MAX_LINES = 16


class Definition(NamedTuple):
    """A class, interface, function or method; `parent` is the place of the one around it, -1 for the file."""

    name: str
    qualified: str
    kind: str
    line: int
    end_line: int
    parent: int
    # Names of what it extends; those that begin with "+" are implemented.
    bases: tuple[str, ...]
    exported: bool
    # The type a function says it returns.
    returns: str = ""


class Import(NamedTuple):
    """
    One import. `names` are pairs of the name there and the name here; "*" takes all. `how` tells forms apart
    that a language resolves differently.
    """

    module: str
    names: tuple[tuple[str, str], ...]
    how: str = ""
    line: int = 0


class Call(NamedTuple):
    """A call in a definition (-1: at the top of the file); `callee` is dotted, with "?" for what is no name."""

    scope: int
    callee: str
    lines: tuple[int, ...]


class Hint(NamedTuple):
    """In this scope a name holds something of this type; the type is empty where only the name is known."""

    scope: int
    name: str
    type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """All of one file."""

    definitions: tuple[Definition, ...] = ()
    imports: tuple[Import, ...] = ()
    calls: tuple[Call, ...] = ()
    hints: tuple[Hint, ...] = ()
    # Names others may ask for, with the name it has here: JavaScript's `export { a as b }`.
    exports: tuple[tuple[str, str], ...] = ()
    # The package or namespace the file says it belongs to.
    package: str = ""
    # Types the file speaks of; where a package needs no imports, they tell whom it depends on.
    uses: tuple[str, ...] = ()
    broken: bool = False


def pack_outline(outline: Outline) -> bytes:
    """An outline as bytes for the store."""
    parts = (
        outline.definitions,
        outline.imports,
        outline.calls,
        outline.hints,
        outline.exports,
        outline.package,
        outline.uses,
        outline.broken,
    )
    # To look for circles among tuples of names would take a fifth of the time.
    text = json.dumps(parts, ensure_ascii=False, check_circular=False, separators=(",", ":"))
    return zlib.compress(text.encode(), 1)


def unpack_outline(packed: bytes) -> Outline:
    """The outline from its stored bytes."""
    definitions, imports, calls, hints, exports, package, uses, broken = json.loads(zlib.decompress(packed))
    return Outline(
        definitions=tuple(_definition(d) for d in definitions),
        imports=tuple(Import(i[0], tuple((n, a) for n, a in i[1]), i[2], i[3]) for i in imports),
        calls=tuple(Call(c[0], c[1], tuple(c[2])) for c in calls),
        hints=tuple(Hint(*h) for h in hints),
        exports=tuple((name, local) for name, local in exports),
        package=package,
        uses=tuple(uses),
        broken=broken,
    )


def _definition(fields: list[Any]) -> Definition:
    name, qualified, kind, line, end_line, parent, bases, exported, returns = fields
    return Definition(name, qualified, kind, line, end_line, parent, tuple(bases), exported, returns)


def collect_mentions(outline: Outline) -> set[str]:
    """Every name the file needs from others; when one of them appears or moves, the file is resolved again."""
    names = {call.callee.rpartition(".")[2] for call in outline.calls}
    for statement in outline.imports:
        names.update(name for name, _ in statement.names)
        names.update(_last_words(statement.module))
    for definition in outline.definitions:
        names.update(base.lstrip("+").rpartition(".")[2] for base in definition.bases)
    names.update(hint.type.rpartition(".")[2] for hint in outline.hints)
    names.update(use.rpartition(".")[2] for use in outline.uses)
    names.discard("")
    names.discard("*")
    return names


def sign_outline(outline: Outline) -> str:
    """A hash of what other files can see of this one; while it stays equal, a change concerns this file only."""
    visible = [(d.qualified, d.kind, d.bases, d.exported, d.returns) for d in outline.definitions]
    passed_on = [(i.module, i.names) for i in outline.imports]
    return f"{zlib.crc32(repr((visible, passed_on, outline.exports, outline.package)).encode()):08x}"


def _last_words(module: str) -> list[str]:
    words = "".join(letter if letter.isalnum() or letter in "_-" else " " for letter in module).split()
    return words[-3:]
