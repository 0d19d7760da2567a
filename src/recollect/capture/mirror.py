"""Memories of a server as they are there: kept, changed and dropped here without a judgement of their own."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.capture.write_context import WriteContext, embed_texts
from recollect.model.memory import Memory
from recollect.model.value import dataclass, replace
from recollect.store.search import fulltext, vectors
from recollect.store.tables import memories, memory_writes


@dataclass(frozen=True, slots=True, kw_only=True)
class Mirrored:
    """What it took to say the same."""

    added: int = 0
    changed: int = 0
    dropped: int = 0


def make_mirror(context: WriteContext, shown: Sequence[Memory], project_id: str | None) -> Mirrored:
    """
    Make the store say what the server says of a project and of all projects; inside a transaction of the caller.

    A project has its own id here. Memories of other projects stay as they were mirrored last.
    """
    known = {
        memory.id: memory for memory in memories.iterate_memories(context.db, project_id, every_project=False)
    }
    ids = {memory.id for memory in shown}
    wanted = [_as_here(memory, project_id, ids) for memory in shown]
    gone = known.keys() - ids
    for memory_id in gone:
        fulltext.unindex_memory(context.db, memories.get_num(context.db, memory_id))
        memory_writes.delete_memory(context.db, memory_id)
    fresh = [memory for memory in wanted if memory.id not in known]
    changed = [memory for memory in wanted if memory.id in known and _differs(known[memory.id], memory)]
    # A relation may point to one that comes later.
    for memory in fresh:
        _add(context, replace(memory, relations=()))
    for memory in (*(one for one in fresh if one.relations), *changed):
        num = memories.get_num(context.db, memory.id)
        memory_writes.update_memory(context.db, num, memory)
        fulltext.index_memory(context.db, num, memory)
    return Mirrored(added=len(fresh), changed=len(changed), dropped=len(gone))


def _add(context: WriteContext, memory: Memory) -> None:
    (num,) = memory_writes.insert_memories(context.db, [memory])
    if context.kinds.of(memory.kind).embedded:
        (embedding,), _ = embed_texts(context, [memory.text])
        if embedding is not None:
            vectors.add_vectors(context.db, context.model, {num: embedding})
    fulltext.index_memory(context.db, num, memory)


def _as_here(memory: Memory, project_id: str | None, ids: set[str]) -> Memory:
    return replace(
        memory,
        project_id=project_id if memory.project_id is not None else None,
        relations=tuple(one for one in memory.relations if not one.memory_id or one.memory_id in ids),
    )


def _differs(old: Memory, new: Memory) -> bool:
    """Whether something changed that is told; how often it was asked for is not."""
    uncounted = {"last_accessed_at": None, "access_count": 0, "owner": None}
    return replace(old, **uncounted) != replace(new, **uncounted)  # type: ignore[arg-type]
