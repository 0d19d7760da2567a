"""All words of a store as arrays, for a process that stays: read once, then only what has changed. Needs numpy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from recollect.store.db import Db
from recollect.store.search import fulltext
from recollect.store.search.bm25 import NEARBY, STEPS, Scale
from recollect.store.tables import history, memories

# With more memories changed than this, everything is read anew.
_MOST_CHANGED = 1000
_NO_ROOM = 0
# Room for the memories after the last, which nobody has noted yet; the one before the first is the last of these.
_MARGIN = max(STEPS)


class _Held(NamedTuple):
    """Memories that have to do with a term, and how much it says for each."""

    nums: Any
    strengths: Any


class WordsAtHand:
    """Terms with the memories that hold them; memories with their size and room, by number."""

    def __init__(self, db: Db) -> None:
        import numpy as np

        self._np = np
        self._db = db
        with db.one_moment():
            self._seen = history.last(db)
            self._postings = _Postings(np, fulltext.occurrences(db))
            self.total = memories.highest_num(db)
            self._sizes: Any = np.zeros(self.total + 1 + _MARGIN)
            self._rooms: Any = np.zeros(len(self._sizes), np.int64)
            self._room_nums: dict[str | None, int] = {None: _NO_ROOM}
            self._place(memories.all_places(db))
        self._changed: dict[int, fulltext.Times] = {}
        self._held: dict[str, _Held] = {}
        self._heard: dict[str, _Held] = {}
        self._scale = Scale(self._mean_size())

    def read_on(self) -> bool:
        """Take in what has changed since the last look; False if it is too much, or something is gone."""
        changes = history.changed_since(self._db, self._seen)
        if not changes:
            return True
        nums = {num for _, num in changes if num is not None}
        is_gone = any(num is None for _, num in changes)
        if is_gone or len(nums | self._changed.keys()) > _MOST_CHANGED:
            return False
        self._seen = max(seq for seq, _ in changes)
        self.total = memories.highest_num(self._db)
        self._grow(self.total + 1 + _MARGIN)
        self._place(memories.places(self._db, nums))
        self._changed |= fulltext.times_now(self._db, nums)
        self._held, self._heard = {}, {}
        self._scale = Scale(self._mean_size())
        return True

    def count(self, term: str) -> int:
        """In how many memories a term occurs."""
        return len(self._holders(term).nums)

    def best(self, weights: Mapping[str, float], limit: int) -> dict[int, float]:
        """The memories for which these terms say most, best first."""
        np = self._np
        heard = [self._in_earshot(term) for term in weights]
        if not heard:
            return {}
        said = [weight * one.strengths for weight, one in zip(weights.values(), heard, strict=True)]
        total = np.bincount(np.concatenate([one.nums for one in heard]), np.concatenate(said))
        found = self._chosen(total, limit)
        scores = total[found]
        order = np.lexsort((found, -scores))
        return dict(zip(found[order].tolist(), scores[order].tolist(), strict=True))

    def holding_all(self, weights: Mapping[str, float]) -> dict[int, float]:
        """The memories that hold every one of these terms themselves."""
        held = [self._holders(term) for term in weights]
        said = [dict(zip(one.nums.tolist(), one.strengths.tolist(), strict=True)) for one in held]
        shared = set.intersection(*map(set, said)) if said else set()
        pairs = list(zip(weights.values(), said, strict=True))
        return {num: sum(weight * own[num] for weight, own in pairs) for num in shared}

    def _holders(self, term: str) -> _Held:
        found = self._held.get(term)
        if found is None:
            nums, times = self._postings.of(term)
            if self._changed:
                nums, times = self._as_now(term, nums, times)
            found = _Held(nums, self._scale.strength(times, self._sizes[nums]))
            self._held[term] = found
        return found

    def _as_now(self, term: str, nums: Any, times: Any) -> tuple[Any, Any]:
        np = self._np
        same = ~np.isin(nums, np.fromiter(self._changed, np.int64))
        now = {num: held[term] for num, held in self._changed.items() if term in held}
        return (
            np.concatenate([nums[same], np.fromiter(now, np.int64)]),
            np.concatenate([times[same], np.fromiter(now.values(), np.float64)]),
        )

    def _in_earshot(self, term: str) -> _Held:
        """Who holds a term or stands near one that does, with whichever of the two says more."""
        found = self._heard.get(term)
        if found is None:
            np, rooms, own = self._np, self._rooms, self._holders(term)
            lenders = rooms[own.nums] != _NO_ROOM
            nums, lent = own.nums[lenders], NEARBY * own.strengths[lenders]
            best = np.zeros(len(self._sizes))
            best[own.nums] = own.strengths
            for step in STEPS:
                same = rooms[nums + step] == rooms[nums]
                near = nums[same] + step
                best[near] = np.maximum(best[near], lent[same])
            near = np.flatnonzero(best)
            found = self._heard[term] = _Held(near, best[near])
        return found

    def _chosen(self, total: Any, limit: int) -> Any:
        """The best so many, in no order; of equal ones the older."""
        np = self._np
        nums = np.flatnonzero(total)
        if len(nums) <= limit:
            return nums
        scores = total[nums]
        worst = np.partition(scores, -limit)[-limit]
        better = nums[scores > worst]
        return np.concatenate([better, nums[scores == worst][: limit - len(better)]])

    def _place(self, places: Mapping[int, memories.Place]) -> None:
        nums = list(places)
        self._sizes[nums] = [place.size for place in places.values()]
        known = self._room_nums
        self._rooms[nums] = [known.setdefault(place.room, len(known)) for place in places.values()]

    def _grow(self, size: int) -> None:
        more = size - len(self._sizes)
        if more > 0:
            self._sizes = self._np.pad(self._sizes, (0, more + size // 8))
            self._rooms = self._np.pad(self._rooms, (0, more + size // 8))

    def _mean_size(self) -> float:
        newest = self._sizes[self._np.flatnonzero(self._sizes)[-memories.FOR_A_MEAN :]]
        return float(newest.mean()) if len(newest) else 1.0


class _Postings:
    """For every term the memories that hold it and how often, one after the other in two long arrays."""

    def __init__(self, np: Any, occurrences: Iterable[tuple[str, str, str]]) -> None:
        listed = list(occurrences)
        self._row = {term: row for row, (term, _, _) in enumerate(listed)}
        texts = _column(np, [text for _, text, _ in listed], 1.0)
        names = _column(np, [named for _, _, named in listed], fulltext.AMONG_SUBJECTS)
        rows, nums, worth = (np.concatenate(both) for both in zip(texts, names, strict=True))
        order = np.lexsort((nums, rows))
        rows, nums, worth = rows[order], nums[order], worth[order]
        fresh = np.flatnonzero(np.diff(rows, prepend=-1) | np.diff(nums, prepend=-1))
        self._nums = nums[fresh]
        self._times = np.add.reduceat(worth, fresh) if len(fresh) else worth
        self._starts = np.searchsorted(rows[fresh], np.arange(len(listed) + 1)).tolist()

    def of(self, term: str) -> tuple[Any, Any]:
        row = self._row.get(term)
        if row is None:
            return self._nums[:0], self._times[:0]
        held = slice(self._starts[row], self._starts[row + 1])
        return self._nums[held], self._times[held]


def _column(np: Any, listed: list[str], worth: float) -> tuple[Any, Any, Any]:
    """Row, memory and worth of each occurrence, from one list of numbers per term."""
    rows = np.repeat(np.arange(len(listed)), [text.count(",") + 1 if text else 0 for text in listed])
    nums = np.fromstring(",".join(filter(None, listed)), np.int64, sep=",")
    return rows, nums, np.full(len(nums), worth)
