"""Memories that hang on places in the code: those that bind, those seen in the running application, and the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from recollect.model.impact import Linked
from recollect.model.kinds import Kinds
from recollect.model.memory import Memory
from recollect.model.query import Filters
from recollect.model.subject import Subject
from recollect.model.trust import Origin, origin_of
from recollect.store import memories, subjects
from recollect.store.memories import Candidate
from recollect.store.sqlite import SqliteDb

# So many of each sort; a file that a hundred memories are about is not told better by all of them.
MOST = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Hanging:
    """What hangs on some places, the nearest first."""

    binding: tuple[Linked, ...] = ()
    running: tuple[Linked, ...] = ()
    others: tuple[Linked, ...] = ()

    @property
    def everything(self) -> tuple[Linked, ...]:
        """All of them, those that bind first."""
        return (*self.binding, *self.running, *self.others)


def hanging(db: SqliteDb, kinds: Kinds, filters: Filters, places: Mapping[str, int]) -> Hanging:
    """The memories about these subjects (each with its distance) that pass the filter."""
    nearest: dict[int, tuple[int, str]] = {}
    for subject, num in subjects.held(db, places):
        here = (places[subject], subject)
        nearest[num] = min(nearest.get(num, here), here)
    found = memories.candidates(db, nearest, filters)
    binding = {kind.name for kind in kinds if kind.binds}
    running = {kind.name for kind in kinds if kind.seen_running}
    ranked = sorted(found.values(), key=lambda one: (nearest[one.num][0], *_worth(one)))
    sorts = (
        _first(ranked, lambda one: one.kind in binding),
        _first(ranked, lambda one: one.kind in running),
        _first(ranked, lambda one: one.kind not in binding | running),
    )
    whole = memories.by_nums(db, [num for nums in sorts for num in nums])
    told = [[_linked(whole[num], nearest[num]) for num in nums] for nums in sorts]
    confirmed = [one for one in told[0] if _holds(one.memory)]
    unconfirmed = [one for one in told[0] if not _holds(one.memory)]
    return Hanging(
        binding=tuple(confirmed), running=tuple(told[1]), others=tuple([*unconfirmed, *told[2]][:MOST])
    )


def _worth(one: Candidate) -> tuple[bool, int, float, int]:
    return (one.stale_at is not None, -one.verified, -one.confidence, -one.num)


def _first(ranked: Iterable[Candidate], belongs: Callable[[Candidate], bool]) -> list[int]:
    return [one.num for one in ranked if belongs(one)][:MOST]


def _linked(memory: Memory, place: tuple[int, str]) -> Linked:
    depth, subject = place
    kind, _, name = subject.partition(":")
    return Linked(memory=memory, about=Subject(kind, name), depth=depth)


def _holds(memory: Memory) -> bool:
    return origin_of(memory) is Origin.PERSON and memory.stale_at is None
