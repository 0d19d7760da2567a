"""
Louvain communities: groups of files that are more strongly connected to each other than to the rest.

Everything is done in the order of names, so that the same graph gives the same groups.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

Weights = Mapping[tuple[str, str], float]

_MAX_ROUNDS = 30
_MIN_GAIN = 1e-12


def find_communities(names: Iterable[str], weights: Weights) -> list[list[str]]:
    """Split names into groups, each sorted; a name without connections is a group of its own."""
    groups = {name: [name] for name in sorted(names)}
    ties = _symmetrize(groups, weights)
    while True:
        group_of = _move_nodes(ties)
        if len(set(group_of.values())) == len(groups):
            return sorted(sorted(group) for group in groups.values())
        merged: dict[str, list[str]] = {}
        for name, group in groups.items():
            merged.setdefault(group_of[name], []).extend(group)
        ties = _merge_groups(ties, group_of)
        groups = merged


def _symmetrize(names: Iterable[str], weights: Weights) -> dict[str, dict[str, float]]:
    ties: dict[str, dict[str, float]] = {name: {} for name in names}
    for (one, other), weight in weights.items():
        if one != other and one in ties and other in ties:
            ties[one][other] = ties[one].get(other, 0.0) + weight
            ties[other][one] = ties[other].get(one, 0.0) + weight
    return ties


def _move_nodes(ties: Mapping[str, Mapping[str, float]]) -> dict[str, str]:
    """Each thing with the group it would rather be in, moving one at a time until nobody gains by it."""
    degree = {name: sum(near.values()) for name, near in ties.items()}
    whole = sum(degree.values())
    home = {name: name for name in ties}
    if not whole:
        return home
    total = dict(degree)
    for _ in range(_MAX_ROUNDS):
        moved = False
        for name in sorted(ties):
            best = _find_best_group(name, ties[name], home, total, degree[name] / whole)
            if best != home[name]:
                total[home[name]] -= degree[name]
                total[best] += degree[name]
                home[name] = best
                moved = True
        if not moved:
            break
    return home


def _find_best_group(
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
        if gain(group) > most + _MIN_GAIN:
            best, most = group, gain(group)
    return best


def _merge_groups(
    ties: Mapping[str, Mapping[str, float]], group_of: Mapping[str, str]
) -> dict[str, dict[str, float]]:
    merged: dict[str, dict[str, float]] = {}
    for name, near in ties.items():
        weights = merged.setdefault(group_of[name], {})
        for other, weight in near.items():
            weights[group_of[other]] = weights.get(group_of[other], 0.0) + weight
    return merged
