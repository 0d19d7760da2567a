"""Dependents of a place: the files a change reaches, by breadth-first search over the code graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from recollect.codegraph.breadth_first import Walk, WalkStep
from recollect.codegraph.code_graph import LIMIT, CodeGraph
from recollect.model.code import EDGE_WEIGHTS, SURE, CodeNode, EdgeKind
from recollect.model.impact import Dependent
from recollect.model.path_kinds import is_test_file
from recollect.store.tables import code_files

_MAX_NODES = 8
# The nearest so many nodes are looked at; whoever touches more will not go through them one by one.
MAX_DEPENDENTS = 1_000


class Dependents(NamedTuple):
    """The files, nearest and strongest first; nodes that people added; and whether the list was cut off."""

    files: list[Dependent]
    added: list[str]
    cut: bool


def find_dependents(
    graph: CodeGraph, key: str, *, depth: int, back: bool = True, weak: bool = False
) -> Dependents:
    """Files that depend on a place (or, not BACK, that it depends on), and nodes people added that do."""
    starts = graph.nums_of(key)
    steps = graph.steps(starts, back=back, depth=depth, limit=MAX_DEPENDENTS, weak=weak)
    nodes = graph.describe_nodes(num for step in steps for num in (step.num, step.origin))
    by_file = _by_file(steps, nodes)
    for one in _find_importers_of_name(graph, key, starts) if back else ():
        dependent = by_file.get(one.path)
        if dependent is None or (one.depth, -one.weight) < (dependent.depth, -dependent.weight):
            by_file[one.path] = one._replace(nodes=(*dependent.nodes, *one.nodes)) if dependent else one
    files = sorted(by_file.values(), key=lambda one: (one.depth, -one.weight, one.path))
    added = [nodes[step.num].key for step in steps if step.num < 0]
    return Dependents(files, added, len(steps) >= MAX_DEPENDENTS)


def find_needed_files(graph: CodeGraph, key: str) -> set[str]:
    """The files a place depends on directly."""
    steps = graph.steps(graph.nums_of(key), back=False, depth=1, limit=MAX_DEPENDENTS)
    nodes = graph.describe_nodes(step.num for step in steps)
    return {nodes[step.num].path for step in steps} - {""}


def _by_file(steps: Iterable[WalkStep], nodes: Mapping[int, CodeNode]) -> dict[str, Dependent]:
    """The nearest node of each file with its path; the walk yields the nearest and strongest first."""
    firsts: list[WalkStep] = []
    reached: dict[str, list[str]] = {}
    # Whoever a step comes from was come to before, so every way is one that is known and one key more.
    paths: dict[int, tuple[str, ...]] = {}
    for step in steps:
        num, origin, _, _, _ = step
        node = nodes[num]
        path, key = node.path, node.key
        before = paths.get(origin)
        paths[num] = (*before, key) if before else (nodes[origin].key, key)
        if path in reached:
            reached[path].append(key)
        else:
            reached[path] = [key]
            firsts.append(step)
    return {
        path: Dependent(path, depth, weight, kind, paths[num], tuple(keys[:_MAX_NODES]), is_test_file(path))
        for (num, _, depth, kind, weight), (path, keys) in zip(firsts, reached.items(), strict=True)
        if path
    }


def _find_importers_of_name(graph: CodeGraph, key: str, starts: Sequence[int]) -> list[Dependent]:
    """
    Files that import a definition by its name and do more with it than call it: a type, a value, a subclass's field.

    No edge leads from such a use to the definition, but the file imports the one it stands in, or one that passes it
    on, and asks for the name. Members of a class are not imported by name; their calls are edges.
    """
    path, _, name = key.partition("::")
    if not name or "." in name:
        return []
    asking = code_files.find_mentions(graph.db, graph.tree, [name]).get(name, set()) - {path}
    if not asking:
        return []
    passers = graph.graph.walk(starts, _one_step(EdgeKind.EXPORTS))
    nodes = graph.describe_nodes(step.num for step in passers)
    fronts = {nodes[step.num].path for step in passers} - {path, ""}
    importers = [
        one._replace(weight=one.weight * EDGE_WEIGHTS[EdgeKind.EXPORTS], depth=2, way=(key, *one.way))
        for front in sorted(fronts)
        for one in _find_importers(graph, front, asking)
    ]
    importers += [one._replace(way=(key, *one.way[1:])) for one in _find_importers(graph, path, asking)]
    return sorted(importers, key=lambda one: -one.depth)


def _find_importers(graph: CodeGraph, path: str, among: set[str]) -> list[Dependent]:
    file_num = graph.nums_by_name(path)[""]
    steps = graph.graph.walk([file_num], _one_step(EdgeKind.IMPORTS))
    nodes = graph.describe_nodes({step.num for step in steps} | {file_num})
    return [one for other, one in _by_file(steps, nodes).items() if other in among]


def _one_step(kind: EdgeKind) -> Walk:
    return Walk(True, 1, LIMIT, frozenset({kind}), SURE)
