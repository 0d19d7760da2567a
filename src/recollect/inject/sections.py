"""Sections: a block of lines for each slot or group, within the budget of the slot and of the whole; and the groups."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from recollect.inject.citation_format import frame_block
from recollect.inject.injection import InjectedLine, InjectionText
from recollect.inject.layout import Layout
from recollect.model.memory import Memory
from recollect.model.observation import E2EClass
from recollect.model.tokens import CHARACTERS_PER_TOKEN, estimate_tokens
from recollect.model.value import dataclass

# The number of lines in a border may take so many digits, and so many stand in the line that counts.
_DIGITS = 4
_COUNT = 80
_ANY_BOUNDARY = "0" * 20


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectedSection:
    """Lines under one heading, of one slot."""

    slot: str
    heading: str
    lines: tuple[InjectedLine, ...]
    # What the slot may cost, its borders too.
    tokens: int
    tag: str = ""


def write_sections(
    layout: Layout, sections: Sequence[InjectedSection], *, tokens: int, boundary: str, offered: int
) -> InjectionText | None:
    """Say as many lines as fit, section by section in their order; None when nothing does."""
    room = tokens * CHARACTERS_PER_TOKEN - _wrapper_length(layout)
    room_by_slot = {section.slot: section.tokens * CHARACTERS_PER_TOKEN for section in sections}
    written: list[tuple[InjectedSection, list[InjectedLine]]] = []
    for section in sections:
        lines = _fit_lines(section, min(room, room_by_slot[section.slot]), boundary)
        if lines:
            spent = len(_write_section(section, lines, boundary)) + 2
            room -= spent
            room_by_slot[section.slot] -= spent
            written.append((section, lines))
    if not written:
        return None
    lines = [line for _, section_lines in written for line in section_lines]
    body = "\n\n".join(_write_section(section, section_lines, boundary) for section, section_lines in written)
    text = _wrap(layout, body, f"{len(lines)} of {offered}")
    return InjectionText(moment=layout.name, min_probability=_min_probability(layout), text=text, lines=lines)


def count_border_tokens(heading: str, tag: str) -> int:
    """What the borders of a section cost, whatever stands between them."""
    empty = InjectedSection(slot="", heading=heading, lines=(), tokens=0, tag=tag)
    return estimate_tokens(_write_section(empty, [], _ANY_BOUNDARY)) + _DIGITS


def _fit_lines(section: InjectedSection, room: int, boundary: str) -> list[InjectedLine]:
    room -= len(_write_section(section, [], boundary)) + _DIGITS + 2
    fitting: list[InjectedLine] = []
    for line in section.lines:
        if len(line.text) + 1 <= room:
            room -= len(line.text) + 1
            fitting.append(line)
    return fitting


def _write_section(section: InjectedSection, lines: Sequence[InjectedLine], boundary: str) -> str:
    block = frame_block(section.heading, [line.text for line in lines], boundary)
    return f"<{section.tag}>\n{block}\n</{section.tag}>" if section.tag else block


def _wrap(layout: Layout, body: str, counts: str) -> str:
    if layout.tag:
        body = f"<{layout.tag}>\n{body}\n</{layout.tag}>"
    if not layout.counted:
        return body
    # The line that counts is counted too: its own length hardly changes with the figure.
    cost = estimate_tokens(_write_count(layout, counts, estimate_tokens(body)) + body)
    return _write_count(layout, counts, cost) + body


def _write_count(layout: Layout, counts: str, tokens: int) -> str:
    return f"{layout.heading.capitalize()} ({counts} memories, ~{tokens:,} tokens)\n\n"


def _wrapper_length(layout: Layout) -> int:
    return (2 * len(layout.tag) + 7 if layout.tag else 0) + (
        len(layout.heading) + _COUNT if layout.counted else 0
    )


def _min_probability(layout: Layout) -> float:
    return min((slot.bar for slot in layout.slots), default=0.0)


# What belongs to no group comes last, under this heading.
GENERAL = "general"
# In the order a tester needs them.
OBSERVED: Mapping[str, str] = {
    E2EClass.PRECONDITION: "preconditions before testing",
    E2EClass.TEST_SEQUENCE: "known test sequences",
    E2EClass.TIMING: "timing constraints",
    E2EClass.MCP_GOTCHA: "gotchas of the tools",
    E2EClass.UI_BEHAVIOR: "known behaviour of the interface, not bugs",
}


def find_heading(memory: Memory, by: str) -> str:
    """The heading under which a memory stands."""
    return _HEADINGS[by](memory)


def group_order(heading: str, by: str) -> tuple[int, str]:
    """Where a group stands among the others: always the same, so that a text that says the same is the same."""
    if heading == GENERAL:
        return len(OBSERVED), ""
    return (list(OBSERVED.values()).index(heading) if by == OBSERVATION else 0), heading


def _service_of(memory: Memory) -> str:
    names = (subject.name for subject in memory.subjects if subject.type in ("service", "app"))
    return next(names, GENERAL)


def _observation_of(memory: Memory) -> str:
    return OBSERVED.get(str(memory.fields.get("observation_type")), GENERAL)


SERVICE = "service"
OBSERVATION = "observation_type"
_HEADINGS: Mapping[str, Callable[[Memory], str]] = {SERVICE: _service_of, OBSERVATION: _observation_of}
GROUPS = tuple(_HEADINGS)
