"""Decides what becomes of each statement of a scan (new, refreshed, left alone) and writes it through capture."""

from __future__ import annotations

from recollect.capture.change import retire_memory, supersede
from recollect.capture.intake import take_in
from recollect.capture.write_context import Act, WriteContext
from recollect.model.memory import AlreadyKnown, Memory, MemoryDraft, MemoryState, Refused, Trust
from recollect.model.provenance import Channel, provenance_of
from recollect.model.scope import Scope
from recollect.model.subject import Subject
from recollect.model.survey import SurveyItem, SurveyOutcome
from recollect.model.trust import Origin, origin_of
from recollect.model.value import dataclass, field, replace
from recollect.store.tables import memories
from recollect.store.tables.surveys import Survey

CHANGED_MUCH = 0.3
SUMMARY = "summary"
_PUT_AWAY = frozenset({MemoryState.ARCHIVED, MemoryState.INACTIVE})
_TAG = "scan"


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One statement, as a memory would hold it; what a model or a file put into words waits for a person's yes."""

    topic: str
    text: str
    kind: str
    about: tuple[Subject, ...]
    waits: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PartReview:
    """
    A look at one part (empty: the habits): what its files are now, what can be said, or None when too little changed.
    """

    part: str
    seen: frozenset[str]
    before: Survey = field(default_factory=Survey)
    statements: tuple[Statement, ...] | None = None


def measure_changed_share(before: frozenset[str], now: frozenset[str]) -> float:
    """Share of a part's files that changed; a file that only moved does not count."""
    return max(len(now - before), len(before - now)) / max(len(now), len(before), 1)


def decide_outcomes(door: WriteContext, review: PartReview) -> list[SurveyItem]:
    """The outcome of each statement of a review, and of earlier statements; nothing is written."""
    if review.statements is None:
        return [
            SurveyItem(
                topic=topic,
                text=memory.text,
                outcome=_judgement_of_person(memory),
                module=review.part,
                memory_id=memory.id,
            )
            for topic, memory_id in review.before.said.items()
            if (memory := memories.find_memory(door.db, memory_id)) is not None
        ]
    outcomes = [_decide(door, review, statement) for statement in review.statements]
    now = {statement.topic for statement in review.statements}
    return outcomes + [
        SurveyItem(
            topic=topic, text=memory.text, outcome=SurveyOutcome.GONE, module=review.part, memory_id=memory.id
        )
        for topic, memory_id in review.before.said.items()
        if topic not in now
        and (memory := memories.find_memory(door.db, memory_id)) is not None
        and _judgement_of_person(memory) is SurveyOutcome.UNCHANGED
    ]


def write_outcomes(
    door: WriteContext, act: Act, project_id: str, review: PartReview, plan: list[SurveyItem], own: set[str]
) -> tuple[list[SurveyItem], Survey | None]:
    """
    Write the outcomes; the survey to store, or None when there is nothing to store.

    OWN are the memories of scans of this project, each about a topic of its own; new ones are added to it.
    """
    if review.statements is None:
        return plan, None
    statements = {statement.topic: statement for statement in review.statements}
    outcomes = [_carry_out(door, act, project_id, one, statements.get(one.topic), own) for one in plan]
    refused = {one.topic for one in outcomes if one.outcome is SurveyOutcome.REFUSED}
    gone = {one.topic for one in outcomes if one.outcome is SurveyOutcome.GONE}
    stated = {topic: memory_id for topic, memory_id in review.before.said.items() if topic not in gone}
    stated |= {one.topic: one.memory_id for one in outcomes if one.memory_id and one.topic not in gone}
    # What was refused is offered again by the next scan.
    return outcomes, Survey(seen=frozenset() if refused else review.seen, said=stated)


def _decide(door: WriteContext, review: PartReview, statement: Statement) -> SurveyItem:
    memory_id = review.before.said.get(statement.topic)
    outcome = (
        SurveyOutcome.NEW if memory_id is None else _compare_with_stored(door, memory_id, statement.text)
    )
    return SurveyItem(
        topic=statement.topic, text=statement.text, outcome=outcome, module=review.part, memory_id=memory_id
    )


def _compare_with_stored(door: WriteContext, memory_id: str, text: str) -> SurveyOutcome:
    memory = memories.find_memory(door.db, memory_id)
    if memory is None:
        return SurveyOutcome.PUT_AWAY
    standing = _judgement_of_person(memory)
    if standing is not SurveyOutcome.UNCHANGED:
        return standing
    return SurveyOutcome.SAME if memory.text == text else SurveyOutcome.REFRESHED


def _judgement_of_person(memory: Memory) -> SurveyOutcome:
    """What a person did with the earlier statement, if anything."""
    if memory.state in _PUT_AWAY:
        return SurveyOutcome.PUT_AWAY
    return SurveyOutcome.KEPT if origin_of(memory) is Origin.PERSON else SurveyOutcome.UNCHANGED


def _carry_out(
    door: WriteContext, act: Act, project_id: str, one: SurveyItem, statement: Statement | None, own: set[str]
) -> SurveyItem:
    if one.outcome is SurveyOutcome.GONE and one.memory_id:
        retire_memory(door, act, memories.get_memory(door.db, one.memory_id))
        return one
    if statement is None or one.outcome not in (SurveyOutcome.NEW, SurveyOutcome.REFRESHED):
        return one
    draft = _make_draft(statement, project_id)
    if one.outcome is SurveyOutcome.REFRESHED and one.memory_id:
        answer = supersede(door, act, memories.get_memory(door.db, one.memory_id), draft, unlike=own)
    else:
        [answer] = take_in(door, act, [draft], unlike=own)
    if isinstance(answer, Refused):
        return replace(one, outcome=SurveyOutcome.REFUSED, why=answer.reason, memory_id=None)
    own.add(answer.memory.id)
    outcome = SurveyOutcome.KNOWN if isinstance(answer, AlreadyKnown) else one.outcome
    return replace(one, outcome=outcome, memory_id=answer.memory.id)


def _make_draft(statement: Statement, project_id: str) -> MemoryDraft:
    channel = Channel.READ if statement.waits else Channel.OBSERVED
    return MemoryDraft(
        text=statement.text,
        kind=statement.kind,
        subjects=statement.about,
        tags=(_TAG,),
        scope=Scope.MODULE,
        project_id=project_id,
        provenance=provenance_of(channel),
        trust=Trust(needs_review=True),
    )
