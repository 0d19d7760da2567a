"""
How rare a word is in English at large: its place in the vocabulary of the bundled model, which is ordered by frequency.

A store of three memories cannot tell a rare word from a common one; this can, without a model being loaded.
"""

from __future__ import annotations

import math
from functools import cache, lru_cache

from recollect.providers.embed_bundled import MODEL_FILES

# The vocabulary begins with control pieces and single characters; words start here.
_FIRST_WORD = 1000
# Among the very first all are function words: their order says nothing.
_COMMONEST = 150


@lru_cache(maxsize=8192)
def measure_rarity(word: str) -> float:
    """From 0 for the commonest words to 1 for one that the vocabulary does not have."""
    rank = _find_rank(word) or (_find_rank(word[:-1]) if word.endswith("s") else None)
    if rank is None:
        return 1.0
    lowest, highest = math.log(_COMMONEST), math.log(_count_words())
    return max(0.0, (math.log(max(rank, _COMMONEST)) - lowest) / (highest - lowest))


def _find_rank(word: str) -> int | None:
    rank = _read_ranks().get(word.encode("utf-8", "replace"), 0)
    return rank if rank > 0 else None


@cache
def _read_ranks() -> dict[bytes, int]:
    words = (MODEL_FILES / "vocabulary.txt").read_bytes().split(b"\n")
    return {word: rank for rank, word in enumerate(words, -_FIRST_WORD)}


@cache
def _count_words() -> int:
    return len(_read_ranks()) - _FIRST_WORD
