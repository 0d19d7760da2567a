"""Candidates for the slots of a layout, by the source each slot names; and the lines that stand before them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from recollect.inject.calibrate import calibrate_answers, calibrate_files
from recollect.inject.citation_format import escape
from recollect.inject.injection import cut_text
from recollect.inject.layout import (
    ABOUT,
    FILE_KINDS,
    FORESEEN,
    KINDS,
    LOST,
    MIN_PROMPT_WORDS,
    NAMED,
    QUESTION,
    RECIPES,
    SAID,
    STANDING,
    SURE,
    WORK,
    Layout,
    Slot,
)
from recollect.model.complexity import GATES, Complexity
from recollect.model.named_things import find_named_things
from recollect.model.phase import Phase
from recollect.model.predicted_file import PredictedFile
from recollect.model.query import Hit
from recollect.model.trust import Origin, origin_of
from recollect.model.value import dataclass
from recollect.retrieve import offers, persons_words
from recollect.retrieve.read_context import ReadContext

_MAX_TASK = 600
_MAX_FILES = 12
# Candidates for each place: some may not speak, some were told before.
_CANDIDATES_PER_PLACE = 4
_MAX_ANSWERS = 30
_OF_CODE = ("file", "symbol")
# Sources that go by the words of a prompt.
_ASK_WORDS = (QUESTION, ABOUT, RECIPES)


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
    predicted_files: Sequence[PredictedFile] = ()


def find_slot_candidates(
    context: Callable[[], ReadContext], layout: Layout, situation: Situation
) -> Mapping[str, Sequence[Hit]]:
    """The candidates of each slot that is open at all, best first."""
    slots = [slot for slot in layout.slots if slot.source != FORESEEN and is_open(slot, situation)]
    if says_little(situation.question):
        slots = [slot for slot in slots if slot.source not in _ASK_WORDS]
    kinds_by_slot = {slot.name: _kinds_of(slot, situation) for slot in slots if slot.source == QUESTION}
    answers = _find_answers(context, situation, kinds_by_slot)
    return {
        slot.name: [hit for hit in answers if hit.memory.kind in kinds_by_slot[slot.name]]
        if slot.name in kinds_by_slot
        else _SOURCES[slot.source](context(), slot, situation)
        for slot in slots
    }


def says_little(question: str) -> bool:
    """Whether a prompt has too few words to tell what is wanted; what it names is looked for all the same."""
    return 0 < len(question.split()) < MIN_PROMPT_WORDS and not find_named_things(question)


def is_open(slot: Slot, situation: Situation) -> bool:
    """Whether a slot is filled at all: in its phase, and for work that is big enough."""
    in_phase = not slot.phases or situation.phase in slot.phases
    return in_phase and (not slot.gate or bool(getattr(GATES[situation.complexity], slot.gate)))


def write_waiting_count(waiting: int) -> str:
    """What waits for a person, as a count for that person."""
    return f"{waiting} {'waits' if waiting == 1 else 'wait'} for review — recollect review" if waiting else ""


def write_task_anchor(first: str, last: str, files: Sequence[str]) -> tuple[str, ...]:
    """What a session is about, for an agent whose conversation was just summarised."""
    lines = (
        [f"[recollect] The task, as it was asked: “{escape(cut_text(first, _MAX_TASK))}”"] if first else []
    )
    if last and last != first:
        lines.append(f"[recollect] Asked last: “{escape(cut_text(last, _MAX_TASK))}”")
    if files:
        lines.append(f"[recollect] Files changed so far: {escape(', '.join(files[:_MAX_FILES]))}")
    return tuple(lines)


def _kinds_of(slot: Slot, situation: Situation) -> tuple[str, ...]:
    return slot.kinds or tuple(kind for kind in situation.kinds if kind not in slot.besides)


def _find_answers(
    context: Callable[[], ReadContext], situation: Situation, kinds_by_slot: Mapping[str, Sequence[str]]
) -> Sequence[Hit]:
    """One search for all slots: reading the question costs more than looking through its answers again."""
    kinds = tuple(dict.fromkeys(kind for slot_kinds in kinds_by_slot.values() for kind in slot_kinds))
    if not situation.question or not kinds:
        return ()
    read_context = context()
    hits = offers.offer_answers(
        read_context,
        situation.question,
        situation.project_id,
        kinds=kinds,
        limit=_MAX_ANSWERS,
        now=situation.now,
        phase=situation.phase,
    )
    likely = _file_probabilities(situation)
    answers = calibrate_answers(hits, by_words=read_context.embedder is None)
    return sorted((_score_by_files(hit, likely) for hit in answers), key=lambda hit: -hit.score)


def _score_by_files(hit: Hit, likely: Mapping[str, float]) -> Hit:
    """What was observed about files is wanted when one of them is opened; how well its words fit tells hardly more."""
    memory = hit.memory
    files = {subject.name.partition("::")[0] for subject in memory.subjects if subject.type in _OF_CODE}
    if not files or memory.kind not in FILE_KINDS or origin_of(memory) is not Origin.OBSERVED:
        return hit
    return offers.to_likely_hit(files, likely, memory)


def _file_probabilities(situation: Situation) -> dict[str, float]:
    return {file.path: probability for file, probability in calibrate_files(situation.predicted_files)}


def _find_newest(context: ReadContext, slot: Slot, situation: Situation) -> Sequence[Hit]:
    return offers.offer_newest(
        context.db, _kinds_of(slot, situation), situation.project_id, slot.most * _CANDIDATES_PER_PLACE
    )


def _find_standing(context: ReadContext, slot: Slot, situation: Situation) -> Sequence[Hit]:
    return persons_words.offer_standing(
        context.db,
        _kinds_of(slot, situation),
        situation.project_id,
        situation.question,
        slot.most * _CANDIDATES_PER_PLACE,
    )


def _find_said(context: ReadContext, slot: Slot, situation: Situation) -> Sequence[Hit]:
    return persons_words.offer_said_about(
        context.db,
        situation.question,
        situation.project_id,
        kinds=_kinds_of(slot, situation),
        limit=slot.most * _CANDIDATES_PER_PLACE,
    )


def _find_surest(context: ReadContext, slot: Slot, situation: Situation) -> Sequence[Hit]:
    return offers.offer_surest(
        context.db,
        _kinds_of(slot, situation),
        situation.project_id,
        slot.sure,
        slot.most * _CANDIDATES_PER_PLACE,
    )


def _find_recipes(context: ReadContext, slot: Slot, situation: Situation) -> Sequence[Hit]:
    if not situation.question:
        return ()
    return offers.offer_recipes(
        context, situation.question, situation.project_id, limit=slot.most, now=situation.now
    )


def _find_about_names(context: ReadContext, slot: Slot, situation: Situation) -> Sequence[Hit]:
    kinds = _kinds_of(slot, situation)
    return offers.offer_about_names(
        context,
        situation.question,
        situation.project_id,
        kinds=kinds,
        limit=slot.most * _CANDIDATES_PER_PLACE,
    )


def _find_about_files(context: ReadContext, slot: Slot, situation: Situation) -> Sequence[Hit]:
    likely, kinds = _file_probabilities(situation), _kinds_of(slot, situation)
    return offers.offer_about_files(
        context.db, likely, situation.project_id, kinds=kinds, limit=slot.most * _CANDIDATES_PER_PLACE
    )


def _find_work_states(context: ReadContext, slot: Slot, situation: Situation) -> Sequence[Hit]:
    states = offers.offer_newest(context.db, _kinds_of(slot, situation), situation.project_id, _MAX_ANSWERS)
    return [hit for hit in states if offers.is_of_work(hit.memory, situation.branch, situation.work)]


def _find_lost(context: ReadContext, slot: Slot, situation: Situation) -> Sequence[Hit]:
    return offers.offer_by_ids(context.db, situation.lost[: slot.most * _CANDIDATES_PER_PLACE])


_SOURCES: Mapping[str, Callable[[ReadContext, Slot, Situation], Sequence[Hit]]] = {
    KINDS: _find_newest,
    SURE: _find_surest,
    STANDING: _find_standing,
    SAID: _find_said,
    RECIPES: _find_recipes,
    NAMED: _find_about_names,
    ABOUT: _find_about_files,
    WORK: _find_work_states,
    LOST: _find_lost,
}
# Where the candidates of a slot may come from, for whoever writes a layout.
SOURCES = (QUESTION, *_SOURCES, FORESEEN)
