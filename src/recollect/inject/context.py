"""What an agent would get for a task: the text, what each slot of it costs and why, and what was left out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from hashlib import blake2s

from recollect.inject.assemble import NO_ROOM, LeftOut, Selection, files_of, said, selected
from recollect.inject.citation_format import pasted
from recollect.inject.injection import FILE, Line
from recollect.inject.layout import Layout
from recollect.inject.moments import Situation, is_open
from recollect.model.complexity import Complexity
from recollect.model.hit import Hit
from recollect.model.phase import Phase
from recollect.model.tokens import CHARACTERS_PER_TOKEN, estimate_tokens
from recollect.model.value import dataclass, replace
from recollect.retrieve.preload import MOST_FILES, Preloaded

_BOUNDARY_BYTES = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One memory or file in the text: its name, how well it fits, what its line costs, and why it is there."""

    memory_id: str
    score: float
    tokens: int
    why: str

    @property
    def is_file(self) -> bool:
        """Whether it is no memory but a file that was foreseen."""
        return self.memory_id.startswith(FILE)


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotCost:
    """What one slot came to. `why` says why it stayed empty, where a rule kept it so."""

    name: str
    budget: int
    bar: float
    tokens: int
    said: tuple[Said, ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """A text for an agent and what it is made of. The slots and the borders add up to `tokens`."""

    layout: str
    phase: Phase | None
    complexity: Complexity
    text: str
    tokens: int
    budget: int
    slots: tuple[SlotCost, ...] = ()
    # Headings and the lines around blocks.
    borders: int = 0
    files: tuple[Preloaded, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


def context_of(
    layout: Layout,
    offers: Mapping[str, Sequence[Hit]],
    situation: Situation,
    *,
    budget: int,
    told: Collection[str] = (),
    read: Callable[[Sequence[str]], Sequence[Preloaded]] = lambda paths: (),
) -> Context:
    """Assemble a layout within a budget. `read` gives the files that a slot puts before the agent."""
    selection = selected(layout, offers, told=told, phase=situation.phase)
    named = files_of(layout, situation.foreseen, told, situation.question)
    boundary = boundary_of(layout, [line.text for line in (*(one.line for one in selection.chosen), *named)])
    spoken = said(layout, selection, tokens=budget, boundary=boundary, files=named)
    text = spoken.text if spoken else ""
    lines = list(spoken.lines) if spoken else []
    room = budget * CHARACTERS_PER_TOKEN - len(text)
    files = _fitting(_files(layout, selection, lines, read), boundary, room)
    whole = "\n\n".join(filter(None, (text, *(_pasted(one, boundary) for one in files))))
    slots = tuple(_cost(layout, index, lines, files, situation) for index in range(len(layout.slots)))
    tokens = estimate_tokens(whole)
    return Context(
        layout=layout.name,
        phase=situation.phase,
        complexity=situation.complexity,
        text=whole,
        tokens=tokens,
        budget=budget,
        slots=slots,
        borders=tokens - sum(slot.tokens for slot in slots),
        files=tuple(files),
        left_out=(*selection.left_out, *_without_room(selection, lines)),
    )


def boundary_of(layout: Layout, lines: Sequence[str]) -> str:
    """
    The border of a text, from all it says: the same text twice is the same to the letter, so prompts stay cached.

    Nobody can write a memory that holds it: its own words are part of what it is made from.
    """
    return blake2s("\n".join((layout.name, *lines)).encode(), digest_size=_BOUNDARY_BYTES).hexdigest()


def _files(
    layout: Layout,
    selection: Selection,
    lines: Sequence[Line],
    read: Callable[[Sequence[str]], Sequence[Preloaded]],
) -> Sequence[Preloaded]:
    """What the slots that put files there name, as far as it is said."""
    spoken = {line.id for line in lines}
    paths = [
        path
        for one in selection.chosen
        if one.slot.pastes and one.line.id in spoken
        for path in _always_read(one.hit.memory.fields)
    ]
    return read(list(dict.fromkeys(paths))[:MOST_FILES]) if paths else ()


def _always_read(fields: Mapping[str, object]) -> list[str]:
    named = fields.get("always_read")
    return [path for path in named if isinstance(path, str)] if isinstance(named, list | tuple) else []


def _fitting(files: Sequence[Preloaded], boundary: str, room: int) -> list[Preloaded]:
    kept: list[Preloaded] = []
    for file in files:
        cost = len(_pasted(file, boundary)) + 2
        if cost <= room:
            room -= cost
            kept.append(file)
    return kept


def _pasted(file: Preloaded, boundary: str) -> str:
    return pasted(file.path, file.text, file.characters, boundary)


def _cost(
    layout: Layout, index: int, lines: Sequence[Line], files: Sequence[Preloaded], situation: Situation
) -> SlotCost:
    slot = layout.slots[index]
    own = [line for line in lines if line.slot == slot.name]
    characters = sum(len(line.text) + 1 for line in own)
    if slot.pastes:
        characters += sum(len(file.text) for file in files)
    cost = SlotCost(
        name=slot.name,
        budget=slot.tokens,
        bar=slot.bar,
        # Rounded down: what is left over belongs to the borders, and the parts add up to the whole.
        tokens=characters // CHARACTERS_PER_TOKEN,
        said=tuple(Said(memory_id=one.id, score=one.score, tokens=one.tokens, why=one.why) for one in own),
    )
    return cost if is_open(slot, situation) else replace(cost, why=_why_shut(slot.phases, situation))


def _why_shut(phases: Sequence[Phase], situation: Situation) -> str:
    if phases and situation.phase not in phases:
        return f"only in the {' and '.join(phases)} phase"
    return f"not for {situation.complexity} work"


def _without_room(selection: Selection, lines: Sequence[Line]) -> list[LeftOut]:
    spoken = {line.id for line in lines}
    return [
        LeftOut(slot=one.slot.name, memory_id=one.line.id, why=NO_ROOM)
        for one in selection.chosen
        if one.line.id not in spoken
    ]
