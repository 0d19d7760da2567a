"""What somebody made of a memory when they met it: it helped, it was in the way, it is wrong."""

from __future__ import annotations

from recollect.capture import review
from recollect.capture.write_context import Door, begin
from recollect.lifecycle.propagate import propagate
from recollect.lifecycle.writing import applied
from recollect.model.ageing import contradicted, restarted
from recollect.model.memory import Memory, MemoryState
from recollect.model.value import replace
from recollect.store.tables import memories

WRONG = "wrong"


def judge(door: Door, memory_id: str, *, useful: bool, actor: str, why: str = "") -> Memory:
    """Count that a memory helped, or was in the way. It ranks a little higher or lower; its confidence stays."""
    act = begin(door, "useful" if useful else "noise", actor, why)
    with door.db.transaction():
        old = memories.get(door.db, memory_id)
        new = replace(old, useful=old.useful + useful, noise=old.noise + (not useful))
        return applied(door.db, act, old, new)


def flag(door: Door, memory_id: str, reason: str, *, actor: str, why: str = "") -> Memory:
    """
    It is wrong, or outdated. A person's word takes it out of use.

    An agent's "wrong" is the flag of a review: silent until a person has looked. Its "outdated" asks for that look.
    """
    act = begin(door, reason, actor, why)
    if reason == WRONG and not act.by_person:
        [flagged] = review.flag(door, [memory_id], actor=actor, why=why)
        return flagged
    with door.db.transaction():
        old = memories.get(door.db, memory_id)
        if not act.by_person:
            return applied(door.db, act, old, replace(old, trust=replace(old.trust, needs_review=True)))
        new = restarted(
            replace(old, confidence=contradicted(old.confidence), state=MemoryState.INACTIVE), act.at
        )
        now = applied(door.db, act, old, new)
        propagate(door.db, act, old, now)
        return now
