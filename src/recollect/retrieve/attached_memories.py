"""Memories that hang on places in the code: those that bind, those seen in the running application, and the rest."""

from __future__ import annotations

from collections.abc import Mapping

from recollect.model.impact import Linked
from recollect.model.kinds import Kinds
from recollect.model.memory import Memory
from recollect.model.query import Filters
from recollect.model.subject import Subject
from recollect.model.trust import Origin, origin_of
from recollect.model.value import dataclass
from recollect.store.db import Db
from recollect.store.tables import memories, subjects
from recollect.store.tables.subjects import Held

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


def hanging(db: Db, kinds: Kinds, filters: Filters, places: Mapping[str, int]) -> Hanging:
    """The memories about these subjects (each with its distance) that pass the filter."""
    nearest: dict[int, tuple[int, Held]] = {}
    for one in subjects.held(db, places, filters):
        here = (places[one.subject], one)
        known = nearest.get(one.num)
        if known is None or (here[0], one.subject) < (known[0], known[1].subject):
            nearest[one.num] = here
    ranked = [one for _, one in sorted(nearest.values(), key=_worth)]
    binding = {kind.name for kind in kinds if kind.binds}
    running = {kind.name for kind in kinds if kind.seen_running}
    either = binding | running
    sorts = (
        [one for one in ranked if one.kind in binding][:MOST],
        [one for one in ranked if one.kind in running][:MOST],
        [one for one in ranked if one.kind not in either][:MOST],
    )
    whole = memories.by_nums(db, [one.num for sort in sorts for one in sort])
    told = [[_linked(whole[one.num], places[one.subject], one.subject) for one in sort] for sort in sorts]
    confirmed = [one for one in told[0] if _holds(one.memory)]
    unconfirmed = [one for one in told[0] if not _holds(one.memory)]
    return Hanging(
        binding=tuple(confirmed), running=tuple(told[1]), others=tuple([*unconfirmed, *told[2]][:MOST])
    )


def _worth(place: tuple[int, Held]) -> tuple[int, int, int, float, int]:
    depth, one = place
    return (depth, one.stale, -one.verified, -one.confidence, -one.num)


def _linked(memory: Memory, depth: int, subject: str) -> Linked:
    kind, _, name = subject.partition(":")
    return Linked(memory=memory, about=Subject(kind, name), depth=depth)


def _holds(memory: Memory) -> bool:
    return origin_of(memory) is Origin.PERSON and memory.stale_at is None
