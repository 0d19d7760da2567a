"""Whether probabilities mean what they say: of all that was called 70 % likely, were 70 % so? Pure functions."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.model.value import dataclass

BINS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Bin:
    """All that was said to be about as likely: how many, how likely on average, and how many of them were so."""

    count: int
    said: float
    true: float


def table(said: Sequence[float], true: Sequence[bool]) -> list[Bin]:
    """Probabilities in ten equal steps from 0 to 1; empty steps are left out."""
    steps: list[list[tuple[float, bool]]] = [[] for _ in range(BINS)]
    for probability, is_true in zip(said, true, strict=True):
        steps[min(BINS - 1, int(probability * BINS))].append((probability, is_true))
    return [
        Bin(
            count=len(step),
            said=sum(probability for probability, _ in step) / len(step),
            true=sum(is_true for _, is_true in step) / len(step),
        )
        for step in steps
        if step
    ]


def error(bins: Sequence[Bin]) -> float:
    """The expected calibration error: how far what was said lies from what was true, weighed by how much was said."""
    total = sum(one.count for one in bins)
    return sum(one.count * abs(one.said - one.true) for one in bins) / total if total else 0.0
