"""Changing a memory on behalf of no person, with a row of history that can be undone like any other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from recollect.model.history import Change
from recollect.model.json_form import changeable_to_json
from recollect.model.memory import Memory
from recollect.store import fulltext, history, memories, memory_writes
from recollect.store.db import Db


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """One thing that happens to memories by itself; undo takes it back as a whole."""

    id: str
    at: datetime
    actor: str
    action: str
    why: str = ""


def rewrite(db: Db, act: Act, old: Memory, new: Memory) -> Memory:
    """Make OLD what NEW says, in the open transaction; nothing is left behind when nothing differs."""
    before, after = changeable_to_json(old), changeable_to_json(new)
    changed = [name for name in before if before[name] != after[name]]
    if not changed:
        return old
    new = replace(new, updated_at=act.at)
    num = memories.num_of(db, old.id)
    memory_writes.update(db, num, new)
    history.record(
        db,
        Change(
            memory_id=old.id,
            act_id=act.id,
            at=act.at,
            actor=act.actor,
            action=act.action,
            why=act.why,
            before={name: before[name] for name in changed},
            after={name: after[name] for name in changed},
        ),
    )
    if "about" in changed:
        fulltext.file(db, num, new)
    return new
