"""Questions to the graph of a checkout: who depends on a place, what it depends on, how a call gets there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from recollect.codegraph.modules import Part, parts_of
from recollect.codegraph.walk import CompactGraph, EdgeRow, Step, StoredGraph, Walk
from recollect.errors import NotFound
from recollect.model.code import SURE, CodeNode, EdgeKind, Hop, NodeKind, Reached
from recollect.store.db import Db
from recollect.store.tables import code_files, code_nodes, code_notes
from recollect.store.tables.code_files import Tree

DEPTH = 3
LIMIT = 2_000
_LONGEST_TRACE = 12
_MOST_TRACED = 50_000
ALL_KINDS = frozenset(EdgeKind)
# A file's own definitions bear on it without leaving it; they are where a walk starts, not where it goes.
_MOVING = ALL_KINDS - {EdgeKind.EXPORTS}


# Without slots: what is worked out once for all questions is kept in it.
@dataclass(frozen=True, kw_only=True)
class CodeGraph:
    """A checkout's graph to ask: kept in memory (`warm`) or asked of the store each time."""

    db: Db
    tree: Tree
    nodes: Mapping[int, CodeNode] | None
    numbers: Mapping[str, int]
    # The numbers of each file's nodes by qualified name; empty when the store is asked.
    by_path: Mapping[str, Mapping[str, int]]
    graph: CompactGraph | StoredGraph

    @cached_property
    def parts(self) -> list[Part]:
        """The parts the project falls into."""
        return parts_of(self.db, self.tree)

    def dependents(
        self, key: str, *, depth: int = DEPTH, limit: int = LIMIT, weak: bool = False
    ) -> list[Reached]:
        """Who depends on a file, definition, directory or module, nearest and strongest first."""
        return self._reach(key, back=True, depth=depth, limit=limit, weak=weak)

    def dependencies(
        self, key: str, *, depth: int = DEPTH, limit: int = LIMIT, weak: bool = False
    ) -> list[Reached]:
        """What it depends on."""
        return self._reach(key, back=False, depth=depth, limit=limit, weak=weak)

    def trace(self, source: str, target: str, *, weak: bool = False) -> list[Hop]:
        """The shortest path of calls from one place to another; empty when there is none."""
        starts, ends = self.nums_of(source), set(self.nums_of(target))
        calls = frozenset({EdgeKind.CALLS})
        how = Walk(False, _LONGEST_TRACE, _MOST_TRACED, calls, 0.0 if weak else SURE)
        steps = self.graph.walk(starts, how)
        last = next((step for step in steps if step.num in ends), None)
        if last is None:
            return []
        before = {step.num: step for step in steps}
        pairs = []
        step: Step | None = last
        while step is not None:
            pairs.append((step.origin, step.num))
            step = before.get(step.origin)
        nodes = self.described(num for pair in pairs for num in pair)
        return [self._hop(nodes, *pair) for pair in reversed(pairs)]

    def nums_of(self, key: str) -> list[int]:
        """The nodes a key stands for: a file with all its definitions, a class with its methods."""
        path, _, qualified = key.partition("::")
        found = [
            num
            for name, num in self.held(path).items()
            if not qualified or name == qualified or name.startswith(f"{qualified}.")
        ]
        found = found or self._apart(key)
        if not found:
            raise NotFound(what="place in the code graph", name=key, fix="recollect graph build")
        return found

    def node(self, key: str) -> CodeNode:
        """What a key stands for; NotFound if the graph has no such place."""
        nums = self.nums_of(key)
        path, _, qualified = key.partition("::")
        num = self.held(path).get(qualified, nums[-1])
        found = self.described({num})[num]
        if key.startswith("module:") and found.key != key:
            return CodeNode(key=key, kind=NodeKind.MODULE, name=key.removeprefix("module:"))
        return found

    def held(self, path: str) -> Mapping[str, int]:
        """The numbers of a file's nodes by qualified name, its own under ""; empty for what is no file here."""
        return self.by_path.get(path, {}) if self.by_path else code_nodes.nums_at(self.db, self.tree, path)

    def steps(
        self, starts: Iterable[int], *, back: bool, depth: int, limit: int = LIMIT, weak: bool = False
    ) -> list[Step]:
        """Every node within reach of some, over the edges by which a change moves on; nearest first."""
        return self.graph.walk(starts, Walk(back, depth, limit, _MOVING, 0.0 if weak else SURE))

    def described(self, nums: Iterable[int]) -> Mapping[int, CodeNode]:
        """What these nodes stand for, and maybe others too."""
        if self.nodes is not None:
            return self.nodes
        asked = set(nums)
        added = {num: _added_node(key) for key, num in self.numbers.items() if num in asked and num < 0}
        return code_nodes.nodes_by_num(self.db, [num for num in asked if num >= 0]) | added

    def _apart(self, key: str) -> list[int]:
        """The nodes of a directory, a module, or something that was added."""
        if self.numbers.get(key, 0) < 0:
            return [self.numbers[key]]
        if key.startswith("module:"):
            return self._module(key.removeprefix("module:"))
        folder = key.rstrip("/") + "/"
        own = code_nodes.apart_at(self.db, self.tree, NodeKind.DIRECTORY, folder[:-1])
        inside = [path for path in code_files.files(self.db, self.tree) if path.startswith(folder)]
        return [num for path in inside for num in self.held(path).values()] + ([own[0]] if own else [])

    def _module(self, name: str) -> list[int]:
        """The nodes of a module by its language's name (a package, a crate), else by that of a part of the project."""
        files = code_files.files(self.db, self.tree)
        inside: Iterable[str] = [path for path, file in files.items() if file.module == name]
        if not inside:
            inside = next((part.files for part in self.parts if part.name == name), ())
        own = code_nodes.apart_at(self.db, self.tree, NodeKind.MODULE, name)
        return [num for path in inside for num in self.held(path).values()] + ([own[0]] if own else [])

    def _reach(self, key: str, *, back: bool, depth: int, limit: int, weak: bool) -> list[Reached]:
        steps = self.steps(self.nums_of(key), back=back, depth=depth, limit=limit, weak=weak)
        nodes = self.described(num for step in steps for num in (step.num, step.origin))
        ways: dict[int, tuple[str, ...]] = {}
        found = []
        for step in steps:
            before = ways.get(step.origin, (nodes[step.origin].key,))
            ways[step.num] = (*before, nodes[step.num].key)
            found.append(
                Reached(
                    node=nodes[step.num],
                    depth=step.depth,
                    way=ways[step.num],
                    kind=step.kind,
                    weight=step.weight,
                )
            )
        return found

    def _hop(self, nodes: Mapping[int, CodeNode], source: int, target: int) -> Hop:
        found = code_nodes.edge_between(self.db, source, target)
        kind, confidence, lines = next(edge for edge in found if edge[0] is EdgeKind.CALLS)
        return Hop(source=nodes[source], target=nodes[target], kind=kind, confidence=confidence, lines=lines)


def warm(db: Db, tree: Tree) -> CodeGraph:
    """The whole graph in memory, for a process that asks often."""
    nodes = dict(code_nodes.all_nodes(db, tree))
    numbers = {node.key: num for num, node in nodes.items()}
    links = _links(db, tree, numbers)
    nodes |= {num: _added_node(key) for key, num in numbers.items() if num < 0}
    graph = CompactGraph(nodes, [*code_nodes.all_edges(db, tree), *links])
    by_path: dict[str, dict[str, int]] = {}
    for num, node in nodes.items():
        if node.path:
            by_path.setdefault(node.path, {})[node.key.partition("::")[2]] = num
    return CodeGraph(db=db, tree=tree, nodes=nodes, numbers=numbers, by_path=by_path, graph=graph)


def cold(db: Db, tree: Tree) -> CodeGraph:
    """The graph as the store has it, for a process that asks once."""
    numbers: dict[str, int] = {}
    for link in code_notes.edges(db, tree.project_id):
        for key in (link.source, link.target):
            path, _, qualified = key.partition("::")
            if key not in numbers and (found := code_nodes.node_at(db, tree, path, qualified)):
                numbers[key] = found[0]
    added: dict[bool, dict[int, list[tuple[int, EdgeKind, float]]]] = {True: {}, False: {}}
    for source, target, kind, confidence in _links(db, tree, numbers):
        added[False].setdefault(source, []).append((target, EdgeKind(kind), confidence))
        added[True].setdefault(target, []).append((source, EdgeKind(kind), confidence))
    return CodeGraph(db=db, tree=tree, nodes=None, numbers=numbers, by_path={}, graph=StoredGraph(db, added))


def by_file(reached: Iterable[Reached]) -> dict[str, Reached]:
    """The nearest and strongest node of each file."""
    found: dict[str, Reached] = {}
    for one in reached:
        if one.node.path:
            found.setdefault(one.node.path, one)
    return found


def _links(db: Db, tree: Tree, numbers: dict[str, int]) -> list[EdgeRow]:
    """Edges people added whose ends exist; what they added as nodes gets numbers below zero."""
    for place, note in enumerate(code_notes.nodes(db, tree.project_id), start=1):
        numbers[note.key] = -place
    return [
        (numbers[link.source], numbers[link.target], link.kind, link.confidence)
        for link in code_notes.edges(db, tree.project_id)
        if link.source in numbers and link.target in numbers
    ]


def _added_node(key: str) -> CodeNode:
    kind, _, name = key.partition(":")
    return CodeNode(key=key, kind=NodeKind(kind), name=name)
