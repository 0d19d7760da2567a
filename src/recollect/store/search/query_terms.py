"""Words as terms of the full-text index: how often each occurs, what it weighs, which are worth a search."""

from __future__ import annotations

import math
from collections.abc import Iterable

from recollect.model.value import dataclass
from recollect.store.db import Db
from recollect.store.search.bm25_index import WordIndex

MOST_TERMS = 32
MOST_WORDS = 256
# A term in more than this share of all memories tells little and costs much.
FREQUENT_SHARE = 0.02
FREQUENT_AT_LEAST = 200
FEWEST_TERMS = 4


@dataclass(frozen=True, slots=True)
class Term:
    """A term of the index, in how many memories it occurs, and what that makes it weigh."""

    stem: str
    count: int
    idf: float
    frequent: bool


def terms_of(db: Db, index: WordIndex, words: Iterable[str]) -> list[Term]:
    """These words as index terms, the most telling first."""
    stems = dict.fromkeys(stem for word in list(words)[:MOST_WORDS] for stem in db.tokens(word))
    total = index.total
    often = max(FREQUENT_AT_LEAST, total * FREQUENT_SHARE)
    terms = [
        Term(stem, count, _idf(total, count), count > often) for stem, count in index.counts(stems).items()
    ]
    return sorted(terms, key=lambda term: -term.idf)


def searching_terms(terms: list[Term]) -> list[Term]:
    """The terms worth searching by: strangers find nothing; the frequent go, unless nothing else is asked."""
    known = [term for term in terms if term.count]
    telling = [term for term in known if not term.frequent]
    return (telling or known[:FEWEST_TERMS])[:MOST_TERMS]


def _idf(total: int, count: int) -> float:
    # As SQLite's bm25 computes it. After a purge there may be fewer memories than were counted before it.
    return max(math.log((max(total - count, 0) + 0.5) / (count + 0.5)), 1e-6)
