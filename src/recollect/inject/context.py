"""What an agent would get for a task: the text, what each slot of it costs and why, and what was left out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from hashlib import blake2s

from recollect.inject.assemble import (
    NO_ROOM,
    LeftOut,
    Selection,
    list_file_lines,
    select_memories,
    write_selection,
)
from recollect.inject.citation_format import frame_file
from recollect.inject.injection import FILE_PREFIX, InjectedLine
from recollect.inject.layout import Layout
from recollect.inject.slot_candidates import Situation, is_open
from recollect.model.complexity import Complexity
from recollect.model.phase import Phase
from recollect.model.query import Hit
from recollect.model.tokens import CHARACTERS_PER_TOKEN, estimate_tokens
from recollect.model.value import dataclass, replace
from recollect.retrieve.preload import MAX_FILES, PreloadedFile

_BOUNDARY_BYTES = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextItem:
    """One memory or file in the text: its name, how well it fits, what its line costs, and why it is there."""

    memory_id: str
    score: float
    tokens: int
    why: str

    @property
    def is_file(self) -> bool:
        """Whether it is no memory but a file that was predicted."""
        return self.memory_id.startswith(FILE_PREFIX)


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotCost:
    """What one slot came to. `why` says why it stayed empty, where a rule kept it so."""

    name: str
    budget: int
    bar: float
    tokens: int
    said: tuple[ContextItem, ...] = ()
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
    files: tuple[PreloadedFile, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


def build_context(
    layout: Layout,
    offers: Mapping[str, Sequence[Hit]],
    situation: Situation,
    *,
    budget: int,
    told_ids: Collection[str] = (),
    read_files: Callable[[Sequence[str]], Sequence[PreloadedFile]] = lambda paths: (),
) -> Context:
    """Assemble a layout within a budget. `read` gives the files that a slot puts before the agent."""
    selection = select_memories(layout, offers, told_ids=told_ids, phase=situation.phase)
    file_lines = list_file_lines(layout, situation.predicted_files, told_ids, situation.question)
    boundary = make_boundary(
        layout, [line.text for line in (*(item.line for item in selection.chosen), *file_lines)]
    )
    injection = write_selection(layout, selection, tokens=budget, boundary=boundary, files=file_lines)
    text = injection.text if injection else ""
    lines = list(injection.lines) if injection else []
    room = budget * CHARACTERS_PER_TOKEN - len(text)
    files = _fit_files(_read_files(layout, selection, lines, read_files), boundary, room)
    full_text = "\n\n".join(filter(None, (text, *(_frame_preloaded(item, boundary) for item in files))))
    slots = tuple(_compute_cost(layout, index, lines, files, situation) for index in range(len(layout.slots)))
    tokens = estimate_tokens(full_text)
    return Context(
        layout=layout.name,
        phase=situation.phase,
        complexity=situation.complexity,
        text=full_text,
        tokens=tokens,
        budget=budget,
        slots=slots,
        borders=tokens - sum(slot.tokens for slot in slots),
        files=tuple(files),
        left_out=(*selection.left_out, *_list_without_room(selection, lines)),
    )


def make_boundary(layout: Layout, lines: Sequence[str]) -> str:
    """
    The border of a text, from all it says: the same text twice is the same to the letter, so prompts stay cached.

    Nobody can write a memory that holds it: its own words are part of what it is made from.
    """
    return blake2s("\n".join((layout.name, *lines)).encode(), digest_size=_BOUNDARY_BYTES).hexdigest()


def _read_files(
    layout: Layout,
    selection: Selection,
    lines: Sequence[InjectedLine],
    read_files: Callable[[Sequence[str]], Sequence[PreloadedFile]],
) -> Sequence[PreloadedFile]:
    """The files named by the memories of slots that preload files."""
    written_ids = {line.id for line in lines}
    paths = [
        path
        for choice in selection.chosen
        if choice.slot.pastes and choice.line.id in written_ids
        for path in _paths_to_read(choice.hit.memory.fields)
    ]
    return read_files(list(dict.fromkeys(paths))[:MAX_FILES]) if paths else ()


def _paths_to_read(fields: Mapping[str, object]) -> list[str]:
    paths = fields.get("always_read")
    return [path for path in paths if isinstance(path, str)] if isinstance(paths, list | tuple) else []


def _fit_files(files: Sequence[PreloadedFile], boundary: str, room: int) -> list[PreloadedFile]:
    fitting: list[PreloadedFile] = []
    for file in files:
        cost = len(_frame_preloaded(file, boundary)) + 2
        if cost <= room:
            room -= cost
            fitting.append(file)
    return fitting


def _frame_preloaded(file: PreloadedFile, boundary: str) -> str:
    return frame_file(file.path, file.text, file.characters, boundary)


def _compute_cost(
    layout: Layout,
    index: int,
    lines: Sequence[InjectedLine],
    files: Sequence[PreloadedFile],
    situation: Situation,
) -> SlotCost:
    slot = layout.slots[index]
    slot_lines = [line for line in lines if line.slot == slot.name]
    characters = sum(len(line.text) + 1 for line in slot_lines)
    if slot.pastes:
        characters += sum(len(file.text) for file in files)
    cost = SlotCost(
        name=slot.name,
        budget=slot.tokens,
        bar=slot.bar,
        # Rounded down: what is left over belongs to the borders, and the parts add up to the whole.
        tokens=characters // CHARACTERS_PER_TOKEN,
        said=tuple(
            ContextItem(
                memory_id=slot_line.id, score=slot_line.score, tokens=slot_line.tokens, why=slot_line.why
            )
            for slot_line in slot_lines
        ),
    )
    return cost if is_open(slot, situation) else replace(cost, why=_explain_closed(slot.phases, situation))


def _explain_closed(phases: Sequence[Phase], situation: Situation) -> str:
    if phases and situation.phase not in phases:
        return f"only in the {' and '.join(phases)} phase"
    return f"not for {situation.complexity} work"


def _list_without_room(selection: Selection, lines: Sequence[InjectedLine]) -> list[LeftOut]:
    written_ids = {line.id for line in lines}
    return [
        LeftOut(slot=choice.slot.name, memory_id=choice.line.id, why=NO_ROOM)
        for choice in selection.chosen
        if choice.line.id not in written_ids
    ]
