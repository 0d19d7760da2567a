"""
Breadth-first search over the graph: level by level to the neighbours, keeping the strongest path to each node.

`CompactGraph` holds all edges in flat arrays, both ways, for a process that asks often; with numpy loaded
whole levels are taken at once. `StoredGraph` asks the store level by level, for a process that asks once.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from recollect.model.code import EDGE_WEIGHTS, EdgeKind
from recollect.store.db import Db
from recollect.store.tables import code_nodes

KINDS = tuple(EdgeKind)
_PLACE_OF_KIND = {kind: place for place, kind in enumerate(KINDS)}
_WEIGHTS = tuple(EDGE_WEIGHTS[kind] for kind in KINDS)

EdgeRow = tuple[int, int, str, float]


class WalkStep(NamedTuple):
    """A node that was reached: from which node, by which kind of edge, and with which weight."""

    num: int
    origin: int
    depth: int
    kind: EdgeKind
    weight: float


class Walk(NamedTuple):
    """Options of a search: against the edges (dependents) or along them, how deep, over which kinds."""

    back: bool
    depth: int
    limit: int
    kinds: frozenset[EdgeKind]
    weakest: float


Neighbours = Callable[[Sequence[int], bool], Iterable[tuple[int, int, EdgeKind, float]]]


class CompactGraph:
    """Nodes by place, edges as arrays of ends, kinds and confidences, grouped by node, in both directions."""

    def __init__(self, nums: Iterable[int], edges: Iterable[EdgeRow]) -> None:
        self.nums = sorted(nums)
        self._place = {num: place for place, num in enumerate(self.nums)}
        rows = [
            (self._place[source], self._place[target], _PLACE_OF_KIND[EdgeKind(kind)], confidence)
            for source, target, kind, confidence in edges
            if source in self._place and target in self._place
        ]
        self._out = _Side(len(self.nums), rows)
        self._in = _Side(len(self.nums), [(target, source, *rest) for source, target, *rest in rows])

    def __len__(self) -> int:
        return len(self.nums)

    def walk(self, starts: Iterable[int], how: Walk) -> list[WalkStep]:
        """All nodes within reach, nearest first."""
        places = [self._place[num] for num in starts if num in self._place]
        side = self._in if how.back else self._out
        numpy = sys.modules.get("numpy")
        steps = side.walk_fast(numpy, places, how) if numpy is not None else side.walk(places, how)
        nums, make_tuple = self.nums, tuple.__new__
        # A quarter of the time of the constructor, and what much leads to has a thousand steps.
        return [
            make_tuple(WalkStep, (nums[place], nums[origin], depth, KINDS[kind], weight))
            for place, origin, depth, kind, weight in steps
        ]


class _Side:
    """The edges in one direction, as arrays grouped by node (compressed sparse rows)."""

    def __init__(self, size: int, rows: list[Any]) -> None:
        rows.sort()
        counts = [0] * (size + 1)
        for row in rows:
            counts[row[0] + 1] += 1
        self.offsets = array("q", accumulate(counts))
        self.ends = array("q", [row[1] for row in rows])
        self.kinds = array("b", [row[2] for row in rows])
        self.confidences = array("d", [row[3] for row in rows])
        self._views: Any = None

    def walk(self, starts: Sequence[int], how: Walk) -> list[tuple[int, int, int, int, float]]:
        allowed = [kind in how.kinds for kind in KINDS]
        visited = set(starts)
        level = dict.fromkeys(starts, 1.0)
        steps: list[tuple[int, int, int, int, float]] = []
        for depth in range(1, how.depth + 1):
            best: dict[int, tuple[int, int, int, int, float]] = {}
            for origin, arrived in level.items():
                for at in range(self.offsets[origin], self.offsets[origin + 1]):
                    place, kind = self.ends[at], self.kinds[at]
                    confidence = self.confidences[at]
                    if place in visited or not allowed[kind] or confidence < how.weakest:
                        continue
                    weight = arrived * _WEIGHTS[kind] * confidence
                    if place not in best or weight > best[place][4]:
                        best[place] = (place, origin, depth, kind, weight)
            reached = sorted(best.values(), key=lambda step: (-step[4], step[0]))[: how.limit - len(steps)]
            steps += reached
            visited.update(best)
            level = {step[0]: step[4] for step in reached}
            if not level or len(steps) >= how.limit:
                break
        return steps

    def walk_fast(self, np: Any, starts: Sequence[int], how: Walk) -> list[tuple[int, int, int, int, float]]:
        offsets, ends, kinds, confidences = self._arrays(np)
        allowed = np.array([kind in how.kinds for kind in KINDS])
        weights = np.array(_WEIGHTS)
        visited = np.zeros(len(offsets) - 1, dtype=bool)
        level = np.unique(np.array(starts, dtype=np.int64))
        visited[level] = True
        arrived = np.ones(len(level))
        steps: list[tuple[int, int, int, int, float]] = []
        for depth in range(1, how.depth + 1):
            counts = offsets[level + 1] - offsets[level]
            total = int(counts.sum())
            if not total:
                break
            # Where the edges of each node of the level lie, one after the other.
            starts_at = np.repeat(offsets[level] - np.concatenate(([0], np.cumsum(counts)[:-1])), counts)
            at = starts_at + np.arange(total)
            good = ~visited[ends[at]] & allowed[kinds[at]] & (confidences[at] >= how.weakest)
            at, origin = at[good], np.repeat(np.arange(len(level)), counts)[good]
            weight = arrived[origin] * weights[kinds[at]] * confidences[at]
            order = np.lexsort((ends[at], -weight))
            _, first = np.unique(ends[at][order], return_index=True)
            first = np.sort(first)
            visited[ends[at]] = True
            chosen = order[first][: how.limit - len(steps)]
            places, origins = ends[at][chosen], level[origin[chosen]]
            level, arrived = places, weight[chosen]
            steps += zip(
                places.tolist(),
                origins.tolist(),
                [depth] * len(chosen),
                kinds[at][chosen].tolist(),
                arrived.tolist(),
                strict=True,
            )
            if not len(level) or len(steps) >= how.limit:
                break
        return steps

    def _arrays(self, np: Any) -> Any:
        if self._views is None:
            self._views = (
                np.frombuffer(self.offsets, dtype=np.int64),
                np.frombuffer(self.ends, dtype=np.int64) if len(self.ends) else np.zeros(0, dtype=np.int64),
                np.frombuffer(self.kinds, dtype=np.int8) if len(self.kinds) else np.zeros(0, dtype=np.int8),
                np.frombuffer(self.confidences) if len(self.confidences) else np.zeros(0),
            )
        return self._views


class StoredGraph:
    """The same walk over the tables: one query per level, never more than the limit asks for."""

    def __init__(self, db: Db, added: Mapping[bool, Mapping[int, list[tuple[int, EdgeKind, float]]]]) -> None:
        self._db = db
        # Edges people added, by direction and node: they are few and not in the same table.
        self._added = added

    def walk(self, starts: Iterable[int], how: Walk) -> list[WalkStep]:
        """All nodes within reach, nearest first."""
        visited = set(starts)
        level = dict.fromkeys(visited, 1.0)
        steps: list[WalkStep] = []
        for depth in range(1, how.depth + 1):
            best: dict[int, WalkStep] = {}
            for near, origin, kind, confidence in self._near(list(level), how.back):
                if near in visited or kind not in how.kinds or confidence < how.weakest:
                    continue
                weight = level[origin] * EDGE_WEIGHTS[kind] * confidence
                if near not in best or weight > best[near].weight:
                    best[near] = WalkStep(near, origin, depth, kind, weight)
            reached = sorted(best.values(), key=lambda step: (-step.weight, step.num))
            steps += reached[: how.limit - len(steps)]
            visited.update(best)
            level = {step.num: step.weight for step in reached}
            if not level or len(steps) >= how.limit:
                break
        return steps

    def _near(self, nums: list[int], back: bool) -> Iterable[tuple[int, int, EdgeKind, float]]:
        yield from code_nodes.list_edges_near(self._db, nums, back=back)
        for num in nums:
            for other, kind, confidence in self._added[back].get(num, ()):
                yield other, num, kind, confidence
