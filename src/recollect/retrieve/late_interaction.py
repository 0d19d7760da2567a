"""
Late interaction (MaxSim): every word of the question against every word of the best candidates.

Each word of the question takes its best match in the memory, weighed by how rare the word
is. A short memory may borrow a match from the one noted just before or after it; a long one is judged by its best
sentence, which may borrow from its own neighbours, so that scattered words do not add up to an answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import nlargest
from typing import Any

from recollect.model.bm25 import compute_idf
from recollect.model.embedding import QueryEmbedding, unpack_words
from recollect.retrieve.question import ParsedQuestion
from recollect.retrieve.read_context import ReadContext
from recollect.store.tables.memories import SHORT_TEXT, RankingRow

# How many of the best by first score are scored again.
MAX_RESCORED = 100
# What a match counts that stands not in the memory itself but in the one just before or after it.
NEIGHBOUR = 0.85
# The same between the sentences of a long memory.
NEXT_SENTENCE = 0.7
# How much more rare words weigh than common ones: the power of their idf.
RARITY = 2.0


def score_late_interaction(
    context: ReadContext, question: ParsedQuestion, rows: dict[int, RankingRow], first: dict[int, float]
) -> dict[int, float]:
    """For the best by a first score, how well their words answer the question's, 0 to 1; none without word vectors."""
    embedding = question.embedding
    if embedding is None or not embedding.words:
        return {}
    best = nlargest(MAX_RESCORED, first, key=first.__getitem__)
    blobs = context.shelf.words_of(context.model, best)
    blob_by_num = {num: blob for num in best if (blob := blobs[num])}
    if not blob_by_num:
        return {}
    import numpy as np

    weights = np.array(_weigh_words(context, question.embedded_text, embedding), np.float32)
    question_words = np.frombuffer(embedding.words, np.float32).reshape(len(weights), -1)
    best_matches, sentence = _match_words(np, list(blob_by_num.values()), question_words, weights)
    nums = list(blob_by_num)
    lent = _lend_between_neighbours(np, best_matches, nums, rows)
    short = np.array([rows[num].size <= SHORT_TEXT for num in nums])
    scores = np.where(short, _multiply(np, lent, weights), sentence)
    return dict(zip(nums, scores.tolist(), strict=True))


def find_word_likeness(
    context: ReadContext, question: ParsedQuestion, nums: Sequence[int]
) -> dict[int, dict[str, float]]:
    """For each memory with word vectors: how like each word of the question its best match there is."""
    embedding = question.embedding
    if embedding is None or not embedding.words:
        return {}
    blobs = context.shelf.words_of(context.model, nums)
    blob_by_num = {num: blob for num in nums if (blob := blobs[num])}
    if not blob_by_num:
        return {}
    import numpy as np

    words = [question.embedded_text[start:end].lower() for start, end in embedding.spans]
    question_words = np.frombuffer(embedding.words, np.float32).reshape(len(words), -1)
    best_matches, _ = _match_words(
        np, list(blob_by_num.values()), question_words, np.ones(len(words), np.float32)
    )
    return {
        num: _average_by_word(words, row) for num, row in zip(blob_by_num, best_matches.tolist(), strict=True)
    }


def _average_by_word(words: Sequence[str], likeness: Sequence[float]) -> dict[str, float]:
    pieces: dict[str, list[float]] = {}
    for word, alike in zip(words, likeness, strict=True):
        pieces.setdefault(word, []).append(alike)
    return {word: sum(values) / len(values) for word, values in pieces.items()}


def _match_words(np: Any, blobs: list[bytes], question_words: Any, weights: Any) -> tuple[Any, Any]:
    """For each memory: the best match of each word of the question, and the score of its best sentence."""
    packed = unpack_words(blobs, dimensions=question_words.shape[1])
    # int8 has no fast product; as floats it is one call.
    alike = _multiply(np, packed.rows.astype(np.float32), question_words.T * np.float32(1 / 127))
    by_sentence = np.maximum.reduceat(alike, packed.sentence_starts[:-1], axis=0)
    first = packed.text_starts[:-1]
    lent = _lend_between_sentences(np, by_sentence, packed.text_starts)
    return np.maximum.reduceat(by_sentence, first, axis=0), np.maximum.reduceat(
        _multiply(np, lent, weights), first
    )


def _multiply(np: Any, left: Any, right: Any) -> Any:
    """A matrix product without false alarms."""
    # The library behind numpy reads whole registers, beyond the end of a short row, and may flag what lies there as
    # invalid; the product itself is not touched by it.
    with np.errstate(invalid="ignore"):
        return left @ right


def _lend_between_sentences(np: Any, by_sentence: Any, text_starts: Any) -> Any:
    lent = by_sentence.copy()
    inside = np.ones(len(by_sentence), bool)
    inside[text_starts[:-1]] = False  # the first sentence of a text has none before it, and is after none
    after = np.flatnonzero(inside)
    lent[after] = np.maximum(lent[after], by_sentence[after - 1] * NEXT_SENTENCE)
    lent[after - 1] = np.maximum(lent[after - 1], by_sentence[after] * NEXT_SENTENCE)
    return lent


def _lend_between_neighbours(np: Any, best_matches: Any, nums: list[int], rows: dict[int, RankingRow]) -> Any:
    place = {num: at for at, num in enumerate(nums)}
    sessions = {num: rows[num].session_id for num in nums}
    lent = best_matches.copy()
    for step in (-1, 1):
        borrowing = [num for num in nums if sessions[num] and sessions[num] == sessions.get(num + step)]
        to, by = [place[num] for num in borrowing], [place[num + step] for num in borrowing]
        lent[to] = np.maximum(lent[to], best_matches[by] * NEIGHBOUR)
    return lent


def _weigh_words(context: ReadContext, question_words: str, embedding: QueryEmbedding) -> list[float]:
    """What each word piece of the question weighs: rare words more; they sum to 1."""
    words = [question_words[start:end].lower() for start, end in embedding.spans]
    stems = {word: (context.db.tokens(word) or [""])[0] for word in dict.fromkeys(words)}
    total = context.words.total
    counts = context.words.counts(stems.values())
    document_counts = [min(total, counts[stems[word]]) for word in words]
    raw = [compute_idf(total, holders) ** RARITY for holders in document_counts]
    total_weight = sum(raw) or 1.0
    return [weight / total_weight for weight in raw]
