"""
Clusters of failures: agglomerative clustering with average linkage, inside the parts that are connected at all.

What is tied already (one fingerprint, one lesson) begins as one cluster, so what was joined stays joined, and a new
failure joins it or stands alone. No number of clusters is asked for; a threshold says how alike a cluster must be.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from recollect.learn.lessons.likeness import measure_likeness
from recollect.model.failure import Failure
from recollect.providers.embed import Embedder

if TYPE_CHECKING:
    from recollect.learn.lessons.likeness import Matrix

# Chosen on two of the sets of benchmarks/failures; without a model there is less to see, and less is enough.
MIN_LIKENESS = 0.26
MIN_LIKENESS_BY_WORDS = 0.2


def cluster_failures(failures: Sequence[Failure], embedder: Embedder | None) -> list[list[Failure]]:
    """Failures that one rule would serve, the largest cluster first; one that is like no other stands alone."""
    if not failures:
        return []
    likeness = measure_likeness(failures, embedder)
    threshold = MIN_LIKENESS if embedder is not None else MIN_LIKENESS_BY_WORDS
    clusters = [
        cluster
        for part in _find_connected(likeness, threshold, _list_tied(failures))
        for cluster in _merge_in_part(likeness, part, threshold)
    ]
    clusters.sort(key=lambda cluster: (-len(cluster), cluster[0]))
    return [[failures[i] for i in cluster] for cluster in clusters]


def _list_tied(failures: Sequence[Failure]) -> list[list[int]]:
    """Which failures are one from the start: of one lesson, else of one fingerprint; each stands in one group."""
    groups: dict[str, list[int]] = {}
    lessons = {failure.key: failure.lesson_id for failure in failures if failure.key and failure.lesson_id}
    for i, failure in enumerate(failures):
        lesson = failure.lesson_id or lessons.get(failure.key)
        name = f"lesson {lesson}" if lesson else f"key {failure.key}" if failure.key else f"{i}"
        groups.setdefault(name, []).append(i)
    return list(groups.values())


def _find_connected(likeness: Matrix, threshold: float, tied: Iterable[list[int]]) -> list[list[list[int]]]:
    """Groups in parts that no likeness above the threshold joins: an average cannot reach it across two of them."""
    import numpy as np

    groups = list(tied)
    group_of = {i: number for number, group in enumerate(groups) for i in group}
    parents = list(range(len(groups)))

    def find_root(number: int) -> int:
        while parents[number] != number:
            parents[number] = parents[parents[number]]
            number = parents[number]
        return number

    for i, j in np.argwhere(np.triu(likeness, 1) >= threshold):
        parents[find_root(group_of[int(i)])] = find_root(group_of[int(j)])
    parts: dict[int, list[list[int]]] = {}
    for number, group in enumerate(groups):
        parts.setdefault(find_root(number), []).append(group)
    return list(parts.values())


def _merge_in_part(likeness: Matrix, groups: list[list[int]], threshold: float) -> list[list[int]]:
    """Merge the two most alike again and again, until none are alike enough."""
    import numpy as np

    clusters = [list(group) for group in groups]
    size = len(clusters)
    links = np.full((size, size), -1.0)
    for a in range(size):
        for b in range(a + 1, size):
            links[a, b] = links[b, a] = likeness[np.ix_(clusters[a], clusters[b])].mean()
    while size > 1:
        a, b = divmod(int(links.argmax()), len(clusters))
        if links[a, b] < threshold:
            break
        weight_a, weight_b = len(clusters[a]), len(clusters[b])
        links[a] = (links[a] * weight_a + links[b] * weight_b) / (weight_a + weight_b)
        links[:, a] = links[a]
        links[b], links[:, b], links[a, a] = -1.0, -1.0, -1.0
        clusters[a] += clusters[b]
        clusters[b] = []
        size -= 1
    return [sorted(cluster) for cluster in clusters if cluster]
