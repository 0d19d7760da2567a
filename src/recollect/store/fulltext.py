"""The full-text index: what a memory is filed under, and the search by words."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import NamedTuple

from recollect.model.memory import Memory
from recollect.model.query import Filters
from recollect.model.words import index_words
from recollect.store.db import Db, Row
from recollect.store.memories import filter_parameters
from recollect.store.rows import json_list
from recollect.store.sqlite import SqliteDb

# A memory that was noted among others is also found by what was said around it.
BEFORE = 2
AFTER = 2
CONTEXT_CHARACTERS = 400
# Session-sized texts have their context inside; only short ones borrow their neighbours' words.
SHORT_TEXT = 600
_AT_ONCE = 500
_MOST_COUNTED = 50_000


class Weights(NamedTuple):
    """What a match counts in each column."""

    text: float
    context: float
    subjects: float


def best(db: SqliteDb, match: str, weights: Weights, limit: int) -> dict[int, float]:
    """The best matches by BM25 in the whole store, best first."""
    ranking = f"bm25({weights.text}, {weights.context}, {weights.subjects})"
    return dict(db.tuples("fulltext_best", match=match, ranking=ranking, limit=limit))


def search(db: SqliteDb, match: str, filters: Filters, weights: Weights, limit: int) -> dict[int, float]:
    """The best matches by BM25 among those that pass the filter, best first."""
    parameters = filter_parameters(filters) | _columns(weights)
    return dict(db.tuples("fulltext_search", match=match, limit=limit, **parameters))


def near(db: Db, match: str, *, kind: str, project_id: str | None, limit: int) -> list[int]:
    """Memories of one kind and project that share the most telling words."""
    rows = db.rows("fulltext_near", match=match, kind=kind, project_id=project_id, limit=limit)
    return [row["num"] for row in rows]


class TermCounts:
    """In how many memories a term occurs; asked once per term until the store has grown by a tenth."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._as_of = 0

    def of(self, db: Db, terms: Iterable[str], total: int) -> dict[str, int]:
        """The count of each of these index terms, 0 for strangers."""
        wanted = list(terms)
        if total > self._as_of * 1.1 or len(self._counts) > _MOST_COUNTED:
            self._counts.clear()
            self._as_of = total
        unknown = [term for term in wanted if term not in self._counts]
        if unknown:
            rows = db.rows("fulltext_counts", terms=json_list(unknown))
            self._counts.update((row["term"], row["doc"]) for row in rows)
        # A stranger is asked for again next time: the memory that brings it may come in between.
        return {term: self._counts.get(term, 0) for term in wanted}


def known_terms(db: Db, terms: Iterable[str]) -> set[str]:
    """Which of these index terms occur anywhere just now."""
    return {row["term"] for row in db.rows("fulltext_counts", terms=json_list(terms))}


def file_again(db: Db, nums: Iterable[int]) -> None:
    """File these memories under their words of now, with their neighbours' as context."""
    for row in db.rows("memories_by_num", nums=json.dumps(sorted(set(nums)))):
        db.run(
            "fulltext_put",
            num=row["num"],
            text=index_words(row["text"]),
            context=_context(db, row),
            subjects=_subject_words(row["subjects"], row["tags"]),
        )


def file_all(db: Db, progress: Callable[[int, int], None]) -> int:
    """Write the whole index anew; how many entries it has."""
    with db.transaction():
        nums = [row["num"] for row in db.rows("memory_all_nums")]
        db.run("fulltext_clear")
        for start in range(0, len(nums), _AT_ONCE):
            file_again(db, nums[start : start + _AT_ONCE])
            progress(min(len(nums), start + _AT_ONCE), len(nums))
    return len(nums)


def remove(db: Db, num: int) -> None:
    """Take a memory out of the index."""
    db.run("fulltext_remove", num=num)


def neighbours(db: Db, memory: Memory, num: int, *, before: int, after: int) -> list[int]:
    """The memories noted just before and after one in its session and project."""
    session_id = memory.provenance.session_id
    rows = _neighbours(db, session_id, memory.project_id, num, before, after)
    return [row["num"] for row in rows]


def _columns(weights: Weights) -> dict[str, object]:
    return {f"{column}_weight": weight for column, weight in weights._asdict().items()}


def _context(db: Db, row: Row) -> str:
    if len(row["text"]) > SHORT_TEXT:
        return ""
    near = _neighbours(db, row["session_id"], row["project_id"], row["num"], BEFORE, AFTER)
    return "\n".join(index_words(other["text"][:CONTEXT_CHARACTERS]) for other in near)


def _neighbours(
    db: Db, session_id: str | None, project_id: str | None, num: int, before: int, after: int
) -> list[Row]:
    if session_id is None:
        return []
    return db.rows(
        "memory_session_neighbours",
        session_id=session_id,
        project_id=project_id,
        num=num,
        before=before,
        after=after,
    )


def _subject_words(subjects: str, tags: str) -> str:
    names = [text.partition(":")[2] for text in json.loads(subjects)]
    return index_words(" ".join([*names, *json.loads(tags)]))
