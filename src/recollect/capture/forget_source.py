"""Forgetting a source: everything that came from it, and everything that was made of that."""

from __future__ import annotations

from recollect.capture import change
from recollect.capture.write_context import Door
from recollect.model.memory import MemoryState
from recollect.model.source_name import Derived, Forgotten, SourceName
from recollect.store.tables import lineage, memories


def find_source(door: Door, source: SourceName, project_id: str | None, *, every_project: bool) -> Forgotten:
    """Everything from a source and what was derived from it, over any depth; nothing is changed."""
    own = lineage.from_source(door.db, source, project_id, every_project=every_project)
    steps = lineage.descendants(door.db, own)
    derived = ((memories.get(door.db, name), far) for name, far in steps.items() if name not in set(own))
    return Forgotten(
        source=source,
        own=tuple(memories.get(door.db, name) for name in own),
        derived=tuple(
            Derived(memory=memory, steps=far)
            for memory, far in derived
            if memory.state is not MemoryState.ARCHIVED
        ),
    )


def forget_source(
    door: Door,
    source: SourceName,
    project_id: str | None,
    *,
    every_project: bool,
    purge: bool,
    actor: str,
    why: str = "",
) -> Forgotten:
    """Take everything from a source out of use, with what was derived from it, as one act; or remove it for good."""
    with door.db.transaction():
        found = find_source(door, source, project_id, every_project=every_project)
        ids = [memory.id for memory in found.memories]
        if ids and not purge:
            reason = f"everything from {source}" + (f": {why}" if why else "")
            change.set_state(door, ids, MemoryState.ARCHIVED, action="forget", actor=actor, why=reason)
    if ids and purge:
        change.purge(door, ids, actor=actor)
    return found
