"""Two memories that speak against each other: the newer waits beside the older until a person says which holds."""

from __future__ import annotations

from recollect.capture.contradict import Conflict
from recollect.capture.write_context import Act, Door, begin
from recollect.errors import BadInput, OnlyAPerson
from recollect.lifecycle.propagate import propagate
from recollect.lifecycle.writing import applied
from recollect.model.ageing import contradicted, reactivated, restarted
from recollect.model.memory import Memory, MemoryState, Trust
from recollect.model.provenance import Channel
from recollect.model.relation import Relation, RelationType
from recollect.model.value import dataclass, replace
from recollect.store.db import Db
from recollect.store.tables import conflicts, memories

# A person's word is in use at once, however much speaks against it; the review shows both.
_PERSONS = frozenset({Channel.USER, Channel.OPERATOR, Channel.VAULT})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """How a conflict ended: what holds, and what does not any more (none, when both hold)."""

    kept: tuple[Memory, ...]
    dropped: Memory | None = None


def beside(memory: Memory, conflict: Conflict) -> Memory:
    """
    A new memory as it waits beside the one it contradicts.

    The older loses nothing until a person has decided: else whoever contradicts often enough could talk it down.
    """
    against = Relation(type=RelationType.CONFLICTS_WITH, memory_id=conflict.memory.id, auto_extracted=True)
    waits = memory.state is MemoryState.ACTIVE and memory.provenance.channel not in _PERSONS
    return replace(
        memory,
        state=MemoryState.QUARANTINED if waits else memory.state,
        trust=replace(memory.trust, needs_review=True),
        relations=(*memory.relations, against),
    )


def waiting(db: Db) -> list[tuple[Memory, Memory]]:
    """Pairs that wait for a word: the newer, then the older."""
    pairs = conflicts.waiting(db)
    return [(memories.get(db, newer), memories.get(db, older)) for newer, older in pairs]


def settle(door: Door, keep: str, drop: str, *, actor: str, why: str = "") -> Settled:
    """One holds and supersedes the other, which is out of use and less sure; what it bears on follows."""
    act = _begin(door, actor, why)
    with door.db.transaction():
        kept, dropped = _pair(door, keep, drop)
        relations = (*_apart(kept, dropped), Relation(type=RelationType.SUPERSEDES, memory_id=dropped.id))
        winner = reactivated(replace(kept, trust=Trust(verified=True), relations=relations), act.at)
        loser = restarted(
            replace(
                dropped,
                state=MemoryState.INACTIVE,
                confidence=contradicted(dropped.confidence),
                trust=replace(dropped.trust, needs_review=False),
                relations=_apart(dropped, kept),
            ),
            act.at,
        )
        kept_now = applied(door.db, act, kept, winner)
        dropped_now = applied(door.db, act, dropped, loser)
        propagate(door.db, act, dropped, dropped_now)
        return Settled(kept=(kept_now,), dropped=dropped_now)


def keep_both(door: Door, one: str, other: str, *, actor: str, why: str = "") -> Settled:
    """They only seemed to contradict each other: both hold, and neither waits any longer."""
    act = _begin(door, actor, why)
    with door.db.transaction():
        pair = _pair(door, one, other)
        kept = [_freed(door, act, memory, against) for memory, against in (pair, pair[::-1])]
        return Settled(kept=tuple(kept))


def _begin(door: Door, actor: str, why: str) -> Act:
    act = begin(door, "settle", actor, why)
    if not act.by_person:
        raise OnlyAPerson(what="settle which of two memories holds")
    return act


def _freed(door: Door, act: Act, memory: Memory, against: Memory) -> Memory:
    trust = replace(memory.trust, needs_review=False)
    new = replace(memory, trust=trust, relations=_apart(memory, against), state=MemoryState.ACTIVE)
    return applied(door.db, act, memory, new)


def _pair(door: Door, one: str, other: str) -> tuple[Memory, Memory]:
    first, second = memories.get(door.db, one), memories.get(door.db, other)
    if first.id == second.id or not (_speaks_against(first, second) or _speaks_against(second, first)):
        raise BadInput(
            reason=f"{first.id} and {second.id} do not contradict each other; `recollect settle` lists what does"
        )
    return first, second


def _speaks_against(one: Memory, other: Memory) -> bool:
    return any(r.type is RelationType.CONFLICTS_WITH and r.memory_id == other.id for r in one.relations)


def _apart(memory: Memory, other: Memory) -> tuple[Relation, ...]:
    return tuple(
        r for r in memory.relations if not (r.type is RelationType.CONFLICTS_WITH and r.memory_id == other.id)
    )
