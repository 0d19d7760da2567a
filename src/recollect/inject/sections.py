"""Lines in sections: a block for each slot or group, within the budget of the slot and of the whole."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.inject.citation_format import framed
from recollect.inject.injection import Line, Spoken
from recollect.inject.layout import Layout
from recollect.model.tokens import CHARACTERS_PER_TOKEN, estimate_tokens
from recollect.model.value import dataclass

# The number of lines in a border may take so many digits, and so many stand in the line that counts.
_DIGITS = 4
_COUNT = 80
_ANY_BOUNDARY = "0" * 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Lines under one heading, of one slot."""

    slot: str
    heading: str
    lines: tuple[Line, ...]
    # What the slot may cost, its borders too.
    tokens: int
    tag: str = ""


def in_sections(
    layout: Layout, sections: Sequence[Section], *, tokens: int, boundary: str, offered: int
) -> Spoken | None:
    """Say as many lines as fit, section by section in their order; None when nothing does."""
    room = tokens * CHARACTERS_PER_TOKEN - _around(layout)
    left = {section.slot: section.tokens * CHARACTERS_PER_TOKEN for section in sections}
    kept: list[tuple[Section, list[Line]]] = []
    for section in sections:
        lines = _fitting(section, min(room, left[section.slot]), boundary)
        if lines:
            spent = len(_written(section, lines, boundary)) + 2
            room -= spent
            left[section.slot] -= spent
            kept.append((section, lines))
    if not kept:
        return None
    lines = [line for _, said in kept for line in said]
    body = "\n\n".join(_written(section, said, boundary) for section, said in kept)
    text = _wrapped(layout, body, f"{len(lines)} of {offered}")
    return Spoken(moment=layout.name, bar=_bar(layout), text=text, lines=lines)


def border_tokens(heading: str, tag: str) -> int:
    """What the borders of a section cost, whatever stands between them."""
    empty = Section(slot="", heading=heading, lines=(), tokens=0, tag=tag)
    return estimate_tokens(_written(empty, [], _ANY_BOUNDARY)) + _DIGITS


def _fitting(section: Section, room: int, boundary: str) -> list[Line]:
    room -= len(_written(section, [], boundary)) + _DIGITS + 2
    kept: list[Line] = []
    for line in section.lines:
        if len(line.text) + 1 <= room:
            room -= len(line.text) + 1
            kept.append(line)
    return kept


def _written(section: Section, lines: Sequence[Line], boundary: str) -> str:
    block = framed(section.heading, [line.text for line in lines], boundary)
    return f"<{section.tag}>\n{block}\n</{section.tag}>" if section.tag else block


def _wrapped(layout: Layout, body: str, told: str) -> str:
    if layout.tag:
        body = f"<{layout.tag}>\n{body}\n</{layout.tag}>"
    if not layout.counted:
        return body
    # The line that counts is counted too: its own length hardly changes with the figure.
    cost = estimate_tokens(_count(layout, told, estimate_tokens(body)) + body)
    return _count(layout, told, cost) + body


def _count(layout: Layout, told: str, tokens: int) -> str:
    return f"{layout.heading.capitalize()} ({told} memories, ~{tokens:,} tokens)\n\n"


def _around(layout: Layout) -> int:
    return (2 * len(layout.tag) + 7 if layout.tag else 0) + (
        len(layout.heading) + _COUNT if layout.counted else 0
    )


def _bar(layout: Layout) -> float:
    return min((slot.bar for slot in layout.slots), default=0.0)
