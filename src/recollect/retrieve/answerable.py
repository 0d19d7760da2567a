"""
Answerability: how probable it is that a hit answers the question, so that a search can say that nothing is known.

Logistic regression over few facts: how much of the question the memory covers (`coverage.py`) and how many words that
is, which names of the question it does not have, how much nearer it is in meaning than the store at large, whether it
holds or lacks the sort of answer that is asked for (`answer_types.py`), whether every word of weight stands in it, and
whether the question is in another language, where less can be seen of it. None of them depends on how many memories
there are. `tools/calibration/answerable.py` fits the table, to questions that have an answer and to others.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from recollect.model.memory import Memory
from recollect.model.query import Hit, ScorePart
from recollect.model.value import dataclass, replace
from recollect.retrieve.answer_types import holds_answer_type
from recollect.retrieve.coverage import (
    MemoryWords,
    QuestionWords,
    match_words,
    measure_coverage,
    measure_missing_names,
    read_memory_words,
    read_question_words,
)
from recollect.retrieve.late_interaction import find_word_likeness
from recollect.retrieve.question import ParsedQuestion
from recollect.retrieve.read_context import ReadContext
from recollect.retrieve.search import ParsedQuery
from recollect.retrieve.stopwords import ENGLISH
from recollect.store.tables import memories
from recollect.store.tables.memories import SHORT_TEXT

TABLE = Path(__file__).with_name("answerable.json")
# The curves: with word vectors, with one vector a text, and without a model.
BY_WORD_VECTORS = "word vectors"
BY_VECTORS = "vectors"
BY_WORDS = "words"
_ALL = ("lacks", "holds", "exact", "missing names")
_BY_COVERAGE = ("coverage", "coverage of many", "coverage of foreign")
_BY_SPELLING = ("words", "words of many", "words of foreign")
FEATURES = {
    BY_WORD_VECTORS: (*_BY_COVERAGE, "nearer", *_ALL),
    BY_VECTORS: (*_BY_SPELLING, "nearer", *_ALL),
    BY_WORDS: (*_BY_SPELLING, *_ALL),
}

# So many of the best hits are judged.
MAX_JUDGED = 20
# How near anything is to anything: an average over so many memories, as if some had been this near before.
_SAMPLED = 32
_USUAL_COSINE = 0.1
_USUAL_COUNT = 5
# A word of less weight may be missing where all others stand.
_TELLING_WEIGHT = 0.08
# A question of more words than this is a text: then it also counts how much of the memory it speaks of.
_LONG = 12
# What a memory of the very time that is asked for covers of the rest.
_DATED = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class _Curve:
    bias: float
    weights: Mapping[str, float]

    def at(self, features: Mapping[str, float]) -> float:
        odds = self.bias + sum(weight * features[name] for name, weight in self.weights.items())
        return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, odds))))


def judge_hits(context: ReadContext, parsed: ParsedQuery, hits: Mapping[int, Hit]) -> tuple[Hit, ...]:
    """The hits with the probability that each answers, in the order that follows; `hits` come best first."""
    judged = list(hits)[:MAX_JUDGED]
    best = {num: hits[num] for num in judged}
    features = measure_features(context, parsed.query.text, parsed.question, best)
    if not features:
        return tuple(hits.values())
    curves = _load_curves()
    # A long text holds many words by chance: where there are some, the search's own order stands.
    weight = (
        parsed.profile.answers if all(len(hits[num].memory.text) <= SHORT_TEXT for num in judged) else 0.0
    )
    rescored = [
        _add_probability(hits[num], curves[sort].at(values), weight)
        for num, (sort, values) in features.items()
    ]
    rest = [hits[num] for num in list(hits)[MAX_JUDGED:]]
    return (*sorted(rescored, key=lambda hit: -hit.score), *(replace(hit, probability=0.0) for hit in rest))


def measure_features(
    context: ReadContext, text: str, question: ParsedQuestion, hits: Mapping[int, Hit]
) -> dict[int, tuple[str, dict[str, float]]]:
    """For each hit the curve that fits it and what the curve looks at; nothing if the question has no topic."""
    words = read_question_words(context.db, text)
    if not hits or not words.has_topic:
        return {}
    likeness = find_word_likeness(context, question, list(hits))
    nearer = _measure_nearness(context, question, list(hits))
    long_question = read_memory_words(context.db, text, ()) if len(words.words) > _LONG else None
    memory_words = _read_words_of_hits(context, hits)
    features: dict[int, tuple[str, dict[str, float]]] = {}
    for num, hit in hits.items():
        memory = hit.memory
        matches = match_words(words, memory_words[num])
        sort = BY_WORD_VECTORS if num in likeness else BY_VECTORS if num in nearer else BY_WORDS
        holds = holds_answer_type(text, memory.text, map(str, memory.subjects))
        values = {
            "words": measure_coverage(words, matches, None),
            "coverage": measure_coverage(words, matches, likeness.get(num)),
            "nearer": nearer.get(num, 0.0),
            "lacks": float(holds is False),
            "holds": float(holds is True),
            "exact": float(_is_exact(words, matches)),
            "missing names": measure_missing_names(words, matches),
        }
        dated = next((part.value for part in hit.why if part.name == "time"), 0.0)
        for name in (_BY_COVERAGE[0], _BY_SPELLING[0]):
            values[name] = _cover_more(context, values[name], dated, memory, long_question)
            # Of many words it says more; of another language's, less can be seen.
            values[f"{name} of many"] = values[name] * math.log1p(len(words.words))
            values[f"{name} of foreign"] = values[name] * (words.language != ENGLISH)
        features[num] = sort, values
    return features


def _read_words_of_hits(context: ReadContext, hits: Mapping[int, Hit]) -> dict[int, MemoryWords]:
    """The words of each hit; those of a text that another question met are still on the shelf."""
    texts = {
        num: (hit.memory.text, (*(subject.name for subject in hit.memory.subjects), *hit.memory.tags))
        for num, hit in hits.items()
    }
    on_shelf = context.shelf.derive_from_texts(
        "words",
        list(texts.values()),
        lambda missing: {
            (text, names): read_memory_words(context.db, text, names) for text, names in missing
        },
    )
    return {num: words for num, key in texts.items() if (words := on_shelf[key]) is not None}


def _add_probability(hit: Hit, probability: float, weight: float) -> Hit:
    if weight:
        hit = hit.adding(ScorePart("answers", probability, weight * probability))
    return replace(hit, probability=probability)


def _cover_more(
    context: ReadContext, covered: float, dated: float, memory: Memory, long_question: MemoryWords | None
) -> float:
    """What the time of a memory covers, and what a long text says of it."""
    covered += (1.0 - covered) * _DATED * dated
    if long_question is not None:
        own_words = read_question_words(context.db, memory.text)
        covered = max(covered, measure_coverage(own_words, match_words(own_words, long_question), None))
    return covered


def _is_exact(question: QuestionWords, matches: Sequence[float]) -> bool:
    return all(
        match >= 1.0
        for word, match in zip(question.words, matches, strict=True)
        if word.weight > _TELLING_WEIGHT
    )


def _measure_nearness(
    context: ReadContext, question: ParsedQuestion, nums: Sequence[int]
) -> dict[int, float]:
    """How much nearer than the store at large each memory is; none without vectors."""
    if context.index is None or question.embedding is None:
        return {}
    vector = question.embedding.vector
    highest = memories.read_highest_num(context.db)
    sample = set(range(1, highest + 1, max(1, highest // _SAMPLED)))
    cosines = context.index.likeness(vector, sample | set(nums))
    nearest = max((cosines[num] for num in nums if num in cosines), default=0.0)
    usual = [cosine for num, cosine in cosines.items() if num in sample and cosine < nearest]
    background = (sum(usual) + _USUAL_COUNT * _USUAL_COSINE) / (len(usual) + _USUAL_COUNT)
    return {num: cosines[num] - background for num in nums if num in cosines}


@cache
def _load_curves() -> Mapping[str, _Curve]:
    table = json.loads(TABLE.read_text("utf-8"))["curves"]
    return {name: _Curve(bias=row["bias"], weights=row["weights"]) for name, row in table.items()}
