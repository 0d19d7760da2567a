"""Candidates from every side: words, meaning, names, times; each looked at by all of them afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from recollect.model.profile import Profile
from recollect.model.query import Query
from recollect.retrieve.ground import Ground
from recollect.retrieve.question import Question
from recollect.store import fulltext, memories, subjects
from recollect.store.fulltext import Weights
from recollect.store.match import attainable, match_any
from recollect.store.memories import Candidate

# So many from each side; the best answers are hardly ever further down on every side.
BY_WORDS = 60
BY_MEANING = 60
BY_NAME = 50
BY_TIME = 50
# Matches this deep give their score to candidates that came by other ways; further down it is next to nothing.
SCORED_BY_WORDS = 300
# When the filter lets few of the best through, this many times as many are fetched.
WIDEN = 8

WEIGHTS = Weights(text=1.0, context=0.5, subjects=0.3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Candidates that pass the filter, with what words and meaning say of each."""

    rows: dict[int, Candidate]
    lexical: dict[int, float]
    semantic: dict[int, float]
    about: dict[int, set[str]]


def candidates(ground: Ground, question: Question, query: Query, profile: Profile) -> Found:
    """All that may answer, bounded."""
    db, filters = ground.db, query.filters
    terms = question.terms
    match = match_any(term.word for term in terms)
    wanted = max(BY_WORDS, query.limit)
    lexical = fulltext.best(db, match, WEIGHTS, max(SCORED_BY_WORDS, wanted)) if terms else {}
    best_words = list(islice(lexical, wanted))
    semantic = _nearest(ground, question, query, max(BY_MEANING, query.limit))
    others = {*_named(ground, question, query), *_in_time(ground, question, query)}
    rows = memories.candidates(db, {*best_words, *semantic, *others}, filters)
    if len(best_words) == wanted and sum(num in rows for num in best_words) * 2 < wanted:
        lexical = fulltext.search(db, match, filters, WEIGHTS, wanted)
        rows |= memories.candidates(db, lexical.keys() - rows.keys(), filters)
    if semantic and sum(num in rows for num in semantic) * 2 < min(len(semantic), BY_MEANING):
        semantic = _nearest(ground, question, query, len(semantic) * WIDEN)
        rows |= memories.candidates(db, semantic.keys() - rows.keys(), filters)
    return _completed(ground, question, rows, lexical, semantic)


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
    most = attainable(question.terms)
    return Found(
        rows=rows,
        lexical={num: min(1.0, lexical[num] / most) for num in rows.keys() & lexical.keys()},
        semantic=semantic,
        about=subjects.of_nums(ground.db, rows) if question.named else {},
    )


def _nearest(ground: Ground, question: Question, query: Query, limit: int) -> dict[int, float]:
    if ground.index is None or question.embedding is None:
        return {}
    return ground.index.nearest(question.embedding.vector, query.filters, limit)


def _named(ground: Ground, question: Question, query: Query) -> list[int]:
    if not question.named:
        return []
    return subjects.nums_about(ground.db, question.named.subjects, query.filters, BY_NAME)


def _in_time(ground: Ground, question: Question, query: Query) -> list[int]:
    return [
        num
        for period in question.periods[:2]
        if period.start and period.end
        for num in memories.in_time(ground.db, period.start, period.end, query.filters, BY_TIME)
    ]
