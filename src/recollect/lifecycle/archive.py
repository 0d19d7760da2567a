"""Out of use and back: what is pruned is archived first, can be revived, and goes for good much later."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta

from recollect.errors import OnlyAPerson
from recollect.lifecycle.upkeep_context import Care, begin
from recollect.lifecycle.writing import applied, remove
from recollect.model.ageing import reactivated
from recollect.model.memory import Memory, MemoryState
from recollect.model.tokens import CHARACTERS_PER_TOKEN
from recollect.model.value import dataclass, replace
from recollect.store.tables import memories, pruning

# From the day it was pruned: so long a pruned memory can be revived.
KEPT_DAYS = 90
_PAGE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """What memories take up: bytes in the file, and tokens if all of them stood in a prompt."""

    bytes: int
    tokens: int


def archive(care: Care, found: Sequence[tuple[int, str, str]], *, actor: str) -> list[Memory]:
    """Take memories out of use, given as number, rule and reason; all of them one act."""
    act = begin(care, "prune", actor)
    done: list[Memory] = []
    with care.db.transaction():
        whole = memories.by_nums(care.db, [num for num, _, _ in found])
        for num, rule, why in found:
            old = whole.get(num)
            if old is None or old.state is MemoryState.ARCHIVED:
                continue
            new = replace(old, state=MemoryState.ARCHIVED)
            done.append(applied(care.db, replace(act, why=why), old, new))
            pruning.put(care.db, num, care.now, rule)
    return done


def revive(care: Care, memory_ids: Sequence[str], *, every: bool, actor: str) -> list[Memory]:
    """Bring memories back into use, sure enough to stay there: these, or everything that was pruned here."""
    act = begin(care, "revive", actor)
    if not act.by_person:
        raise OnlyAPerson(what="bring a memory back into use")
    names = list(memory_ids) or (pruned(care) if every else [])
    with care.db.transaction():
        olds = [memories.get(care.db, name) for name in names]
        for old in olds:
            pruning.take_out(care.db, memories.num_of(care.db, old.id))
        return [applied(care.db, act, old, reactivated(old, care.now)) for old in olds if _is_out(old)]


def pruned(care: Care) -> list[str]:
    """What was pruned here and can still come back, newest first."""
    return pruning.ids(care.db, care.project_id, every=care.project_id is None)


def let_go(care: Care, in_time: Callable[[], bool], *, dry_run: bool) -> tuple[list[str], bool]:
    """Remove for good what was pruned long ago; the ids, and whether that was all."""
    act = begin(care, "purge")
    before = care.now - timedelta(days=KEPT_DAYS)
    gone: list[str] = []
    while in_time():
        page = memories.by_nums(care.db, pruning.before(care.db, before, _PAGE)).values()
        gone += [memory.id for memory in page]
        if dry_run or not page:
            return gone, True
        with care.db.transaction():
            for memory in page:
                remove(care.db, act, memory)
            care.db.run("subject_words_orphaned")
    return gone, False


def size(care: Care, nums: Sequence[int]) -> Size:
    """What these memories take up."""
    taken, characters = pruning.size(care.db, list(nums))
    return Size(bytes=taken, tokens=characters // CHARACTERS_PER_TOKEN)


def _is_out(memory: Memory) -> bool:
    return memory.state in (MemoryState.ARCHIVED, MemoryState.INACTIVE)
