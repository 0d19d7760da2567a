"""How good a ranking is, given what it should have found. Pure functions over item names."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence

# What is reported, in this order: name -> (what it measures, at which depth).
METRICS = ("r@5", "r@10", "r@20", "all@5", "all@10", "any@5", "ndcg@10")


def score(ranking: Sequence[str], evidence: Collection[str]) -> dict[str, float]:
    """Every metric of one answer, each from 0 to 1. There must be evidence."""
    wanted = frozenset(evidence)
    return {name: _metric(name, ranking, wanted) for name in METRICS}


def mean(scores: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """The mean of each metric in percent, to one decimal; nothing when there was nothing to score."""
    listed = list(scores)
    if not listed:
        return {}
    return {name: round(100 * sum(one[name] for one in listed) / len(listed), 1) for name in listed[0]}


def share_found(ranking: Sequence[str], wanted: frozenset[str], k: int) -> float:
    """The share of what was wanted among the first k."""
    return len(wanted.intersection(ranking[:k])) / len(wanted)


def gain(ranking: Sequence[str], wanted: frozenset[str], k: int) -> float:
    """How early what was wanted comes, against the best order there could be (nDCG, a hit counts 1)."""
    got = sum(1 / math.log2(place + 2) for place, item in enumerate(ranking[:k]) if item in wanted)
    best = sum(1 / math.log2(place + 2) for place in range(min(k, len(wanted))))
    return got / best


def _metric(name: str, ranking: Sequence[str], wanted: frozenset[str]) -> float:
    what, _, depth = name.partition("@")
    k = int(depth)
    match what:
        case "r":
            return share_found(ranking, wanted, k)
        case "all":
            return float(share_found(ranking, wanted, k) == 1.0)
        case "any":
            return float(share_found(ranking, wanted, k) > 0.0)
        case _:
            return gain(ranking, wanted, k)
