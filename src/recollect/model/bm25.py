"""BM25: what a word adds to the score of a text that holds it. Plain arithmetic, for numbers and for arrays of them."""

from __future__ import annotations

from math import log
from typing import Any


def compute_idf(total: float, holders: float) -> float:
    """Inverse document frequency: how rare a word is that so many of all texts hold."""
    return log(1 + (total - holders + 0.5) / (holders + 0.5))


def saturate(times: Any, length: Any, *, mean_length: float, k1: float, b: float) -> Any:
    """
    How much a word says for a text that holds it so often, from 0 to 1.

    `k1` is how soon a word has been said often enough, `b` how much a long text pays for its length.
    """
    return times / (times + k1 * (1 - b + b * length / mean_length))
