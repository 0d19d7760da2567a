"""
A closer look at the best candidates: every word of the question against every word of each memory.

Each word of the question takes its best match in the memory (late interaction), weighed by how rare the word
is. A short memory may borrow a match from the one noted just before or after it; a long one is judged by its best
sentence, which may borrow from its own neighbours, so that scattered words do not add up to an answer.
"""

from __future__ import annotations

import math
from heapq import nlargest
from typing import Any

from recollect.model.embedding import QueryEmbedding, unpack_words
from recollect.retrieve.question import Question
from recollect.retrieve.read_context import Ground
from recollect.store.tables.memories import SHORT_TEXT, Candidate

# How many of the best by first score are looked at.
LOOKED_AT = 100
# What a match counts that stands not in the memory itself but in the one just before or after it.
NEIGHBOUR = 0.85
# The same between the sentences of a long memory.
NEXT_SENTENCE = 0.7
# How much more rare words weigh than common ones: the power of their idf.
RARITY = 2.0


def closer_look(
    ground: Ground, question: Question, rows: dict[int, Candidate], first: dict[int, float]
) -> dict[int, float]:
    """For the best by a first score, how well their words answer the question's, 0 to 1; none without word vectors."""
    embedding = question.embedding
    if embedding is None or not embedding.words:
        return {}
    best = nlargest(LOOKED_AT, first, key=first.__getitem__)
    blobs = ground.shelf.words_of(ground.model, best)
    held = {num: blob for num in best if (blob := blobs[num])}
    if not held:
        return {}
    import numpy as np

    weights = np.array(_weights(ground, question.asked, embedding), np.float32)
    asked = np.frombuffer(embedding.words, np.float32).reshape(len(weights), -1)
    own, sentence = _matches(np, list(held.values()), asked, weights)
    nums = list(held)
    lent = _with_neighbours(np, own, nums, rows)
    short = np.array([rows[num].size <= SHORT_TEXT for num in nums])
    scores = np.where(short, lent @ weights, sentence)
    return dict(zip(nums, scores.tolist(), strict=True))


def _matches(np: Any, blobs: list[bytes], asked: Any, weights: Any) -> tuple[Any, Any]:
    """For each memory: the best match of each word of the question, and the score of its best sentence."""
    packed = unpack_words(blobs, dimensions=asked.shape[1])
    # int8 has no fast product; as floats it is one call.
    alike = packed.rows.astype(np.float32) @ (asked.T * np.float32(1 / 127))
    by_sentence = np.maximum.reduceat(alike, packed.sentence_starts[:-1], axis=0)
    first = packed.text_starts[:-1]
    lent = _with_next_sentences(np, by_sentence, packed.text_starts)
    return np.maximum.reduceat(by_sentence, first, axis=0), np.maximum.reduceat(lent @ weights, first)


def _with_next_sentences(np: Any, by_sentence: Any, text_starts: Any) -> Any:
    lent = by_sentence.copy()
    inside = np.ones(len(by_sentence), bool)
    inside[text_starts[:-1]] = False  # the first sentence of a text has none before it, and is after none
    after = np.flatnonzero(inside)
    lent[after] = np.maximum(lent[after], by_sentence[after - 1] * NEXT_SENTENCE)
    lent[after - 1] = np.maximum(lent[after - 1], by_sentence[after] * NEXT_SENTENCE)
    return lent


def _with_neighbours(np: Any, own: Any, nums: list[int], rows: dict[int, Candidate]) -> Any:
    place = {num: at for at, num in enumerate(nums)}
    sessions = {num: rows[num].session_id for num in nums}
    lent = own.copy()
    for step in (-1, 1):
        borrowing = [num for num in nums if sessions[num] and sessions[num] == sessions.get(num + step)]
        to, by = [place[num] for num in borrowing], [place[num + step] for num in borrowing]
        lent[to] = np.maximum(lent[to], own[by] * NEIGHBOUR)
    return lent


def _weights(ground: Ground, asked: str, embedding: QueryEmbedding) -> list[float]:
    """What each word piece of the question weighs: rare words more; they sum to 1."""
    words = [asked[start:end].lower() for start, end in embedding.spans]
    stems = {word: (ground.db.tokens(word) or [""])[0] for word in dict.fromkeys(words)}
    total = ground.words.total
    counts = ground.words.counts(stems.values())
    found = [min(total, counts[stems[word]]) for word in words]
    raw = [math.log(1 + (total - n + 0.5) / (n + 0.5)) ** RARITY for n in found]
    whole = sum(raw) or 1.0
    return [weight / whole for weight in raw]
