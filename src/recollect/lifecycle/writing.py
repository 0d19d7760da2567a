"""Changing one memory: the row, its line of history, its index entry; and counting that it was read."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from recollect.model.history import Act
from recollect.model.json_form import changeable_to_json
from recollect.model.memory import Memory
from recollect.store.db import Db
from recollect.store.search import fulltext
from recollect.store.tables import history, memories, memory_writes

# A change to any of these is a change to what the memory is found by.
_INDEXED = frozenset({"text", "about", "tags"})


def apply_change(db: Db, act: Act, old: Memory, new: Memory) -> Memory:
    """Make a memory what this value says, as part of an act; the memory as it is now."""
    before, after = _difference(old, new)
    if not after:
        return old
    num = memories.get_num(db, old.id)
    memory_writes.update_memory(db, num, new)
    history.record_act(db, act, old.id, before, after)
    if not _INDEXED.isdisjoint(after):
        fulltext.index_memory(db, num, new)
    return new


def remove_memory(db: Db, act: Act, memory: Memory) -> None:
    """Remove a memory for good, with its story; only the fact of it is kept."""
    num = memories.get_num(db, memory.id)
    fulltext.unindex_memory(db, num)
    memory_writes.delete_memory(db, memory.id)
    history.record_act(db, act, memory.id, {}, {})


def _difference(old: Memory, new: Memory) -> tuple[dict[str, object], dict[str, object]]:
    before, after = changeable_to_json(old), changeable_to_json(new)
    changed = [name for name in before if before[name] != after[name]]
    return {name: before[name] for name in changed}, {name: after[name] for name in changed}


def record_access(db: Db, counts: Mapping[str, int], at: datetime) -> None:
    """These were asked for and shown, so often. A store that cannot be written goes without."""
    if counts and not db.read_only:
        with db.transaction():
            memory_writes.record_accesses(db, counts, at)
