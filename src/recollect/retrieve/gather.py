"""Candidates from every side: words, meaning, names, times; each looked at by all of them afterwards."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from itertools import islice

from recollect.model.query import Query
from recollect.model.value import dataclass
from recollect.retrieve.question import Question
from recollect.retrieve.read_context import Ground
from recollect.store.tables import memories
from recollect.store.tables.memories import Candidate

# So many from each side; the best answers are hardly ever further down on every side.
BY_WORDS = 60
BY_MEANING = 60
BY_NAME = 50
BY_TIME = 50
# Matches this deep give their score to candidates that came by other ways; further down it is next to nothing.
SCORED_BY_WORDS = 300
ALL = sys.maxsize
# When the filter lets few of the best through, this many times as many are looked at.
WIDEN = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Candidates that pass the filter, with what words and meaning say of each."""

    rows: dict[int, Candidate]
    lexical: dict[int, float]
    semantic: dict[int, float]
    # Of those about something the question names: how surely it does, and what that is.
    about: dict[int, tuple[float, str]]
    # Those of the rows for or against which more speaks than their text, age and use.
    marked: list[Candidate]


def candidates(ground: Ground, question: Question, query: Query) -> Found:
    """All that may answer, bounded."""
    wanted = max(BY_WORDS, query.limit)
    lexical = _by_words(ground, question, max(SCORED_BY_WORDS, wanted))
    best = list(islice(lexical, wanted))
    semantic = _nearest(ground, question, query, max(BY_MEANING, query.limit))
    others = {*_named(ground, question, query), *_in_time(ground, question, query)}
    rows = _passing(ground, query, {*best, *semantic, *others})
    if len(best) == wanted and sum(num in rows for num in best) * 2 < wanted:
        lexical = _by_words(ground, question, ALL)
        rows |= _further_down(ground, query, list(lexical), wanted)
    if semantic and sum(num in rows for num in semantic) * 2 < min(len(semantic), BY_MEANING):
        semantic = _nearest(ground, question, query, len(semantic) * WIDEN, passing=True)
        rows |= _passing(ground, query, semantic.keys() - rows.keys())
    return _completed(ground, question, rows, lexical, semantic)


def _by_words(ground: Ground, question: Question, limit: int) -> dict[int, float]:
    """The best by words, from 0 to 1: as a share of what a text could reach that consisted of the terms alone."""
    whole = sum(term.idf for term in question.terms)
    return ground.words.best({term.stem: term.idf / whole for term in question.terms}, limit)


def _further_down(ground: Ground, query: Query, order: list[int], wanted: int) -> dict[int, Candidate]:
    """The best by words that pass a filter which lets few through."""
    found: dict[int, Candidate] = {}
    for start in range(0, len(order), wanted * WIDEN):
        found |= _passing(ground, query, order[start : start + wanted * WIDEN])
        if len(found) >= wanted:
            break
    return found


def _passing(ground: Ground, query: Query, nums: Collection[int]) -> dict[int, Candidate]:
    found = ground.shelf.candidates(nums, query.filters)
    return {num: row for num in nums if (row := found[num])}


def _completed(
    ground: Ground,
    question: Question,
    rows: dict[int, Candidate],
    lexical: dict[int, float],
    semantic: dict[int, float],
) -> Found:
    """Every candidate judged by every side, also by those that did not bring it."""
    if ground.index is not None and question.embedding is not None and (far := rows.keys() - semantic.keys()):
        semantic |= ground.index.likeness(question.embedding.vector, far)
    return Found(
        rows=rows,
        lexical=lexical,
        semantic=semantic,
        about=_about(ground, question.named.subjects, rows) if question.named else {},
        marked=[row for row in rows.values() if row.is_marked],
    )


def _about(ground: Ground, named: dict[str, float], rows: Collection[int]) -> dict[int, tuple[float, str]]:
    subjects_of = ground.shelf.subjects_of(rows)
    return {
        num: max([(named[subject], subject) for subject in both])
        for num in rows
        if (both := named.keys() & (subjects_of[num] or ()))
    }


def _nearest(
    ground: Ground, question: Question, query: Query, limit: int, *, passing: bool = False
) -> dict[int, float]:
    if ground.index is None or question.embedding is None:
        return {}
    return ground.index.nearest(question.embedding.vector, limit, query.filters if passing else None)


def _named(ground: Ground, question: Question, query: Query) -> Sequence[int]:
    if not question.named:
        return ()
    return ground.shelf.about(tuple(question.named.subjects), query.filters, BY_NAME)


def _in_time(ground: Ground, question: Question, query: Query) -> list[int]:
    return [
        num
        for period in question.periods[:2]
        if period.start and period.end
        for num in memories.in_time(ground.db, period.start, period.end, query.filters, BY_TIME)
    ]
