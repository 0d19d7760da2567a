"""What the tests of upkeep share: memories put in place, and their stories read back."""

from __future__ import annotations

from typing import Any

from recollect import Memory, Recollect, Remembered
from recollect.model.memory import Relation, RelationType


def remembered(memory: Recollect, text: str, **details: Any) -> Memory:
    """Something new, as it was kept."""
    answer = memory.remember(text, **details)
    assert isinstance(answer, Remembered), answer
    return answer.memory


def relate(
    memory: Recollect, one: Memory, kind: RelationType, other: Memory, confidence: float = 1.0
) -> None:
    """One memory bears on another."""
    relations = memory.show(one.id).relations
    told = [*relations, Relation(type=kind, memory_id=other.id, confidence=confidence)]
    memory.edit(
        one.id,
        relations=[{"type": str(r.type), "memory_id": r.memory_id, "confidence": r.confidence} for r in told],
    )


def actions(memory: Recollect, memory_id: str) -> list[str]:
    """What happened to a memory, in order."""
    return [change.action for change in memory.history(memory_id)]
