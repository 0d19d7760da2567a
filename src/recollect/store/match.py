"""Questions in the full-text index's own terms: quoted, at most so many, the frequent ones left out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from recollect.store import memories
from recollect.store.fulltext import TermCounts
from recollect.store.sqlite import SqliteDb

MOST_TERMS = 32
MOST_WORDS = 256
# A term in more than this share of all memories tells little and costs much.
FREQUENT_SHARE = 0.02
FREQUENT_AT_LEAST = 200
FEWEST_TERMS = 4

K1 = 1.2


@dataclass(frozen=True, slots=True)
class Term:
    """One word as the index files it, in how many memories it occurs, and what that makes it weigh."""

    word: str
    stem: str
    count: int
    idf: float
    frequent: bool


def terms_of(db: SqliteDb, counts: TermCounts, words: Iterable[str]) -> list[Term]:
    """These words as index terms, the most telling first."""
    stems: dict[str, str] = {}
    for word in list(words)[:MOST_WORDS]:
        for stem in db.tokens(word):
            stems.setdefault(stem, word)
    total = memories.highest_num(db)
    found = counts.of(db, stems, total)
    often = max(FREQUENT_AT_LEAST, total * FREQUENT_SHARE)
    terms = [
        Term(word, stem, found[stem], _idf(total, found[stem]), found[stem] > often)
        for stem, word in stems.items()
    ]
    return sorted(terms, key=lambda term: -term.idf)


def searching_terms(terms: list[Term]) -> list[Term]:
    """The terms worth searching by: strangers find nothing; the frequent go, unless nothing else is asked."""
    known = [term for term in terms if term.count]
    telling = [term for term in known if not term.frequent]
    return (telling or known[:FEWEST_TERMS])[:MOST_TERMS]


def match_any(words: Iterable[str]) -> str:
    """A full-text expression for any of these words. Quoting makes every character harmless but NUL."""
    return " OR ".join(map(_quoted, words))


def match_all(words: Iterable[str]) -> str:
    """A full-text expression for all of these words together."""
    return " AND ".join(map(_quoted, words))


def match_two(words: Sequence[str]) -> str:
    """A full-text expression for any two of these words together; for the only one there is, that one."""
    pairs = [match_all(pair) for pair in combinations(words, 2)]
    return " OR ".join(f"({pair})" for pair in pairs) or match_all(words)


def attainable(terms: list[Term]) -> float:
    """The score of a text that would consist of these terms alone: BM25's own upper bound."""
    return sum(term.idf for term in terms) * (K1 + 1) or 1.0


def _quoted(word: str) -> str:
    return '"' + word.replace('"', '""').replace("\0", " ") + '"'


def _idf(total: int, count: int) -> float:
    # As SQLite's bm25 computes it. After a purge there may be fewer memories than were counted before it.
    return max(math.log((max(total - count, 0) + 0.5) / (count + 0.5)), 1e-6)
