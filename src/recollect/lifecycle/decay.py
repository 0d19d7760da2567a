"""What time took: every memory that ages is brought to what it is worth now."""

from __future__ import annotations

import json
from collections.abc import Callable

from recollect.lifecycle.upkeep_context import Care, begin
from recollect.lifecycle.writing import applied
from recollect.model.ageing import INACTIVE_BELOW, aged, rule_of, with_confidence
from recollect.model.memory import Memory, MemoryState
from recollect.model.value import replace
from recollect.store.tables import memories

PAGE = 200


def decay(care: Care, after: int, in_time: Callable[[], bool], *, dry_run: bool) -> tuple[list[Memory], int]:
    """Age what is due from a place on, a page at a time; what changed, and the place to go on from (0: done)."""
    act = begin(care, "decay")
    fading = json.dumps([kind.name for kind in care.kinds if kind.ageing != "none"])
    changed: list[Memory] = []
    while in_time():
        page = [row["num"] for row in care.db.rows("ageing_page", after=after, fading=fading, limit=PAGE)]
        if not page:
            return changed, 0
        with care.db.transaction():
            found = memories.by_nums(care.db, page).values()
            pairs = [(old, new) for old in found if (new := _aged(care, old)) is not old]
            for old, new in pairs if not dry_run else ():
                applied(care.db, replace(act, why=_why(care, old)), old, new)
        changed += [new for _, new in pairs]
        after = page[-1]
    return changed, after


def _aged(care: Care, memory: Memory) -> Memory:
    worth = aged(memory, care.kinds.of(memory.kind), care.now)
    if worth == memory.confidence:
        return memory
    base = memory.confidence if memory.base_confidence is None else memory.base_confidence
    if memory.state is MemoryState.ACTIVE:
        return replace(with_confidence(memory, worth), base_confidence=base)
    if memory.confidence >= INACTIVE_BELOW:  # superseded or flagged, not faded: its time has stopped
        return memory
    # Only a clock that was put right makes something younger; what faded by it comes back.
    state = MemoryState.ACTIVE if worth >= INACTIVE_BELOW else MemoryState.INACTIVE
    return replace(memory, confidence=worth, base_confidence=base, state=state)


def _why(care: Care, memory: Memory) -> str:
    since = memory.reinforced_at or memory.created_at
    days = (care.now - since).days
    return f"{days} days since {since:%Y-%m-%d}. {rule_of(memory, care.kinds.of(memory.kind)).about}"
