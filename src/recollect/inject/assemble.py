"""
Filling a layout: from the candidates of each slot to the lines of an injection. Pure: it stores nothing.

Whoever may not speak at this moment is left out, then whoever lies below the bar, then what one source has too much
of, then what the budget has no room for.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import groupby

from recollect.inject.calibrate import calibrate_files
from recollect.inject.citation_format import write_line
from recollect.inject.injection import FILE_PREFIX, InjectedLine, InjectionText, shorten, write_injection
from recollect.inject.layout import FORESEEN, SECTIONS, Layout, Slot
from recollect.inject.render import to_item, write_item
from recollect.inject.sections import (
    InjectedSection,
    count_border_tokens,
    find_heading,
    group_order,
    write_sections,
)
from recollect.inject.slot_candidates import says_little
from recollect.inject.source_quota import select_memories_by_quota
from recollect.model.phase import Phase
from recollect.model.predicted_file import PredictedFile
from recollect.model.query import Hit
from recollect.model.tokens import estimate_tokens
from recollect.model.trust import may_speak
from recollect.model.value import dataclass, replace

NO_ROOM = "the budget has no room for it"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenMemory:
    """A memory that was selected, with its slot, its heading and its line."""

    slot: Slot
    heading: str
    hit: Hit
    line: InjectedLine


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A candidate that was not selected, and why."""

    slot: str
    memory_id: str
    why: str
    # How well it fits; None where that was not what counted.
    score: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What was selected, in the order of the slots; what was left out; and how many candidates there were."""

    chosen: tuple[ChosenMemory, ...]
    left_out: tuple[LeftOut, ...]
    offered: int


def assemble_injection(
    layout: Layout,
    offers: Mapping[str, Sequence[Hit]],
    *,
    told_ids: Collection[str],
    boundary: str,
    lead: Sequence[str] = (),
    aside: str = "",
    phase: Phase | None = None,
    predicted_files: Sequence[PredictedFile] = (),
    question: str = "",
) -> InjectionText | None:
    """What to say at this moment; None when there is nothing. `offers` are the candidates of each slot, best first."""
    selection = select_memories(layout, offers, told_ids=told_ids, phase=phase)
    files = list_file_lines(layout, predicted_files, told_ids, question)
    return write_selection(
        layout, selection, tokens=layout.tokens, boundary=boundary, lead=lead, aside=aside, files=files
    )


def list_file_lines(
    layout: Layout, predicted_files: Sequence[PredictedFile], told_ids: Collection[str], question: str
) -> list[InjectedLine]:
    """A line for each file to have at hand, in the slots that are for files; none for a prompt that says little."""
    if says_little(question):
        return []
    places = [slot for slot in layout.slots if slot.source == FORESEEN]
    return [line for slot in places for line in write_file_lines(slot, predicted_files, told_ids, question)]


def select_memories(
    layout: Layout, offers: Mapping[str, Sequence[Hit]], *, told_ids: Collection[str], phase: Phase | None
) -> Selection:
    """Who may speak, slot by slot: what one has taken, the next does not say again."""
    chosen: list[ChosenMemory] = []
    left_out: dict[str, LeftOut] = {}
    taken = set(told_ids)
    offered = {hit.memory.id for slot in layout.slots for hit in offers.get(slot.name, ())}
    for slot in layout.slots:
        able, unable = _split_allowed(slot, layout, offers.get(slot.name, ()), taken, phase)
        picked = _fit_slot(slot, layout, able)
        taken |= {choice.line.id for choice in picked}
        chosen += picked
        left_out |= unable | {
            name: LeftOut(slot=slot.name, memory_id=name, why=NO_ROOM, score=hit.score)
            for name, (hit, _) in able.items()
            if name not in taken
        }
    chosen_ids = {choice.line.id for choice in chosen}
    return Selection(
        chosen=tuple(chosen),
        left_out=tuple(choice for name, choice in left_out.items() if name not in chosen_ids),
        offered=len(offered),
    )


def write_selection(
    layout: Layout,
    selection: Selection,
    *,
    tokens: int,
    boundary: str,
    lead: Sequence[str] = (),
    aside: str = "",
    files: Sequence[InjectedLine] = (),
) -> InjectionText | None:
    """What was selected, as text in the form of the layout; in one block, files to have at hand come last."""
    if layout.form == SECTIONS:
        sections = _make_sections(layout, selection.chosen, files)
        return write_sections(layout, sections, tokens=tokens, boundary=boundary, offered=selection.offered)
    return write_injection(
        layout.heading,
        [*(choice.line for choice in selection.chosen), *files],
        moment=layout.name,
        min_probability=min((slot.bar for slot in layout.slots), default=0.0),
        tokens=tokens,
        boundary=boundary,
        lead=lead,
        aside=aside,
    )


def _split_allowed(
    slot: Slot, layout: Layout, offered: Sequence[Hit], taken: Collection[str], phase: Phase | None
) -> tuple[dict[str, tuple[Hit, str]], dict[str, LeftOut]]:
    """The candidates that are allowed here, each with its mark, and those that are not, each with the reason."""
    able: dict[str, tuple[Hit, str]] = {}
    unable: dict[str, LeftOut] = {}
    for hit in offered:
        name = hit.memory.id
        verdict = may_speak(hit.memory, layout.moment, phase)
        alone = slot.stands_alone and not verdict.above_bar
        if why := _why_not(slot, hit, is_taken=name in taken, alone=alone) or verdict.why:
            unable[name] = LeftOut(slot=slot.name, memory_id=name, why=why, score=hit.score)
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


def _fit_slot(slot: Slot, layout: Layout, able: Mapping[str, tuple[Hit, str]]) -> list[ChosenMemory]:
    """Those there is room for. Lines are written only for these: writing one costs more than finding it."""
    by_quota = select_memories_by_quota([hit.memory for hit, _ in able.values()], slot.most)
    fitting: list[ChosenMemory] = []
    room = slot.tokens
    for choice in (_choose(slot, *able[memory.id]) for memory in by_quota):
        begins = layout.form == SECTIONS and choice.heading not in {earlier.heading for earlier in fitting}
        cost = estimate_tokens(choice.line.text + "\n") + (
            count_border_tokens(choice.heading, slot.tag) if begins else 0
        )
        if cost <= room:
            room -= cost
            fitting.append(choice)
    return fitting


def _choose(slot: Slot, hit: Hit, mark: str) -> ChosenMemory:
    memory = replace(hit.memory, text=shorten(hit.memory.text))
    if slot.tells_confidence:
        mark = ", ".join(filter(None, (mark, f"confidence {memory.confidence:.2f}")))
    line = InjectedLine(
        id=memory.id,
        text=write_item(to_item(memory, mark)),
        score=hit.score,
        why=_explain(slot, hit),
        slot=slot.name,
    )
    heading = find_heading(memory, slot.groups) if slot.groups else slot.heading or slot.name
    return ChosenMemory(slot=slot, heading=heading, hit=hit, line=line)


def _explain(slot: Slot, hit: Hit) -> str:
    """In which slot, and what spoke for it most."""
    best = sorted(hit.why, key=lambda part: -part.added)[:2]
    parts = ", ".join(f"{part.name} {part.added:.2f}" for part in best if part.added > 0)
    return f"{slot.name}: {parts}" if parts else slot.name


def _make_sections(
    layout: Layout, chosen: Sequence[ChosenMemory], files: Sequence[InjectedLine]
) -> list[InjectedSection]:
    sections: list[InjectedSection] = []
    for slot in layout.slots:
        if slot.source == FORESEEN:
            file_lines = tuple(line for line in files if line.slot == slot.name)
            heading = slot.heading or slot.name
            sections += [_make_section(slot, heading, file_lines)] if file_lines else []
        slot_choices = [choice for choice in chosen if choice.slot is slot]
        if slot.groups:
            slot_choices.sort(key=lambda choice: group_order(choice.heading, choice.slot.groups))
        for heading, grouped in groupby(slot_choices, key=lambda choice: choice.heading):
            sections.append(_make_section(slot, heading, tuple(choice.line for choice in grouped)))
    return sections


def _make_section(slot: Slot, heading: str, lines: tuple[InjectedLine, ...]) -> InjectedSection:
    return InjectedSection(slot=slot.name, heading=heading, lines=lines, tokens=slot.tokens, tag=slot.tag)


_MAX_REASONS = 2
# No session met the file: whoever reads it should know on what it rests.
INFERRED = "inferred from history"


def write_file_lines(
    slot: Slot, predicted_files: Sequence[PredictedFile], told_ids: Collection[str], question: str
) -> list[InjectedLine]:
    """
    A line for each file that the session will probably open and that it was not told about.

    A file whose whole path stands in the question is predicted like any other; naming it again tells nobody anything.
    """
    lines: list[InjectedLine] = []
    room = slot.tokens
    for file, probability in calibrate_files(predicted_files):
        name = f"{FILE_PREFIX}{file.path}"
        if probability < slot.bar or name in told_ids or file.path in question or len(lines) == slot.most:
            continue
        file_line = _write_file_line(slot, file, name, probability)
        room -= estimate_tokens(file_line.text)
        if room >= 0:
            lines.append(file_line)
    return lines


def _write_file_line(slot: Slot, file: PredictedFile, name: str, probability: float) -> InjectedLine:
    reasons = "; ".join(file.reasons[:_MAX_REASONS])
    return InjectedLine(
        id=name,
        text=write_line("file", file.path, reasons, mark=INFERRED if file.inferred else ""),
        score=probability,
        slot=slot.name,
        why=f"{slot.name}: {reasons}",
    )
