"""Which files feel a change of one place: the nodes a walk comes to, gathered by file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from recollect.codegraph.traverse import LIMIT, CodeGraph
from recollect.codegraph.walk import Step, Walk
from recollect.model.code import EDGE_WEIGHTS, SURE, CodeNode, EdgeKind
from recollect.model.impact import Dependent
from recollect.model.testfile import is_test_file
from recollect.store.tables import code_files

_MOST_NODES = 8
# The nearest so many nodes are looked at; whoever touches more will not go through them one by one.
MOST_FELT = 1_000


class Felt(NamedTuple):
    """The files, nearest and strongest first; what of it was added by hand; and whether there is more than was seen."""

    files: list[Dependent]
    added: list[str]
    cut: bool


def felt(graph: CodeGraph, key: str, *, depth: int, back: bool = True, weak: bool = False) -> Felt:
    """Files that depend on a place (or, not BACK, that it depends on), and nodes people added that do."""
    starts = graph.nums_of(key)
    steps = graph.steps(starts, back=back, depth=depth, limit=MOST_FELT, weak=weak)
    nodes = graph.described(num for step in steps for num in (step.num, step.origin))
    found = _by_file(steps, nodes)
    for one in _asking_by_name(graph, key, starts) if back else ():
        known = found.get(one.path)
        if known is None or (one.depth, -one.weight) < (known.depth, -known.weight):
            found[one.path] = one._replace(nodes=(*known.nodes, *one.nodes)) if known else one
    files = sorted(found.values(), key=lambda one: (one.depth, -one.weight, one.path))
    added = [nodes[step.num].key for step in steps if step.num < 0]
    return Felt(files, added, len(steps) >= MOST_FELT)


def needed_by(graph: CodeGraph, key: str) -> set[str]:
    """The files a place depends on directly."""
    steps = graph.steps(graph.nums_of(key), back=False, depth=1, limit=MOST_FELT)
    nodes = graph.described(step.num for step in steps)
    return {nodes[step.num].path for step in steps} - {""}


def _by_file(steps: Iterable[Step], nodes: Mapping[int, CodeNode]) -> dict[str, Dependent]:
    """The nearest node of each file with its way; the walk hands out the nearest and strongest first."""
    firsts: list[Step] = []
    reached: dict[str, list[str]] = {}
    # Whoever a step comes from was come to before, so every way is one that is known and one key more.
    ways: dict[int, tuple[str, ...]] = {}
    for step in steps:
        num, origin, _, _, _ = step
        node = nodes[num]
        path, key = node.path, node.key
        before = ways.get(origin)
        ways[num] = (*before, key) if before else (nodes[origin].key, key)
        if path in reached:
            reached[path].append(key)
        else:
            reached[path] = [key]
            firsts.append(step)
    return {
        path: Dependent(path, depth, weight, kind, ways[num], tuple(keys[:_MOST_NODES]), is_test_file(path))
        for (num, _, depth, kind, weight), (path, keys) in zip(firsts, reached.items(), strict=True)
        if path
    }


def _asking_by_name(graph: CodeGraph, key: str, starts: Sequence[int]) -> list[Dependent]:
    """
    Files that import a definition by its name and do more with it than call it: a type, a value, a subclass's field.

    No edge leads from such a use to the definition, but the file imports the one it stands in, or one that passes it
    on, and asks for the name. Members of a class are not imported by name; their calls are edges.
    """
    path, _, name = key.partition("::")
    if not name or "." in name:
        return []
    asking = code_files.mentioning(graph.db, graph.tree, [name]).get(name, set()) - {path}
    if not asking:
        return []
    passers = graph.graph.walk(starts, _one_step(EdgeKind.EXPORTS))
    nodes = graph.described(step.num for step in passers)
    fronts = {nodes[step.num].path for step in passers} - {path, ""}
    found = [
        one._replace(weight=one.weight * EDGE_WEIGHTS[EdgeKind.EXPORTS], depth=2, way=(key, *one.way))
        for front in sorted(fronts)
        for one in _importing(graph, front, asking)
    ]
    found += [one._replace(way=(key, *one.way[1:])) for one in _importing(graph, path, asking)]
    return sorted(found, key=lambda one: -one.depth)


def _importing(graph: CodeGraph, path: str, among: set[str]) -> list[Dependent]:
    file_num = graph.held(path)[""]
    steps = graph.graph.walk([file_num], _one_step(EdgeKind.IMPORTS))
    nodes = graph.described({step.num for step in steps} | {file_num})
    return [one for other, one in _by_file(steps, nodes).items() if other in among]


def _one_step(kind: EdgeKind) -> Walk:
    return Walk(True, 1, LIMIT, frozenset({kind}), SURE)
