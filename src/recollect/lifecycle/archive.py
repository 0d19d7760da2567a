"""Archiving what is pruned, reviving it, and deleting it for good much later."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta

from recollect.errors import OnlyAPerson
from recollect.lifecycle.upkeep_context import UpkeepContext, begin_upkeep
from recollect.lifecycle.writing import apply_change, remove_memory
from recollect.model.ageing import reactivate
from recollect.model.memory import Memory, MemoryState
from recollect.model.tokens import CHARACTERS_PER_TOKEN
from recollect.model.value import dataclass, replace
from recollect.store.tables import memories, pruning, subjects

# From the day it was pruned: so long a pruned memory can be revived.
KEPT_DAYS = 90
_PAGE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class MemorySize:
    """What memories take up: bytes in the file, and tokens if all of them stood in a prompt."""

    bytes: int
    tokens: int


def archive_memories(
    context: UpkeepContext, candidates: Sequence[tuple[int, str, str]], *, actor: str
) -> list[Memory]:
    """Take memories out of use, given as number, rule and reason; all of them one act."""
    act = begin_upkeep(context, "prune", actor)
    archived: list[Memory] = []
    with context.db.transaction():
        whole = memories.read_memories(context.db, [num for num, _, _ in candidates])
        for num, rule, why in candidates:
            old = whole.get(num)
            if old is None or old.state is MemoryState.ARCHIVED:
                continue
            new = replace(old, state=MemoryState.ARCHIVED)
            archived.append(apply_change(context.db, replace(act, why=why), old, new))
            pruning.record_pruned(context.db, num, context.now, rule)
    return archived


def revive_memories(
    context: UpkeepContext, memory_ids: Sequence[str], *, every: bool, actor: str
) -> list[Memory]:
    """Bring memories back into use, sure enough to stay there: these, or everything that was pruned here."""
    act = begin_upkeep(context, "revive", actor)
    if not act.by_person:
        raise OnlyAPerson(what="bring a memory back into use")
    names = list(memory_ids) or (list_pruned(context) if every else [])
    with context.db.transaction():
        olds = [memories.get_memory(context.db, name) for name in names]
        for old in olds:
            pruning.delete_pruned(context.db, memories.get_num(context.db, old.id))
        return [
            apply_change(context.db, act, old, reactivate(old, context.now))
            for old in olds
            if _is_out_of_use(old)
        ]


def list_pruned(context: UpkeepContext) -> list[str]:
    """What was pruned here and can still come back, newest first."""
    return pruning.list_pruned_ids(context.db, context.project_id, every=context.project_id is None)


def delete_expired(
    context: UpkeepContext, in_time: Callable[[], bool], *, dry_run: bool
) -> tuple[list[str], bool]:
    """Remove for good what was pruned long ago; the ids, and whether that was all."""
    act = begin_upkeep(context, "purge")
    before = context.now - timedelta(days=KEPT_DAYS)
    deleted_ids: list[str] = []
    while in_time():
        page = memories.read_memories(
            context.db, pruning.list_pruned_before(context.db, before, _PAGE)
        ).values()
        deleted_ids += [memory.id for memory in page]
        if dry_run or not page:
            return deleted_ids, True
        with context.db.transaction():
            for memory in page:
                remove_memory(context.db, act, memory)
            subjects.delete_unused_words(context.db)
    return deleted_ids, False


def measure_memories(context: UpkeepContext, nums: Sequence[int]) -> MemorySize:
    """What these memories take up."""
    bytes_used, characters = pruning.measure_size(context.db, list(nums))
    return MemorySize(bytes=bytes_used, tokens=characters // CHARACTERS_PER_TOKEN)


def _is_out_of_use(memory: Memory) -> bool:
    return memory.state in (MemoryState.ARCHIVED, MemoryState.INACTIVE)
