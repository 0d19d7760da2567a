"""Where the slots of a layout get their candidates from, and the words that stand before them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from recollect.inject.calibrate import likely_answers, likely_files
from recollect.inject.citation_format import escape
from recollect.inject.cut import cut
from recollect.inject.layout import (
    ABOUT,
    FORESEEN,
    KINDS,
    LOST,
    NAMED,
    OF_FILES,
    QUESTION,
    RECIPES,
    SURE,
    WORK,
    Layout,
    Slot,
)
from recollect.model.complexity import GATES, Complexity
from recollect.model.hit import Hit
from recollect.model.phase import Phase
from recollect.model.predicted_file import Foreseen
from recollect.model.trust import Origin, origin_of
from recollect.model.value import dataclass
from recollect.retrieve import offers
from recollect.retrieve.read_context import Ground

_MOST_TASK = 600
_MOST_FILES = 12
# Candidates for each place: some may not speak, some were told before.
_WIDER = 4
_MOST_ANSWERS = 30
_OF_CODE = ("file", "symbol")


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """What is known of a session when it is spoken to."""

    now: datetime
    # The names of all kinds there are.
    kinds: tuple[str, ...]
    project_id: str | None = None
    branch: str = ""
    work: str = ""
    # What was asked just now, or what a subagent works for.
    question: str = ""
    # What a compaction took from the agent, the most used first.
    lost: tuple[str, ...] = ()
    phase: Phase | None = None
    # How big the work is that is asked for: a trivial task is not worth every search.
    complexity: Complexity = Complexity.STANDARD
    # The files it will probably open, best first.
    foreseen: Sequence[Foreseen] = ()


def candidates(
    ground: Callable[[], Ground], layout: Layout, situation: Situation
) -> Mapping[str, Sequence[Hit]]:
    """The candidates of each slot that is open at all, best first."""
    slots = [slot for slot in layout.slots if slot.source != FORESEEN and is_open(slot, situation)]
    asked = {slot.name: _kinds(slot, situation) for slot in slots if slot.source == QUESTION}
    answers = _on_question(ground, situation, asked)
    return {
        slot.name: [hit for hit in answers if hit.memory.kind in asked[slot.name]]
        if slot.name in asked
        else _SOURCES[slot.source](ground(), slot, situation)
        for slot in slots
    }


def is_open(slot: Slot, situation: Situation) -> bool:
    """Whether a slot is filled at all: in its phase, and for work that is big enough."""
    in_phase = not slot.phases or situation.phase in slot.phases
    return in_phase and (not slot.gate or bool(getattr(GATES[situation.complexity], slot.gate)))


def count_waiting(waiting: int) -> str:
    """What waits for a person, as a count for that person."""
    return f"{waiting} {'waits' if waiting == 1 else 'wait'} for review — recollect review" if waiting else ""


def task_anchor(first: str, last: str, files: Sequence[str]) -> tuple[str, ...]:
    """What a session is about, for an agent whose conversation was just summarised."""
    said = [f"[recollect] The task, as it was asked: “{escape(cut(first, _MOST_TASK))}”"] if first else []
    if last and last != first:
        said.append(f"[recollect] Asked last: “{escape(cut(last, _MOST_TASK))}”")
    if files:
        said.append(f"[recollect] Files changed so far: {escape(', '.join(files[:_MOST_FILES]))}")
    return tuple(said)


def _kinds(slot: Slot, situation: Situation) -> tuple[str, ...]:
    return slot.kinds or tuple(kind for kind in situation.kinds if kind not in slot.besides)


def _on_question(
    ground: Callable[[], Ground], situation: Situation, asked: Mapping[str, Sequence[str]]
) -> Sequence[Hit]:
    """One search for all slots: reading the question costs more than looking through its answers again."""
    kinds = tuple(dict.fromkeys(kind for named in asked.values() for kind in named))
    if not situation.question or not kinds:
        return ()
    stands_on = ground()
    found = offers.on_question(
        stands_on,
        situation.question,
        situation.project_id,
        kinds=kinds,
        limit=_MOST_ANSWERS,
        now=situation.now,
        phase=situation.phase,
    )
    likely = _likely(situation)
    answers = likely_answers(found, by_words=stands_on.embedder is None)
    return sorted((_by_its_files(hit, likely) for hit in answers), key=lambda hit: -hit.score)


def _by_its_files(hit: Hit, likely: Mapping[str, float]) -> Hit:
    """What was observed about files is wanted when one of them is opened; how well its words fit tells hardly more."""
    memory = hit.memory
    files = {subject.name.partition("::")[0] for subject in memory.subjects if subject.type in _OF_CODE}
    if not files or memory.kind not in OF_FILES or origin_of(memory) is not Origin.OBSERVED:
        return hit
    return offers.as_likely_as(files, likely, memory)


def _likely(situation: Situation) -> dict[str, float]:
    return {file.path: probability for file, probability in likely_files(situation.foreseen)}


def _of_kinds(ground: Ground, slot: Slot, situation: Situation) -> Sequence[Hit]:
    return offers.of_kinds(ground.db, _kinds(slot, situation), situation.project_id, slot.most * _WIDER)


def _surest(ground: Ground, slot: Slot, situation: Situation) -> Sequence[Hit]:
    return offers.surest(
        ground.db, _kinds(slot, situation), situation.project_id, slot.sure, slot.most * _WIDER
    )


def _recipes(ground: Ground, slot: Slot, situation: Situation) -> Sequence[Hit]:
    if not situation.question:
        return ()
    return offers.for_task(
        ground, situation.question, situation.project_id, limit=slot.most, now=situation.now
    )


def _named(ground: Ground, slot: Slot, situation: Situation) -> Sequence[Hit]:
    kinds = _kinds(slot, situation)
    return offers.about_named(
        ground, situation.question, situation.project_id, kinds=kinds, limit=slot.most * _WIDER
    )


def _about_files(ground: Ground, slot: Slot, situation: Situation) -> Sequence[Hit]:
    likely, kinds = _likely(situation), _kinds(slot, situation)
    return offers.about_files(ground.db, likely, situation.project_id, kinds=kinds, limit=slot.most * _WIDER)


def _of_work(ground: Ground, slot: Slot, situation: Situation) -> Sequence[Hit]:
    found = offers.of_kinds(ground.db, _kinds(slot, situation), situation.project_id, _MOST_ANSWERS)
    return [hit for hit in found if offers.is_of_work(hit.memory, situation.branch, situation.work)]


def _lost(ground: Ground, slot: Slot, situation: Situation) -> Sequence[Hit]:
    return offers.named(ground.db, situation.lost[: slot.most * _WIDER])


_SOURCES: Mapping[str, Callable[[Ground, Slot, Situation], Sequence[Hit]]] = {
    KINDS: _of_kinds,
    SURE: _surest,
    RECIPES: _recipes,
    NAMED: _named,
    ABOUT: _about_files,
    WORK: _of_work,
    LOST: _lost,
}
# Where the candidates of a slot may come from, for whoever writes a layout.
SOURCES = (QUESTION, *_SOURCES, FORESEEN)
