"""Metrics of rankings (recall, nDCG) and of probabilities (calibration error). Pure functions."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence

from recollect.model.value import dataclass

# What is reported, in this order: name -> (what it measures, at which depth).
METRICS = ("r@5", "r@10", "r@20", "all@5", "all@10", "any@5", "ndcg@10")


def score_ranking(ranking: Sequence[str], evidence: Collection[str]) -> dict[str, float]:
    """Every metric of one answer, each from 0 to 1. There must be evidence."""
    wanted = frozenset(evidence)
    return {name: _metric(name, ranking, wanted) for name in METRICS}


def mean_scores(scores: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """The mean of each metric in percent, to one decimal; nothing when there was nothing to score."""
    listed = list(scores)
    if not listed:
        return {}
    return {name: round(100 * sum(one[name] for one in listed) / len(listed), 1) for name in listed[0]}


def recall_at(ranking: Sequence[str], wanted: frozenset[str], k: int) -> float:
    """The share of what was wanted among the first k."""
    return len(wanted.intersection(ranking[:k])) / len(wanted)


def ndcg(ranking: Sequence[str], wanted: frozenset[str], k: int) -> float:
    """How early what was wanted comes, against the best order there could be (nDCG, a hit counts 1)."""
    gain = sum(1 / math.log2(place + 2) for place, item in enumerate(ranking[:k]) if item in wanted)
    best = sum(1 / math.log2(place + 2) for place in range(min(k, len(wanted))))
    return gain / best


def _metric(name: str, ranking: Sequence[str], wanted: frozenset[str]) -> float:
    what, _, depth = name.partition("@")
    k = int(depth)
    match what:
        case "r":
            return recall_at(ranking, wanted, k)
        case "all":
            return float(recall_at(ranking, wanted, k) == 1.0)
        case "any":
            return float(recall_at(ranking, wanted, k) > 0.0)
        case _:
            return ndcg(ranking, wanted, k)


BINS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Bin:
    """All that was said to be about as likely: how many, how likely on average, and how many of them were so."""

    count: int
    said: float
    true: float


def calibration_table(probabilities: Sequence[float], true: Sequence[bool]) -> list[Bin]:
    """Probabilities in ten equal steps from 0 to 1; empty steps are left out."""
    steps: list[list[tuple[float, bool]]] = [[] for _ in range(BINS)]
    for probability, is_true in zip(probabilities, true, strict=True):
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


def calibration_error(bins: Sequence[Bin]) -> float:
    """The expected calibration error: how far what was said lies from what was true, weighed by how much was said."""
    total = sum(one.count for one in bins)
    return sum(one.count * abs(one.said - one.true) for one in bins) / total if total else 0.0
