"""
Groups of things that have more to do with each other than with the rest, by greedy modularity (Louvain).

Everything is done in the order of names, so that the same graph gives the same groups.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

Weights = Mapping[tuple[str, str], float]

_MOST_ROUNDS = 30
_LEAST_GAIN = 1e-12


def communities(names: Iterable[str], weights: Weights) -> list[list[str]]:
    """The groups, each in the order of its names; a thing without ties is a group of its own."""
    groups = {name: [name] for name in sorted(names)}
    ties = _both_ways(groups, weights)
    while True:
        joined = _joined(ties)
        if len(set(joined.values())) == len(groups):
            return sorted(sorted(group) for group in groups.values())
        merged: dict[str, list[str]] = {}
        for name, group in groups.items():
            merged.setdefault(joined[name], []).extend(group)
        ties = _merged(ties, joined)
        groups = merged


def _both_ways(names: Iterable[str], weights: Weights) -> dict[str, dict[str, float]]:
    ties: dict[str, dict[str, float]] = {name: {} for name in names}
    for (one, other), weight in weights.items():
        if one != other and one in ties and other in ties:
            ties[one][other] = ties[one].get(other, 0.0) + weight
            ties[other][one] = ties[other].get(one, 0.0) + weight
    return ties


def _joined(ties: Mapping[str, Mapping[str, float]]) -> dict[str, str]:
    """Each thing with the group it would rather be in, moving one at a time until nobody gains by it."""
    degree = {name: sum(near.values()) for name, near in ties.items()}
    whole = sum(degree.values())
    home = {name: name for name in ties}
    if not whole:
        return home
    total = dict(degree)
    for _ in range(_MOST_ROUNDS):
        moved = False
        for name in sorted(ties):
            best = _best(name, ties[name], home, total, degree[name] / whole)
            if best != home[name]:
                total[home[name]] -= degree[name]
                total[best] += degree[name]
                home[name] = best
                moved = True
        if not moved:
            break
    return home


def _best(
    name: str, near: Mapping[str, float], home: Mapping[str, str], total: Mapping[str, float], share: float
) -> str:
    pull: dict[str, float] = {home[name]: 0.0}
    for other, weight in near.items():
        if other != name:
            pull[home[other]] = pull.get(home[other], 0.0) + weight
    own = sum(near.values())

    def gain(group: str) -> float:
        others = total[group] - (own if group == home[name] else 0.0)
        return pull[group] - others * share

    best, most = home[name], gain(home[name])
    for group in sorted(pull):
        if gain(group) > most + _LEAST_GAIN:
            best, most = group, gain(group)
    return best


def _merged(
    ties: Mapping[str, Mapping[str, float]], joined: Mapping[str, str]
) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for name, near in ties.items():
        held = found.setdefault(joined[name], {})
        for other, weight in near.items():
            held[joined[other]] = held.get(joined[other], 0.0) + weight
    return found
