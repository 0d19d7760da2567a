"""Making an observed memory more or less sure by a fixed rule: seen again elsewhere, or seen otherwise."""

from __future__ import annotations

from datetime import datetime

from recollect.model.history import Change
from recollect.model.memory import Memory
from recollect.model.value import replace
from recollect.store.db import Db
from recollect.store.tables import history, memories, memory_writes


def made_sure(
    db: Db, memory: Memory, confidence: float, *, act_id: str, at: datetime, actor: str, why: str
) -> Memory:
    """The memory with this confidence, and a row of its history."""
    new = replace(memory, confidence=min(1.0, max(0.0, round(confidence, 4))), updated_at=at)
    if new.confidence == memory.confidence:
        return memory
    memory_writes.update(db, memories.num_of(db, memory.id), new)
    history.record(
        db,
        Change(
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
