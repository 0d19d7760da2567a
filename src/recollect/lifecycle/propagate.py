"""What a change of one memory's confidence does to those it bears on."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from types import MappingProxyType

from recollect.lifecycle.writing import applied
from recollect.model.ageing import moved, shifted
from recollect.model.history import Act
from recollect.model.memory import Memory, MemoryState
from recollect.model.relation import RelationType
from recollect.model.value import dataclass, replace
from recollect.store.db import Db
from recollect.store.tables import memories

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
MOST_TOUCHED = 64
MOST_RELATIONS = 64


@dataclass(frozen=True, slots=True)
class _Step:
    memory_id: str
    change: float


def propagate(db: Db, act: Act, old: Memory, new: Memory) -> list[Memory]:
    """Carry a change of confidence on along relations, as part of the act that caused it; what was moved."""
    ripple = replace(act, action="propagate")
    seen = {old.id}
    waiting = deque([_Step(old.id, new.confidence - old.confidence)])
    touched: list[Memory] = []
    while waiting and len(touched) < MOST_TOUCHED:
        for target, change, why in _targets(db, waiting.popleft()):
            if target.id in seen or len(touched) == MOST_TOUCHED:
                continue
            seen.add(target.id)
            after = applied(db, replace(ripple, why=why), target, shifted(target, change))
            touched.append(after)
            waiting.append(_Step(target.id, after.confidence - target.confidence))
    return touched


def _targets(db: Db, step: _Step) -> Iterator[tuple[Memory, float, str]]:
    for row in db.rows("relations_from", id=step.memory_id, limit=MOST_RELATIONS):
        kind = RelationType(row["type"])
        change = FACTORS[kind] * row["confidence"] * step.change
        if abs(round(change, 6)) <= THRESHOLD:
            continue
        target = memories.by_id(db, row["target_memory_id"])
        # What a person pinned stands by itself; what is out of use is not brought back by hearsay.
        if target is None or target.pinned or target.state is not MemoryState.ACTIVE:
            continue
        if moved(target.confidence, change) != target.confidence:
            why = f"{step.memory_id} {kind} it and moved by {step.change:+.2f}"
            yield target, change, why
