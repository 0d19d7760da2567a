"""
Filling a layout: from candidates to the lines that are said. Pure: what was told before comes in, nothing is written.

Whoever may not speak at this moment is left out, then whoever lies below the bar, then what one source has too much
of, then what the budget has no room for.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import groupby

from recollect.inject.grouping import heading_of, place_of
from recollect.inject.injection import Line, Spoken, shortened, speak
from recollect.inject.layout import FORESEEN, SECTIONS, Layout, Slot
from recollect.inject.predicted_files import lines_of
from recollect.inject.render import item_of, line_of
from recollect.inject.sections import Section, border_tokens, in_sections
from recollect.inject.source_quota import shared_out
from recollect.model.hit import Hit
from recollect.model.phase import Phase
from recollect.model.predicted_file import Foreseen
from recollect.model.tokens import estimate_tokens
from recollect.model.trust import may_speak
from recollect.model.value import dataclass, replace

NO_ROOM = "the budget has no room for it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A memory that will be said, with its slot, the heading it stands under, and its line."""

    slot: Slot
    heading: str
    hit: Hit
    line: Line


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A candidate that is not said, and why."""

    slot: str
    memory_id: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What is to be said, in the order of the slots; what is not; and how many could have been."""

    chosen: tuple[Chosen, ...]
    left_out: tuple[LeftOut, ...]
    offered: int


def assembled(
    layout: Layout,
    offers: Mapping[str, Sequence[Hit]],
    *,
    told: Collection[str],
    boundary: str,
    lead: Sequence[str] = (),
    aside: str = "",
    phase: Phase | None = None,
    foreseen: Sequence[Foreseen] = (),
    question: str = "",
) -> Spoken | None:
    """What to say at this moment; None when there is nothing. `offers` are the candidates of each slot, best first."""
    selection = selected(layout, offers, told=told, phase=phase)
    files = files_of(layout, foreseen, told, question)
    return said(
        layout, selection, tokens=layout.tokens, boundary=boundary, lead=lead, aside=aside, files=files
    )


def files_of(
    layout: Layout, foreseen: Sequence[Foreseen], told: Collection[str], question: str
) -> list[Line]:
    """A line for each file to have at hand, in the slots that are for files."""
    places = [slot for slot in layout.slots if slot.source == FORESEEN]
    return [line for slot in places for line in lines_of(slot, foreseen, told, question)]


def selected(
    layout: Layout, offers: Mapping[str, Sequence[Hit]], *, told: Collection[str], phase: Phase | None
) -> Selection:
    """Who may speak, slot by slot: what one has taken, the next does not say again."""
    chosen: list[Chosen] = []
    left_out: dict[str, LeftOut] = {}
    taken = set(told)
    offered = {hit.memory.id for slot in layout.slots for hit in offers.get(slot.name, ())}
    for slot in layout.slots:
        able, unable = _able(slot, layout, offers.get(slot.name, ()), taken, phase)
        picked = _within(slot, layout, able)
        taken |= {one.line.id for one in picked}
        chosen += picked
        left_out |= unable | {
            name: LeftOut(slot=slot.name, memory_id=name, why=NO_ROOM) for name in able if name not in taken
        }
    spoken = {one.line.id for one in chosen}
    return Selection(
        chosen=tuple(chosen),
        left_out=tuple(one for name, one in left_out.items() if name not in spoken),
        offered=len(offered),
    )


def said(
    layout: Layout,
    selection: Selection,
    *,
    tokens: int,
    boundary: str,
    lead: Sequence[str] = (),
    aside: str = "",
    files: Sequence[Line] = (),
) -> Spoken | None:
    """What was selected, as text in the form of the layout; in one block, files to have at hand come last."""
    if layout.form == SECTIONS:
        sections = _sections(layout, selection.chosen, files)
        return in_sections(layout, sections, tokens=tokens, boundary=boundary, offered=selection.offered)
    return speak(
        layout.heading,
        [*(one.line for one in selection.chosen), *files],
        moment=layout.name,
        bar=min((slot.bar for slot in layout.slots), default=0.0),
        tokens=tokens,
        boundary=boundary,
        lead=lead,
        aside=aside,
    )


def _able(
    slot: Slot, layout: Layout, offered: Sequence[Hit], taken: Collection[str], phase: Phase | None
) -> tuple[dict[str, tuple[Hit, str]], dict[str, LeftOut]]:
    """Who may be said here, each with its mark, and who not."""
    able: dict[str, tuple[Hit, str]] = {}
    unable: dict[str, LeftOut] = {}
    for hit in offered:
        name = hit.memory.id
        verdict = may_speak(hit.memory, layout.moment, phase)
        alone = slot.stands_alone and not verdict.above_bar
        if why := _why_not(slot, hit, is_taken=name in taken, alone=alone) or verdict.why:
            unable[name] = LeftOut(slot=slot.name, memory_id=name, why=why)
        else:
            able[name] = hit, verdict.mark
    return able, unable


def _why_not(slot: Slot, hit: Hit, *, is_taken: bool, alone: bool) -> str:
    if is_taken:
        return "it is told already"
    if hit.memory.confidence < slot.sure:
        return f"confidence {hit.memory.confidence:.2f} is below {slot.sure:.2f}"
    if hit.score < slot.bar and not alone:
        return f"score {hit.score:.2f} is below the bar of {slot.bar:.2f}"
    return ""


def _within(slot: Slot, layout: Layout, able: Mapping[str, tuple[Hit, str]]) -> list[Chosen]:
    """Those there is room for. Lines are written only for these: writing one costs more than finding it."""
    shared = shared_out([hit.memory for hit, _ in able.values()], slot.most)
    kept: list[Chosen] = []
    room = slot.tokens
    for one in (_chosen(slot, *able[memory.id]) for memory in shared):
        begins = layout.form == SECTIONS and one.heading not in {other.heading for other in kept}
        cost = estimate_tokens(one.line.text + "\n") + (border_tokens(one.heading, slot.tag) if begins else 0)
        if cost <= room:
            room -= cost
            kept.append(one)
    return kept


def _chosen(slot: Slot, hit: Hit, mark: str) -> Chosen:
    memory = replace(hit.memory, text=shortened(hit.memory.text))
    if slot.tells_confidence:
        mark = ", ".join(filter(None, (mark, f"confidence {memory.confidence:.2f}")))
    line = Line(
        id=memory.id,
        text=line_of(item_of(memory, mark)),
        score=hit.score,
        why=_why(slot, hit),
        slot=slot.name,
    )
    heading = heading_of(memory, slot.groups) if slot.groups else slot.heading or slot.name
    return Chosen(slot=slot, heading=heading, hit=hit, line=line)


def _why(slot: Slot, hit: Hit) -> str:
    """In which slot, and what spoke for it most."""
    best = sorted(hit.why, key=lambda part: -part.added)[:2]
    parts = ", ".join(f"{part.name} {part.added:.2f}" for part in best if part.added > 0)
    return f"{slot.name}: {parts}" if parts else slot.name


def _sections(layout: Layout, chosen: Sequence[Chosen], files: Sequence[Line]) -> list[Section]:
    sections: list[Section] = []
    for slot in layout.slots:
        if slot.source == FORESEEN:
            named = tuple(line for line in files if line.slot == slot.name)
            heading = slot.heading or slot.name
            sections += [_section(slot, heading, named)] if named else []
        own = [one for one in chosen if one.slot is slot]
        if slot.groups:
            own.sort(key=lambda one: place_of(one.heading, one.slot.groups))
        for heading, together in groupby(own, key=lambda one: one.heading):
            sections.append(_section(slot, heading, tuple(one.line for one in together)))
    return sections


def _section(slot: Slot, heading: str, lines: tuple[Line, ...]) -> Section:
    return Section(slot=slot.name, heading=heading, lines=lines, tokens=slot.tokens, tag=slot.tag)
