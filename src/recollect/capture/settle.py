"""Settling contradictions: the newer memory waits beside the older until a person says which holds."""

from __future__ import annotations

from recollect.capture.contradict import Conflict
from recollect.capture.write_context import Act, WriteContext, begin_act
from recollect.errors import BadInput, OnlyAPerson
from recollect.lifecycle.confidence import propagate_confidence
from recollect.lifecycle.writing import apply_change
from recollect.model.ageing import contradict_confidence, reactivate, restart_ageing
from recollect.model.memory import Memory, MemoryState, Relation, RelationType, Trust
from recollect.model.provenance import Channel
from recollect.model.value import dataclass, replace
from recollect.store.db import Db
from recollect.store.tables import memories, reviews

# A person's word is in use at once, however much speaks against it; the review shows both.
_PERSONS = frozenset({Channel.USER, Channel.OPERATOR, Channel.VAULT})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """How a conflict ended: what holds, and what does not any more (none, when both hold)."""

    kept: tuple[Memory, ...]
    dropped: Memory | None = None


def wait_beside(memory: Memory, conflict: Conflict) -> Memory:
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


def list_conflicts(db: Db) -> list[tuple[Memory, Memory]]:
    """Pairs that wait for a word: the newer, then the older."""
    pairs = reviews.list_conflicts(db)
    known = [(memories.find_memory(db, newer), memories.find_memory(db, older)) for newer, older in pairs]
    # Of what several people share, one side of a pair may be somebody's own.
    return [(newer, older) for newer, older in known if newer and older]


def settle(context: WriteContext, keep: str, drop: str, *, actor: str, why: str = "") -> Settled:
    """One holds and supersedes the other, which is out of use and less sure; what it bears on follows."""
    act = _begin_settling(context, actor, why)
    with context.db.transaction():
        winning, dropped = _read_pair(context, keep, drop)
        relations = (
            *_drop_conflict(winning, dropped),
            Relation(type=RelationType.SUPERSEDES, memory_id=dropped.id),
        )
        winner = reactivate(replace(winning, trust=Trust(verified=True), relations=relations), act.at)
        loser = restart_ageing(
            replace(
                dropped,
                state=MemoryState.INACTIVE,
                confidence=contradict_confidence(dropped.confidence),
                trust=replace(dropped.trust, needs_review=False),
                relations=_drop_conflict(dropped, winning),
            ),
            act.at,
        )
        kept_now = apply_change(context.db, act, winning, winner)
        dropped_now = apply_change(context.db, act, dropped, loser)
        propagate_confidence(context.db, act, dropped, dropped_now)
        return Settled(kept=(kept_now,), dropped=dropped_now)


def keep_both(context: WriteContext, one: str, other: str, *, actor: str, why: str = "") -> Settled:
    """They only seemed to contradict each other: both hold, and neither waits any longer."""
    act = _begin_settling(context, actor, why)
    with context.db.transaction():
        pair = _read_pair(context, one, other)
        freed = [_free(context, act, memory, against) for memory, against in (pair, pair[::-1])]
        return Settled(kept=tuple(freed))


def _begin_settling(context: WriteContext, actor: str, why: str) -> Act:
    act = begin_act(context, "settle", actor, why)
    if not act.by_person:
        raise OnlyAPerson(what="settle which of two memories holds")
    return act


def _free(context: WriteContext, act: Act, memory: Memory, against: Memory) -> Memory:
    trust = replace(memory.trust, needs_review=False)
    new = replace(memory, trust=trust, relations=_drop_conflict(memory, against), state=MemoryState.ACTIVE)
    return apply_change(context.db, act, memory, new)


def _read_pair(context: WriteContext, one: str, other: str) -> tuple[Memory, Memory]:
    first, second = memories.get_memory(context.db, one), memories.get_memory(context.db, other)
    if first.id == second.id or not (_contradicts(first, second) or _contradicts(second, first)):
        raise BadInput(
            reason=f"{first.id} and {second.id} do not contradict each other; `recollect settle` lists what does"
        )
    return first, second


def _contradicts(one: Memory, other: Memory) -> bool:
    return any(r.type is RelationType.CONFLICTS_WITH and r.memory_id == other.id for r in one.relations)


def _drop_conflict(memory: Memory, other: Memory) -> tuple[Relation, ...]:
    return tuple(
        r for r in memory.relations if not (r.type is RelationType.CONFLICTS_WITH and r.memory_id == other.id)
    )
