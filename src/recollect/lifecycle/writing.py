"""One change to one memory: the row, its line of history, and the index when it is found by other words."""

from __future__ import annotations

from recollect.model.history import Act
from recollect.model.json_form import changeable_to_json
from recollect.model.memory import Memory
from recollect.store.db import Db
from recollect.store.search import fulltext
from recollect.store.tables import history, memories, memory_writes

# A change to any of these is a change to what the memory is found by.
_INDEXED = frozenset({"text", "about", "tags"})


def applied(db: Db, act: Act, old: Memory, new: Memory) -> Memory:
    """Make a memory what this value says, as part of an act; the memory as it is now."""
    before, after = _difference(old, new)
    if not after:
        return old
    num = memories.num_of(db, old.id)
    memory_writes.update(db, num, new)
    history.note_act(db, act, old.id, before, after)
    if not _INDEXED.isdisjoint(after):
        fulltext.file(db, num, new)
    return new


def remove(db: Db, act: Act, memory: Memory) -> None:
    """Remove a memory for good, with its story; only the fact of it is kept."""
    num = memories.num_of(db, memory.id)
    fulltext.remove(db, num)
    memory_writes.delete(db, memory.id)
    history.note_act(db, act, memory.id, {}, {})


def _difference(old: Memory, new: Memory) -> tuple[dict[str, object], dict[str, object]]:
    before, after = changeable_to_json(old), changeable_to_json(new)
    changed = [name for name in before if before[name] != after[name]]
    return {name: before[name] for name in changed}, {name: after[name] for name in changed}
