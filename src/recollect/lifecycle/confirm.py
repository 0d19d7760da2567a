"""Confirming by rule: taking memories off the review list. Running it twice changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from recollect.model.history import MemoryChange
from recollect.model.memory import Memory
from recollect.model.review import ConfirmedMemory
from recollect.model.trust import find_confirming_rule
from recollect.model.value import replace
from recollect.store.db import Db
from recollect.store.tables import history, memories, memory_writes, reviews

ACTOR = "recollect"
ACTION = "auto-confirm"


def auto_confirm(db: Db, now: datetime, new_id: Callable[[datetime], str]) -> list[ConfirmedMemory]:
    """Confirm by rule what a person stands by, what notes a commit, what is sure and was asked for often."""
    act_id = new_id(now)
    with db.transaction():
        confirmed = [
            ConfirmedMemory(memory=memory, why=why)
            for memory in reviews.iterate_labelled(db)
            if (why := find_confirming_rule(memory))
        ]
        return [replace(item, memory=_save_confirmed(db, item, act_id, now)) for item in confirmed]


def _save_confirmed(db: Db, item: ConfirmedMemory, act_id: str, now: datetime) -> Memory:
    # The rule spares a person the look. It is not their yes, so `verified` stays as it is.
    memory = replace(item.memory, trust=replace(item.memory.trust, needs_review=False), updated_at=now)
    memory_writes.update_memory(db, memories.get_num(db, memory.id), memory)
    history.record_change(
        db,
        MemoryChange(
            memory_id=memory.id,
            act_id=act_id,
            at=now,
            actor=ACTOR,
            action=ACTION,
            why=item.why,
            before={"needs_review": True},
            after={"needs_review": False},
        ),
    )
    return memory
