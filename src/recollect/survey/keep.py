"""What becomes of what a scan could say: new, refreshed, or left alone; written through the one door."""

from __future__ import annotations

from recollect.capture.intake import take_in
from recollect.capture.supersede import retire, succeed
from recollect.capture.write_context import Act, Door
from recollect.model.memory import Memory, MemoryDraft, MemoryState, Trust
from recollect.model.outcome import AlreadyKnown, Refused
from recollect.model.provenance import Channel, provenance_of
from recollect.model.scope import Scope
from recollect.model.subject import Subject
from recollect.model.survey import Surveyed, SurveyOutcome
from recollect.model.trust import Origin, origin_of
from recollect.model.value import dataclass, field, replace
from recollect.store.tables import memories
from recollect.store.tables.surveys import Survey

CHANGED_MUCH = 0.3
SUMMARY = "summary"
_PUT_AWAY = frozenset({MemoryState.ARCHIVED, MemoryState.INACTIVE})
_TAG = "scan"


@dataclass(frozen=True, slots=True, kw_only=True)
class Saying:
    """One thing to say, as a memory would hold it; a text that a model made of what it read waits for a yes."""

    topic: str
    text: str
    kind: str
    about: tuple[Subject, ...]
    by_model: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """
    A look at one part (empty: the habits): what its files are now, what can be said, or None when too little changed.
    """

    part: str
    seen: frozenset[str]
    before: Survey = field(default_factory=Survey)
    sayings: tuple[Saying, ...] | None = None


def changed_share(before: frozenset[str], now: frozenset[str]) -> float:
    """How many of a part's files are others than they were; a file that only moved is not."""
    return max(len(now - before), len(before - now)) / max(len(now), len(before), 1)


def decided(door: Door, look: Look) -> list[Surveyed]:
    """What would become of each saying of a look, and of what was said before; nothing is written."""
    if look.sayings is None:
        return [
            Surveyed(
                topic=topic,
                text=memory.text,
                outcome=_standing(memory),
                module=look.part,
                memory_id=memory.id,
            )
            for topic, memory_id in look.before.said.items()
            if (memory := memories.by_id(door.db, memory_id)) is not None
        ]
    found = [_decided(door, look, saying) for saying in look.sayings]
    now = {saying.topic for saying in look.sayings}
    return found + [
        Surveyed(
            topic=topic, text=memory.text, outcome=SurveyOutcome.GONE, module=look.part, memory_id=memory.id
        )
        for topic, memory_id in look.before.said.items()
        if topic not in now
        and (memory := memories.by_id(door.db, memory_id)) is not None
        and _standing(memory) is SurveyOutcome.UNCHANGED
    ]


def carried_out(
    door: Door, act: Act, project_id: str, look: Look, plan: list[Surveyed], own: set[str]
) -> tuple[list[Surveyed], Survey | None]:
    """
    Write what was decided; the look to keep, or None when there is nothing to keep of it.

    OWN are the memories of scans of this project, each about a topic of its own; new ones are added to it.
    """
    if look.sayings is None:
        return plan, None
    sayings = {saying.topic: saying for saying in look.sayings}
    done = [_done(door, act, project_id, one, sayings.get(one.topic), own) for one in plan]
    refused = {one.topic for one in done if one.outcome is SurveyOutcome.REFUSED}
    gone = {one.topic for one in done if one.outcome is SurveyOutcome.GONE}
    said = {topic: found for topic, found in look.before.said.items() if topic not in gone}
    said |= {one.topic: one.memory_id for one in done if one.memory_id and one.topic not in gone}
    # What was refused is offered again by the next scan.
    return done, Survey(seen=frozenset() if refused else look.seen, said=said)


def _decided(door: Door, look: Look, saying: Saying) -> Surveyed:
    known = look.before.said.get(saying.topic)
    outcome = SurveyOutcome.NEW if known is None else _beside(door, known, saying.text)
    return Surveyed(topic=saying.topic, text=saying.text, outcome=outcome, module=look.part, memory_id=known)


def _beside(door: Door, memory_id: str, text: str) -> SurveyOutcome:
    memory = memories.by_id(door.db, memory_id)
    if memory is None:
        return SurveyOutcome.PUT_AWAY
    standing = _standing(memory)
    if standing is not SurveyOutcome.UNCHANGED:
        return standing
    return SurveyOutcome.SAME if memory.text == text else SurveyOutcome.REFRESHED


def _standing(memory: Memory) -> SurveyOutcome:
    """What a person did with what was said before, if anything."""
    if memory.state in _PUT_AWAY:
        return SurveyOutcome.PUT_AWAY
    return SurveyOutcome.KEPT if origin_of(memory) is Origin.PERSON else SurveyOutcome.UNCHANGED


def _done(
    door: Door, act: Act, project_id: str, one: Surveyed, saying: Saying | None, own: set[str]
) -> Surveyed:
    if one.outcome is SurveyOutcome.GONE and one.memory_id:
        retire(door, act, memories.get(door.db, one.memory_id))
        return one
    if saying is None or one.outcome not in (SurveyOutcome.NEW, SurveyOutcome.REFRESHED):
        return one
    draft = _draft(saying, project_id)
    if one.outcome is SurveyOutcome.REFRESHED and one.memory_id:
        answer = succeed(door, act, memories.get(door.db, one.memory_id), draft, unlike=own)
    else:
        [answer] = take_in(door, act, [draft], unlike=own)
    if isinstance(answer, Refused):
        return replace(one, outcome=SurveyOutcome.REFUSED, why=answer.reason, memory_id=None)
    own.add(answer.memory.id)
    outcome = SurveyOutcome.KNOWN if isinstance(answer, AlreadyKnown) else one.outcome
    return replace(one, outcome=outcome, memory_id=answer.memory.id)


def _draft(saying: Saying, project_id: str) -> MemoryDraft:
    channel = Channel.READ if saying.by_model else Channel.OBSERVED
    return MemoryDraft(
        text=saying.text,
        kind=saying.kind,
        subjects=saying.about,
        tags=(_TAG,),
        scope=Scope.MODULE,
        project_id=project_id,
        provenance=provenance_of(channel),
        trust=Trust(needs_review=True),
    )
