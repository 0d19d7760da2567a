"""A newer memory takes the place of an older one that the same source made: one says so, the other goes out of use."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from recollect.capture.change import changed
from recollect.capture.intake import take_in
from recollect.capture.write_context import Act, Door
from recollect.model.memory import Memory, MemoryDraft, MemoryState
from recollect.model.outcome import Intake, Refused
from recollect.model.relation import Relation, RelationType
from recollect.model.value import replace


class _NotTaken(Exception):
    """Ends the transaction: what would have succeeded was refused, so the older memory stays."""


def succeed(
    door: Door, act: Act, old: Memory, draft: MemoryDraft, *, unlike: AbstractSet[str] = frozenset()
) -> Intake:
    """Offer a draft in place of an older memory; if it is refused, nothing changes. `unlike` is as in `take_in`."""
    link = Relation(type=RelationType.SUPERSEDES, memory_id=old.id)
    try:
        with door.db.transaction():
            # First out of use: two figures for one thing would speak against each other.
            retire(door, act, old)
            [answer] = take_in(door, act, [replace(draft, relations=(*draft.relations, link))], unlike=unlike)
            if isinstance(answer, Refused):
                raise _NotTaken
    except _NotTaken:
        return answer
    return answer


def retire(door: Door, act: Act, old: Memory) -> Memory:
    """Put out of use what does not hold any more."""
    with door.db.transaction():
        return changed(door, act, old, replace(old, state=MemoryState.INACTIVE))
