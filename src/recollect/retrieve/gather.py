"""Gathering candidates by BM25, vectors, names and times; afterwards each candidate is scored by all of them."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from itertools import islice

from recollect.model.query import Query
from recollect.model.value import dataclass
from recollect.retrieve.question import ParsedQuestion
from recollect.retrieve.read_context import ReadContext
from recollect.store.tables import memories
from recollect.store.tables.memories import RankingRow

# So many from each side; the best answers are hardly ever further down on every side.
MAX_BY_WORDS = 60
MAX_BY_MEANING = 60
MAX_BY_NAME = 50
MAX_BY_TIME = 50
# Matches this deep give their score to candidates that came by other ways; further down it is next to nothing.
MAX_SCORED_BY_WORDS = 300
ALL = sys.maxsize
# When the filter lets few of the best through, this many times as many are looked at.
WIDEN_FACTOR = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """Candidates that pass the filter, with what words and meaning say of each."""

    rows: dict[int, RankingRow]
    lexical: dict[int, float]
    semantic: dict[int, float]
    # Of those about something the question names: how surely it does, and what that is.
    about: dict[int, tuple[float, str]]
    # Those of the rows for or against which more speaks than their text, age and use.
    marked: list[RankingRow]


def gather_candidates(context: ReadContext, question: ParsedQuestion, query: Query) -> Candidates:
    """All that may answer, bounded."""
    limit = max(MAX_BY_WORDS, query.limit)
    lexical = _score_by_words(context, question, max(MAX_SCORED_BY_WORDS, limit))
    best = list(islice(lexical, limit))
    semantic = _score_by_meaning(context, question, query, max(MAX_BY_MEANING, query.limit))
    named_or_dated = {*_find_named(context, question, query), *_find_in_time(context, question, query)}
    rows = _filter_candidates(context, query, {*best, *semantic, *named_or_dated})
    if len(best) == limit and sum(num in rows for num in best) * 2 < limit:
        lexical = _score_by_words(context, question, ALL)
        rows |= _search_deeper(context, query, list(lexical), limit)
    if semantic and sum(num in rows for num in semantic) * 2 < min(len(semantic), MAX_BY_MEANING):
        semantic = _score_by_meaning(context, question, query, len(semantic) * WIDEN_FACTOR, passing=True)
        rows |= _filter_candidates(context, query, semantic.keys() - rows.keys())
    return _complete_scores(context, question, rows, lexical, semantic)


def _score_by_words(context: ReadContext, question: ParsedQuestion, limit: int) -> dict[int, float]:
    """The best by words, from 0 to 1: as a share of what a text could reach that consisted of the terms alone."""
    idf_sum = sum(term.idf for term in question.terms)
    return context.words.best({term.stem: term.idf / idf_sum for term in question.terms}, limit)


def _search_deeper(context: ReadContext, query: Query, order: list[int], limit: int) -> dict[int, RankingRow]:
    """The best by words that pass a filter which lets few through."""
    rows: dict[int, RankingRow] = {}
    for start in range(0, len(order), limit * WIDEN_FACTOR):
        rows |= _filter_candidates(context, query, order[start : start + limit * WIDEN_FACTOR])
        if len(rows) >= limit:
            break
    return rows


def _filter_candidates(context: ReadContext, query: Query, nums: Collection[int]) -> dict[int, RankingRow]:
    rows_by_num = context.shelf.candidates(nums, query.filters)
    return {num: row for num in nums if (row := rows_by_num[num])}


def _complete_scores(
    context: ReadContext,
    question: ParsedQuestion,
    rows: dict[int, RankingRow],
    lexical: dict[int, float],
    semantic: dict[int, float],
) -> Candidates:
    """Every candidate judged by every side, also by those that did not bring it."""
    if (
        context.index is not None
        and question.embedding is not None
        and (far := rows.keys() - semantic.keys())
    ):
        semantic |= context.index.likeness(question.embedding.vector, far)
    return Candidates(
        rows=rows,
        lexical=lexical,
        semantic=semantic,
        about=_score_subjects(context, question.named.subjects, rows) if question.named else {},
        marked=[row for row in rows.values() if row.is_marked],
    )


def _score_subjects(
    context: ReadContext, certainty: dict[str, float], rows: Collection[int]
) -> dict[int, tuple[float, str]]:
    subjects_of = context.shelf.subjects_of(rows)
    return {
        num: max([(certainty[subject], subject) for subject in both])
        for num in rows
        if (both := certainty.keys() & (subjects_of[num] or ()))
    }


def _score_by_meaning(
    context: ReadContext, question: ParsedQuestion, query: Query, limit: int, *, passing: bool = False
) -> dict[int, float]:
    if context.index is None or question.embedding is None:
        return {}
    return context.index.nearest(question.embedding.vector, limit, query.filters if passing else None)


def _find_named(context: ReadContext, question: ParsedQuestion, query: Query) -> Sequence[int]:
    if not question.named:
        return ()
    return context.shelf.about(tuple(question.named.subjects), query.filters, MAX_BY_NAME)


def _find_in_time(context: ReadContext, question: ParsedQuestion, query: Query) -> list[int]:
    return [
        num
        for period in question.periods[:2]
        if period.start and period.end
        for num in memories.find_in_time(context.db, period.start, period.end, query.filters, MAX_BY_TIME)
    ]
