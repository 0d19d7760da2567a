"""BM25 over numpy arrays, for a long-lived process: all postings are read once, then only what has changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from heapq import nsmallest
from typing import Any, NamedTuple

from recollect.model.bm25 import saturate
from recollect.model.value import dataclass
from recollect.store.db import Db
from recollect.store.search import fulltext
from recollect.store.tables import history, memories

# How soon a term has been said often enough, and how much a long text pays for its length.
K1 = 1.2
LENGTH = 0.5
# What a term counts that stands not in the memory itself but in one just before or after it.
NEARBY = 0.65
# So far the neighbourhood reaches, in memories.
STEPS = (-2, -1, 1, 2)
# In a process that has just started only the best by their own words lend them; what further ones would lend is too
# little to reach the best, and asking for their neighbours takes time.
LENDERS = 2000


@dataclass(frozen=True, slots=True)
class Scale:
    """BM25 without its idf, for texts of so many bytes on average."""

    mean_size: float

    def strength(self, times: Any, size: Any) -> Any:
        """How much a term says for a text that holds it so often, from 0 to 1; for numbers or arrays of them."""
        return saturate(times, size, mean_length=self.mean_size, k1=K1, b=LENGTH)


def pick_best(scores: Mapping[int, float], limit: int) -> list[int]:
    """The best so many; of equal ones the older."""
    return nsmallest(limit, scores, key=lambda num: (-scores[num], num))


# With more memories changed than this, everything is read anew.
_MAX_CHANGED = 1000
_NO_ROOM = 0
# Room for the memories after the last, which nobody has noted yet; the one before the first is the last of these.
_MARGIN = max(STEPS)


class _Holders(NamedTuple):
    """Memories that have to do with a term, and how much it says for each."""

    nums: Any
    strengths: Any


class Bm25Arrays:
    """Terms with the memories that hold them; memories with their size and room, by number."""

    def __init__(self, db: Db) -> None:
        import numpy as np

        self._np = np
        self._db = db
        with db.one_moment():
            self._seen = history.read_last_num(db)
            self._postings = _Postings(np, fulltext.read_occurrences(db))
            self.total = memories.read_highest_num(db)
            self._sizes: Any = np.zeros(self.total + 1 + _MARGIN)
            self._rooms: Any = np.zeros(len(self._sizes), np.int64)
            self._room_nums: dict[str | None, int] = {None: _NO_ROOM}
            self._place(memories.read_all_places(db))
        self._changed: dict[int, fulltext.Times] = {}
        self._holders_by_term: dict[str, _Holders] = {}
        self._near_by_term: dict[str, _Holders] = {}
        self._scale = Scale(self._mean_size())

    def read_on(self) -> bool:
        """Take in what has changed since the last look; False if it is too much, or something is gone."""
        changes = history.list_changes_since(self._db, self._seen)
        if not changes:
            return True
        nums = {num for _, num in changes if num is not None}
        is_gone = any(num is None for _, num in changes)
        if is_gone or len(nums | self._changed.keys()) > _MAX_CHANGED:
            return False
        self._seen = max(seq for seq, _ in changes)
        self.total = memories.read_highest_num(self._db)
        self._grow(self.total + 1 + _MARGIN)
        self._place(memories.read_places(self._db, nums))
        self._changed |= fulltext.count_terms(self._db, nums)
        self._holders_by_term, self._near_by_term = {}, {}
        self._scale = Scale(self._mean_size())
        return True

    def count(self, term: str) -> int:
        """In how many memories a term occurs."""
        return len(self._holders(term).nums)

    def best(self, weights: Mapping[str, float], limit: int) -> dict[int, float]:
        """The memories for which these terms say most, best first."""
        np = self._np
        heard = [self._find_in_neighbourhood(term) for term in weights]
        if not heard:
            return {}
        scores_by_term = [
            weight * holders.strengths for weight, holders in zip(weights.values(), heard, strict=True)
        ]
        total = np.bincount(
            np.concatenate([holders.nums for holders in heard]), np.concatenate(scores_by_term)
        )
        nums = self._choose_best(total, limit)
        scores = total[nums]
        order = np.lexsort((nums, -scores))
        return dict(zip(nums[order].tolist(), scores[order].tolist(), strict=True))

    def holding_all(self, weights: Mapping[str, float]) -> dict[int, float]:
        """The memories that hold every one of these terms themselves."""
        holders_by_term = [self._holders(term) for term in weights]
        strengths_by_term = [
            dict(zip(holders.nums.tolist(), holders.strengths.tolist(), strict=True))
            for holders in holders_by_term
        ]
        shared = set.intersection(*map(set, strengths_by_term)) if strengths_by_term else set()
        pairs = list(zip(weights.values(), strengths_by_term, strict=True))
        return {num: sum(weight * own[num] for weight, own in pairs) for num in shared}

    def _holders(self, term: str) -> _Holders:
        holders = self._holders_by_term.get(term)
        if holders is None:
            nums, times = self._leave_out_unseen(*self._postings.of(term))
            if self._changed:
                nums, times = self._apply_changes(term, nums, times)
            holders = _Holders(nums, self._scale.strength(times, self._sizes[nums]))
            self._holders_by_term[term] = holders
        return holders

    def _leave_out_unseen(self, nums: Any, times: Any) -> tuple[Any, Any]:
        """The index holds the words of all; of those that a person may not see, no size was read."""
        if self._db.viewer is None:
            return nums, times
        sizes = self._sizes[self._np.minimum(nums, len(self._sizes) - 1)]
        return nums[sizes > 0], times[sizes > 0]

    def _apply_changes(self, term: str, nums: Any, times: Any) -> tuple[Any, Any]:
        np = self._np
        same = ~np.isin(nums, np.fromiter(self._changed, np.int64))
        now = {
            num: times_by_term[term] for num, times_by_term in self._changed.items() if term in times_by_term
        }
        return (
            np.concatenate([nums[same], np.fromiter(now, np.int64)]),
            np.concatenate([times[same], np.fromiter(now.values(), np.float64)]),
        )

    def _find_in_neighbourhood(self, term: str) -> _Holders:
        """Who holds a term or stands near one that does, with whichever of the two says more."""
        holders = self._near_by_term.get(term)
        if holders is None:
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
            holders = self._near_by_term[term] = _Holders(near, best[near])
        return holders

    def _choose_best(self, total: Any, limit: int) -> Any:
        """The best so many, in no order; of equal ones the older."""
        np = self._np
        nums = np.flatnonzero(total)
        if len(nums) <= limit:
            return nums
        scores = total[nums]
        worst = np.partition(scores, -limit)[-limit]
        better = nums[scores > worst]
        return np.concatenate([better, nums[scores == worst][: limit - len(better)]])

    def _place(self, places: Mapping[int, memories.MemoryPlace]) -> None:
        nums = list(places)
        self._sizes[nums] = [place.size for place in places.values()]
        room_nums = self._room_nums
        self._rooms[nums] = [room_nums.setdefault(place.room, len(room_nums)) for place in places.values()]

    def _grow(self, size: int) -> None:
        more = size - len(self._sizes)
        if more > 0:
            self._sizes = self._np.pad(self._sizes, (0, more + size // 8))
            self._rooms = self._np.pad(self._rooms, (0, more + size // 8))

    def _mean_size(self) -> float:
        # Few are gone: the newest stand together at the end.
        for looked_at in (2 * memories.MEAN_SAMPLE, self.total):
            latest = self._sizes[max(0, self.total + 1 - looked_at) : self.total + 1]
            newest = latest[latest > 0][-memories.MEAN_SAMPLE :]
            if len(newest) == memories.MEAN_SAMPLE:
                break
        return float(newest.mean()) if len(newest) else 1.0


class _Postings:
    """For every term the memories that hold it and how often, one after the other in two long arrays."""

    def __init__(self, np: Any, occurrences: Iterable[tuple[str, str, str]]) -> None:
        entries = list(occurrences)
        self._row = {term: row for row, (term, _, _) in enumerate(entries)}
        texts = _column(np, [text for _, text, _ in entries], 1.0)
        names = _column(np, [names_text for _, _, names_text in entries], fulltext.SUBJECT_WEIGHT)
        rows, nums, worth = (np.concatenate(both) for both in zip(texts, names, strict=True))
        order = np.lexsort((nums, rows))
        rows, nums, worth = rows[order], nums[order], worth[order]
        fresh = np.flatnonzero(np.diff(rows, prepend=-1) | np.diff(nums, prepend=-1))
        self._nums = nums[fresh]
        self._times = np.add.reduceat(worth, fresh) if len(fresh) else worth
        self._starts = np.searchsorted(rows[fresh], np.arange(len(entries) + 1)).tolist()

    def of(self, term: str) -> tuple[Any, Any]:
        row = self._row.get(term)
        if row is None:
            return self._nums[:0], self._times[:0]
        stretch = slice(self._starts[row], self._starts[row + 1])
        return self._nums[stretch], self._times[stretch]


def _column(np: Any, lists: list[str], worth: float) -> tuple[Any, Any, Any]:
    """Row, memory and worth of each occurrence, from one list of numbers per term."""
    rows = np.repeat(np.arange(len(lists)), [text.count(",") + 1 if text else 0 for text in lists])
    nums = np.fromstring(",".join(filter(None, lists)), np.int64, sep=",")
    return rows, nums, np.full(len(nums), worth)
