"""
How well memories answer by their words: BM25 over the terms of the full-text index.

What was said just before and after in a session belongs to a short memory too: a term that it lacks itself counts
almost as much when a neighbour has it.

As with vectors, there are two ways that give the same: from the index's own tables in a process that has just
started, and from arrays in memory from the second search on (`words_at_hand`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain

from recollect.store.db import Db
from recollect.store.search import fulltext
from recollect.store.search.bm25 import LENDERS, NEARBY, STEPS, Scale, first
from recollect.store.search.bm25_arrays import WordsAtHand
from recollect.store.tables import memories

# Reading all words takes as long as one search for so many memories; a short process makes only one.
SEARCHES_PER = 5000
# Terms that occur more often than this together are ranked by SQLite first: reading all of them takes a second.
MOST_OCCURRENCES = 20_000

Scores = dict[int, float]


class WordIndex:
    """The words of a store, ready to be searched."""

    def __init__(self, db: Db) -> None:
        self._db = db
        self._searches = 0
        self._version = (-1, -1)
        self._rollbacks = db.rollbacks
        self._at_hand: WordsAtHand | None = None
        self._counts: dict[str, int] = {}

    @property
    def total(self) -> int:
        """About how many memories there are."""
        at_hand = self._ready()
        return at_hand.total if at_hand else memories.highest_num(self._db)

    def counts(self, terms: Iterable[str]) -> dict[str, int]:
        """In how many memories each of these index terms occurs, 0 for strangers."""
        wanted = list(terms)
        if at_hand := self._ready():
            return {term: at_hand.count(term) for term in wanted}
        unknown = [term for term in wanted if term not in self._counts]
        if unknown:
            self._counts |= dict.fromkeys(unknown, 0) | fulltext.counts(self._db, unknown)
        return {term: self._counts[term] for term in wanted}

    def best(self, weights: Mapping[str, float], limit: int) -> Scores:
        """The memories for which these terms say most, best first; with the weights' sum for a perfect one."""
        if at_hand := self._ready():
            return at_hand.best(weights, limit)
        strengths = self._strengths(weights, limit)
        total: Scores = {}
        for term, held in strengths.items():
            for num, strength in held.items():
                total[num] = total.get(num, 0.0) + weights[term] * strength
        self._lend(weights, strengths, total)
        # Counted when it is over: the first search must not find that there was one before it.
        self._searches += 1
        return {num: total[num] for num in first(total, limit)}

    def holding_all(self, weights: Mapping[str, float]) -> Scores:
        """The memories that hold every one of these terms themselves."""
        if at_hand := self._ready():
            return at_hand.holding_all(weights)
        strengths = self._strengths(weights)
        if len(strengths) < len(weights):
            return {}
        shared = set.intersection(*map(set, strengths.values()))
        return {num: sum(weights[term] * held[num] for term, held in strengths.items()) for num in shared}

    def _ready(self) -> WordsAtHand | None:
        """All words at hand, as they are now, where that pays; None where the index is asked."""
        version = self._db.version()
        if version != self._version:
            self._version = version
            self._counts = {}
            # A transaction taken back gives its numbers to the next: what was read in it would stand for others.
            if self._at_hand and (self._rollbacks != self._db.rollbacks or not self._at_hand.read_on()):
                self._at_hand = None
        if self._at_hand is None and self._searches > memories.highest_num(self._db) // SEARCHES_PER:
            self._rollbacks = self._db.rollbacks
            self._at_hand = WordsAtHand(self._db)
        return self._at_hand

    def _strengths(self, terms: Iterable[str], limit: int | None = None) -> dict[str, Scores]:
        """How much each term says for each memory that holds it; of very many, for the first by SQLite's ranking."""
        wanted = list(terms)
        if limit is not None and sum(self.counts(wanted).values()) > MOST_OCCURRENCES:
            postings = fulltext.postings_of_best(self._db, wanted, min(2 * limit, MOST_OCCURRENCES))
        else:
            postings = fulltext.postings(self._db, wanted)
        places = memories.places(self._db, set(chain.from_iterable(postings.values())))
        scale = Scale(memories.mean_size(self._db))
        return {
            term: {
                num: scale.strength(times, places[num].size)
                for num, times in posting.items()
                if num in places
            }
            for term, posting in postings.items()
        }

    def _lend(self, weights: Mapping[str, float], strengths: dict[str, Scores], total: Scores) -> None:
        """Where a neighbour says a term better than a memory itself, that counts instead."""
        neighbours = self._neighbours(first(total, LENDERS))
        for term, held in strengths.items():
            lent: Scores = {}
            for lender in neighbours.keys() & held.keys():
                for near in neighbours[lender]:
                    lent[near] = max(lent.get(near, 0.0), NEARBY * held[lender])
            for num, offered in lent.items():
                gain = offered - held.get(num, 0.0)
                if gain > 0:
                    total[num] = total.get(num, 0.0) + weights[term] * gain

    def _neighbours(self, nums: list[int]) -> dict[int, list[int]]:
        """The memories noted just before and after each of these, in the same room."""
        places = memories.places(self._db, {num + step for num in nums for step in (0, *STEPS)})
        rooms = {num: place.room for num, place in places.items() if place.room is not None}
        return {
            num: [num + step for step in STEPS if rooms.get(num + step) == rooms[num]]
            for num in nums
            if num in rooms
        }
