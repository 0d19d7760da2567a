"""How well documents answer a few words (BM25), for counts that are at hand."""

from __future__ import annotations

from collections.abc import Mapping
from math import log
from typing import TypeVar

K1 = 2.0
B = 0.75
_Doc = TypeVar("_Doc")


def bm25(
    holders: Mapping[str, Mapping[_Doc, float]], lengths: Mapping[_Doc, float], *, b: float = B
) -> dict[_Doc, dict[str, float]]:
    """What each word adds to the score of each document that holds it."""
    count = len(lengths)
    average = sum(lengths.values()) / count if count else 1.0
    found: dict[_Doc, dict[str, float]] = {}
    for word, docs in holders.items():
        rarity = log(1 + (count - len(docs) + 0.5) / (len(docs) + 0.5))
        for doc, times in docs.items():
            reach = K1 * (1 - b + b * lengths[doc] / (average or 1.0))
            found.setdefault(doc, {})[word] = rarity * times * (K1 + 1) / (times + reach)
    return found
