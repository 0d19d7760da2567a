"""Decay: bringing every memory that ages to the confidence it has now."""

from __future__ import annotations

from collections.abc import Callable

from recollect.lifecycle.upkeep_context import UpkeepContext, begin_upkeep
from recollect.lifecycle.writing import apply_change
from recollect.model.ageing import age_confidence, find_ageing_rule, set_confidence
from recollect.model.memory import Memory, MemoryState
from recollect.model.policy import INACTIVE_BELOW
from recollect.model.value import replace
from recollect.store.tables import memories

PAGE = 200


def decay(
    context: UpkeepContext, after: int, in_time: Callable[[], bool], *, dry_run: bool
) -> tuple[list[Memory], int]:
    """Age what is due from a place on, a page at a time; what changed, and the place to go on from (0: done)."""
    act = begin_upkeep(context, "decay")
    fading = [kind.name for kind in context.kinds if kind.ageing != "none"]
    changed: list[Memory] = []
    while in_time():
        page = memories.list_ageing(context.db, fading, after=after, limit=PAGE)
        if not page:
            return changed, 0
        with context.db.transaction():
            memories_on_page = memories.read_memories(context.db, page).values()
            pairs = [(old, new) for old in memories_on_page if (new := _age_memory(context, old)) is not old]
            for old, new in pairs if not dry_run else ():
                apply_change(context.db, replace(act, why=_explain_ageing(context, old)), old, new)
        changed += [new for _, new in pairs]
        after = page[-1]
    return changed, after


def _age_memory(context: UpkeepContext, memory: Memory) -> Memory:
    worth = age_confidence(memory, context.kinds.of(memory.kind), context.now)
    if worth == memory.confidence:
        return memory
    base = memory.confidence if memory.base_confidence is None else memory.base_confidence
    if memory.state is MemoryState.ACTIVE:
        return replace(set_confidence(memory, worth), base_confidence=base)
    if memory.confidence >= INACTIVE_BELOW:  # superseded or flagged, not faded: its time has stopped
        return memory
    # Only a clock that was put right makes something younger; what faded by it comes back.
    state = MemoryState.ACTIVE if worth >= INACTIVE_BELOW else MemoryState.INACTIVE
    return replace(memory, confidence=worth, base_confidence=base, state=state)


def _explain_ageing(context: UpkeepContext, memory: Memory) -> str:
    since = memory.reinforced_at or memory.created_at
    days = (context.now - since).days
    return (
        f"{days} days since {since:%Y-%m-%d}. {find_ageing_rule(memory, context.kinds.of(memory.kind)).about}"
    )
