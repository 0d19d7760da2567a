"""Taking the label off what needs no review: run when a session begins; running it twice changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from recollect.model.history import Change
from recollect.model.memory import Memory
from recollect.model.review import Confirmed
from recollect.model.trust import confirmed_by_rule
from recollect.model.value import replace
from recollect.store.db import Db
from recollect.store.tables import history, memories, memory_writes, reviews

ACTOR = "recollect"
ACTION = "auto-confirm"


def auto_confirm(db: Db, now: datetime, new_id: Callable[[datetime], str]) -> list[Confirmed]:
    """Confirm by rule what a person stands by, what notes a commit, what is sure and was asked for often."""
    act_id = new_id(now)
    with db.transaction():
        found = [
            Confirmed(memory=memory, why=why)
            for memory in reviews.labelled(db)
            if (why := confirmed_by_rule(memory))
        ]
        return [replace(one, memory=_confirmed(db, one, act_id, now)) for one in found]


def _confirmed(db: Db, one: Confirmed, act_id: str, now: datetime) -> Memory:
    # The rule spares a person the look. It is not their yes, so `verified` stays as it is.
    memory = replace(one.memory, trust=replace(one.memory.trust, needs_review=False), updated_at=now)
    memory_writes.update(db, memories.num_of(db, memory.id), memory)
    history.record(
        db,
        Change(
            memory_id=memory.id,
            act_id=act_id,
            at=now,
            actor=ACTOR,
            action=ACTION,
            why=one.why,
            before={"needs_review": True},
            after={"needs_review": False},
        ),
    )
    return memory
