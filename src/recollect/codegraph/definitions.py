"""The definitions of one file with their bodies: one can be known again under another name, or in another file."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import NamedTuple

from recollect.codegraph.languages import Known
from recollect.codegraph.languages.language import decoded
from recollect.codegraph.readers import Readers
from recollect.errors import MissingExtra

# So alike are the bodies of one definition before and after; of a short one they have to be the same.
ALIKE = 0.6
_SHORT = 3
_MOST_LINES = 2_000


class Body(NamedTuple):
    """What a definition is and says: its lines without their indentation, its own name in them made out."""

    kind: str
    name: str
    lines: tuple[str, ...]


def definitions(known: Known, readers: Readers, path: str, source: bytes) -> dict[str, Body] | None:
    """Every definition by its qualified name; None for a file no language here can read."""
    language = known.of(path)
    if not language:
        return None
    try:
        outline = readers.read(language, source)
    except MissingExtra:
        return None
    lines = decoded(source).splitlines()
    return {
        d.qualified: Body(d.kind, d.name, _body(lines[d.line - 1 : d.end_line], d.name))
        for d in reversed(outline.definitions)
    }


def likeness(one: Body, other: Body) -> float:
    """How much of one body is the other, between 0 and 1; 0 for what is too short to tell."""
    if one.kind != other.kind:
        return 0.0
    if one.lines == other.lines:
        return 1.0 if len(one.lines) >= _SHORT or one.name == other.name else 0.0
    if min(len(one.lines), len(other.lines)) < _SHORT or max(len(one.lines), len(other.lines)) > _MOST_LINES:
        return 0.0
    alike = SequenceMatcher(None, one.lines, other.lines, autojunk=False)
    return alike.ratio() if alike.quick_ratio() >= ALIKE else 0.0


def known_again(body: Body, among: dict[str, Body]) -> str:
    """The one definition among some that this body went on as; empty if there is none, or two are as good."""
    scored = sorted(
        ((likeness(body, other) + 0.01 * (body.name == other.name), name) for name, other in among.items()),
        reverse=True,
    )
    good = [(score, name) for score, name in scored if score >= ALIKE]
    if not good or (len(good) > 1 and good[0][0] == good[1][0]):
        return ""
    return good[0][1]


def _body(lines: list[str], name: str) -> tuple[str, ...]:
    own = re.compile(rf"\b{re.escape(name)}\b")
    stripped = (own.sub("·", line.strip()) for line in lines)
    return tuple(line for line in stripped if line)
