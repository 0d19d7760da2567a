"""How sure memories are: reinforced when repeated, adjusted by rule, and propagated along relations."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from datetime import datetime, timedelta
from types import MappingProxyType

from recollect.lifecycle.writing import apply_change
from recollect.model.ageing import reinforce_confidence, restart_ageing, shift_confidence, shift_memory
from recollect.model.history import Act, MemoryChange
from recollect.model.memory import Memory, MemoryDraft, MemoryState, RelationType
from recollect.model.provenance import Channel
from recollect.model.value import dataclass, replace
from recollect.store.db import Db
from recollect.store.tables import history, memories, memory_writes


def adjust_confidence(
    db: Db, memory: Memory, confidence: float, *, act_id: str, at: datetime, actor: str, why: str
) -> Memory:
    """The memory with this confidence, and a row of its history."""
    new = replace(memory, confidence=min(1.0, max(0.0, round(confidence, 4))), updated_at=at)
    if new.confidence == memory.confidence:
        return memory
    memory_writes.update_memory(db, memories.get_num(db, memory.id), new)
    history.record_change(
        db,
        MemoryChange(
            memory_id=memory.id,
            act_id=act_id,
            at=at,
            actor=actor,
            action="observed again",
            why=why,
            before={"confidence": memory.confidence},
            after={"confidence": new.confidence},
        ),
    )
    return new


# A target moves by: factor x confidence of the relation x change.
FACTORS = MappingProxyType(
    {
        RelationType.VALIDATES: 0.6,
        RelationType.REQUIRED_WITH: 0.3,
        RelationType.CONFLICTS_WITH: -0.4,
        RelationType.SUPERSEDES: 0.8,
        RelationType.DERIVED_FROM: 0.5,
    }
)
# What moves a target by no more than this is not worth a line in its story.
THRESHOLD = 0.05
MAX_TOUCHED = 64
MAX_RELATIONS = 64


@dataclass(frozen=True, slots=True)
class _Step:
    memory_id: str
    change: float


def propagate_confidence(db: Db, act: Act, old: Memory, new: Memory) -> list[Memory]:
    """Carry a change of confidence on along relations, as part of the act that caused it; what was moved."""
    ripple = replace(act, action="propagate")
    visited = {old.id}
    waiting = deque([_Step(old.id, new.confidence - old.confidence)])
    touched: list[Memory] = []
    while waiting and len(touched) < MAX_TOUCHED:
        for target, change, why in _find_targets(db, waiting.popleft()):
            if target.id in visited or len(touched) == MAX_TOUCHED:
                continue
            visited.add(target.id)
            after = apply_change(db, replace(ripple, why=why), target, shift_memory(target, change))
            touched.append(after)
            waiting.append(_Step(target.id, after.confidence - target.confidence))
    return touched


def _find_targets(db: Db, step: _Step) -> Iterator[tuple[Memory, float, str]]:
    for relation in memories.list_relations_from(db, step.memory_id, MAX_RELATIONS):
        change = FACTORS[relation.type] * relation.confidence * step.change
        if abs(round(change, 6)) <= THRESHOLD:
            continue
        target = memories.find_memory(db, relation.memory_id or "")
        # What a person pinned stands by itself; what is out of use is not brought back by hearsay.
        if target is None or target.pinned or target.state is not MemoryState.ACTIVE:
            continue
        if shift_confidence(target.confidence, change) != target.confidence:
            why = f"{step.memory_id} {relation.type} it and moved by {step.change:+.2f}"
            yield target, change, why


# So many sessions are named; that it was more than this hardly matters.
MAX_SESSIONS = 64
# Said outside any session, it counts once a day.
_DAY = timedelta(days=1)
# Who only hands on what others wrote does not make it any truer.
_HANDED_ON = frozenset({Channel.READ, Channel.VAULT_EXTERNAL, Channel.IMPORT, Channel.PLUGIN})


def reinforce_memory(db: Db, act: Act, memory: Memory, draft: MemoryDraft) -> Memory:
    """A known memory, surer if subject, kind and text agree, this session is another one and the voice may do so."""
    voice = draft.provenance
    if not _is_repetition(memory, draft, act):
        return memory
    confidence = max(
        memory.confidence, min(reinforce_confidence(memory.confidence), max_confidence(memory, voice.channel))
    )
    sessions = memory.sessions
    if voice.session_id and voice.session_id not in sessions:
        sessions = (*sessions, voice.session_id)[-MAX_SESSIONS:]
    where = f"said again in session {voice.session_id}" if voice.session_id else "said again"
    again = replace(act, action="reinforce", why=where)
    new = apply_change(
        db, again, memory, restart_ageing(replace(memory, confidence=confidence, sessions=sessions), act.at)
    )
    propagate_confidence(db, again, memory, new)
    return new


def max_confidence(memory: Memory, channel: Channel) -> float:
    """How sure a memory may become by this voice; the one place to ask."""
    return memory.confidence if channel in _HANDED_ON else 1.0


def _is_repetition(memory: Memory, draft: MemoryDraft, act: Act) -> bool:
    if memory.state is not MemoryState.ACTIVE or not _shares_subject(memory, draft):
        return False
    session = draft.provenance.session_id
    if session is None:
        return act.at - (memory.reinforced_at or memory.created_at) >= _DAY
    return session != memory.provenance.session_id and session not in memory.sessions


def _shares_subject(memory: Memory, draft: MemoryDraft) -> bool:
    return bool(set(memory.subjects) & set(draft.subjects)) or not (memory.subjects or draft.subjects)
