"""What one occurrence of a term is worth: the arithmetic that both ways of searching by words share."""

from __future__ import annotations

from collections.abc import Mapping
from heapq import nsmallest
from typing import Any

from recollect.model.value import dataclass

# How soon a term has been said often enough, and how much a long text pays for its length.
K1 = 1.2
LENGTH = 0.5
# What a term counts that stands not in the memory itself but in one just before or after it.
NEARBY = 0.65
# So far the neighbourhood reaches, in memories.
STEPS = (-2, -1, 1, 2)
# In a process that has just started only the best by their own words lend them; what further ones would lend is too
# little to reach the best, and asking for their neighbours takes time.
LENDERS = 2000


@dataclass(frozen=True, slots=True)
class Scale:
    """BM25 without its idf, for texts of so many bytes on average."""

    mean_size: float

    def strength(self, times: Any, size: Any) -> Any:
        """How much a term says for a text that holds it so often, from 0 to 1; for numbers or arrays of them."""
        return times / (times + K1 * (1 - LENGTH + LENGTH * size / self.mean_size))


def first(scores: Mapping[int, float], limit: int) -> list[int]:
    """The best so many; of equal ones the older."""
    return nsmallest(limit, scores, key=lambda num: (-scores[num], num))
