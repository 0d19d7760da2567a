"""Bodies of definitions, to recognise one that was renamed or moved to another file."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import NamedTuple

from recollect.codegraph.languages import Languages
from recollect.codegraph.languages.language import decode
from recollect.codegraph.parse import OutlineReader
from recollect.errors import MissingExtra

# So alike are the bodies of one definition before and after; of a short one they have to be the same.
ALIKE = 0.6
_SHORT = 3
_MAX_LINES = 2_000


class DefinitionBody(NamedTuple):
    """A definition's kind, name and lines, without indentation and with its own name blanked out."""

    kind: str
    name: str
    lines: tuple[str, ...]


def read_definitions(
    languages: Languages, readers: OutlineReader, path: str, source: bytes
) -> dict[str, DefinitionBody] | None:
    """Every definition of a file by qualified name; None for a file in no known language."""
    language = languages.language_of(path)
    if not language:
        return None
    try:
        outline = readers.read(language, source)
    except MissingExtra:
        return None
    lines = decode(source).splitlines()
    return {
        d.qualified: DefinitionBody(d.kind, d.name, _body(lines[d.line - 1 : d.end_line], d.name))
        for d in reversed(outline.definitions)
    }


def body_similarity(one: DefinitionBody, other: DefinitionBody) -> float:
    """Share of lines that two bodies have in common, 0 to 1; 0 for bodies too short to compare."""
    if one.kind != other.kind:
        return 0.0
    if one.lines == other.lines:
        return 1.0 if len(one.lines) >= _SHORT or one.name == other.name else 0.0
    if min(len(one.lines), len(other.lines)) < _SHORT or max(len(one.lines), len(other.lines)) > _MAX_LINES:
        return 0.0
    alike = SequenceMatcher(None, one.lines, other.lines, autojunk=False)
    return alike.ratio() if alike.quick_ratio() >= ALIKE else 0.0


def find_renamed_body(body: DefinitionBody, among: dict[str, DefinitionBody]) -> str:
    """The name under which this body exists now; empty if there is none, or two match equally well."""
    scored = sorted(
        (
            (body_similarity(body, other) + 0.01 * (body.name == other.name), name)
            for name, other in among.items()
        ),
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
