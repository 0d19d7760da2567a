"""
BM25 over the terms of the full-text index, and the terms of a question.

A short memory belongs to what was noted just before and after it in its session: a term that it lacks counts almost as
much when a neighbour has it.

There are two ways with the same result: a process that has just started reads the index's own tables, a long-lived one
keeps arrays in memory from the second search on (`bm25_arrays.py`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import chain

from recollect.model.value import dataclass
from recollect.store.db import Db
from recollect.store.search import fulltext
from recollect.store.search.bm25_arrays import LENDERS, NEARBY, STEPS, Bm25Arrays, Scale, pick_best
from recollect.store.tables import memories

# Reading all words takes as long as one search for so many memories; a short process makes only one.
SEARCHES_PER = 5000
# Terms that occur more often than this together are ranked by SQLite first: reading all of them takes a second.
MAX_OCCURRENCES = 20_000

Scores = dict[int, float]


class WordIndex:
    """The words of a store, ready to be searched."""

    def __init__(self, db: Db) -> None:
        self._db = db
        self._searches = 0
        self._version = (-1, -1)
        self._rollbacks = db.rollbacks
        self._arrays: Bm25Arrays | None = None
        self._counts: dict[str, int] = {}

    @property
    def total(self) -> int:
        """About how many memories there are."""
        arrays = self._get_arrays()
        return arrays.total if arrays else memories.read_highest_num(self._db)

    def counts(self, terms: Iterable[str]) -> dict[str, int]:
        """In how many memories each of these index terms occurs, 0 for strangers."""
        terms_listed = list(terms)
        if arrays := self._get_arrays():
            return {term: arrays.count(term) for term in terms_listed}
        unknown = [term for term in terms_listed if term not in self._counts]
        if unknown:
            self._counts |= dict.fromkeys(unknown, 0) | fulltext.count_holders(self._db, unknown)
        return {term: self._counts[term] for term in terms_listed}

    def best(self, weights: Mapping[str, float], limit: int) -> Scores:
        """The memories for which these terms say most, best first; with the weights' sum for a perfect one."""
        if arrays := self._get_arrays():
            return arrays.best(weights, limit)
        strengths = self._read_strengths(weights, limit)
        total: Scores = {}
        for term, strength_by_num in strengths.items():
            for num, strength in strength_by_num.items():
                total[num] = total.get(num, 0.0) + weights[term] * strength
        self._lend_to_neighbours(weights, strengths, total)
        # Counted when it is over: the first search must not find that there was one before it.
        self._searches += 1
        return {num: total[num] for num in pick_best(total, limit)}

    def holding_all(self, weights: Mapping[str, float]) -> Scores:
        """The memories that hold every one of these terms themselves."""
        if arrays := self._get_arrays():
            return arrays.holding_all(weights)
        strengths = self._read_strengths(weights)
        if len(strengths) < len(weights):
            return {}
        shared = set.intersection(*map(set, strengths.values()))
        return {
            num: sum(weights[term] * strength_by_num[num] for term, strength_by_num in strengths.items())
            for num in shared
        }

    def _get_arrays(self) -> Bm25Arrays | None:
        """All words at hand, as they are now, where that pays; None where the index is asked."""
        version = self._db.version()
        if version != self._version:
            self._version = version
            self._counts = {}
            # A transaction taken back gives its numbers to the next: what was read in it would stand for others.
            if self._arrays and (self._rollbacks != self._db.rollbacks or not self._arrays.read_on()):
                self._arrays = None
        if self._arrays is None and self._searches > memories.read_highest_num(self._db) // SEARCHES_PER:
            self._rollbacks = self._db.rollbacks
            self._arrays = Bm25Arrays(self._db)
        return self._arrays

    def _read_strengths(self, terms: Iterable[str], limit: int | None = None) -> dict[str, Scores]:
        """How much each term says for each memory that holds it; of very many, for the first by SQLite's ranking."""
        terms_listed = list(terms)
        if limit is not None and sum(self.counts(terms_listed).values()) > MAX_OCCURRENCES:
            postings = fulltext.read_best_postings(self._db, terms_listed, min(2 * limit, MAX_OCCURRENCES))
        else:
            postings = fulltext.read_postings(self._db, terms_listed)
        places = memories.read_places(self._db, set(chain.from_iterable(postings.values())))
        scale = Scale(memories.read_mean_size(self._db))
        return {
            term: {
                num: scale.strength(times, places[num].size)
                for num, times in posting.items()
                if num in places
            }
            for term, posting in postings.items()
        }

    def _lend_to_neighbours(
        self, weights: Mapping[str, float], strengths: dict[str, Scores], total: Scores
    ) -> None:
        """Where a neighbour says a term better than a memory itself, that counts instead."""
        neighbours = self._read_neighbours(pick_best(total, LENDERS))
        for term, strength_by_num in strengths.items():
            lent: Scores = {}
            for lender in neighbours.keys() & strength_by_num.keys():
                for near in neighbours[lender]:
                    lent[near] = max(lent.get(near, 0.0), NEARBY * strength_by_num[lender])
            for num, offered in lent.items():
                gain = offered - strength_by_num.get(num, 0.0)
                if gain > 0:
                    total[num] = total.get(num, 0.0) + weights[term] * gain

    def _read_neighbours(self, nums: list[int]) -> dict[int, list[int]]:
        """The memories noted just before and after each of these, in the same room."""
        places = memories.read_places(self._db, {num + step for num in nums for step in (0, *STEPS)})
        rooms = {num: place.room for num, place in places.items() if place.room is not None}
        return {
            num: [num + step for step in STEPS if rooms.get(num + step) == rooms[num]]
            for num in nums
            if num in rooms
        }


MAX_TERMS = 32
MAX_WORDS = 256
# A term in more than this share of all memories tells little and costs much.
FREQUENT_SHARE = 0.02
FREQUENT_AT_LEAST = 200
MIN_TERMS = 4


@dataclass(frozen=True, slots=True)
class Term:
    """A term of the index, in how many memories it occurs, and what that makes it weigh."""

    stem: str
    count: int
    idf: float
    frequent: bool


def find_terms(db: Db, index: WordIndex, words: Iterable[str]) -> list[Term]:
    """These words as index terms, the most telling first."""
    stems = dict.fromkeys(stem for word in list(words)[:MAX_WORDS] for stem in db.tokens(word))
    total = index.total
    often = max(FREQUENT_AT_LEAST, total * FREQUENT_SHARE)
    terms = [
        Term(stem, count, _idf(total, count), count > often) for stem, count in index.counts(stems).items()
    ]
    return sorted(terms, key=lambda term: -term.idf)


def select_terms(terms: list[Term]) -> list[Term]:
    """The terms worth searching by: strangers find nothing; the frequent go, unless nothing else is asked."""
    occurring = [term for term in terms if term.count]
    telling = [term for term in occurring if not term.frequent]
    return (telling or occurring[:MIN_TERMS])[:MAX_TERMS]


def _idf(total: int, count: int) -> float:
    # As SQLite's bm25 computes it. After a purge there may be fewer memories than were counted before it.
    return max(math.log((max(total - count, 0) + 0.5) / (count + 0.5)), 1e-6)
