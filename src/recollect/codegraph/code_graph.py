"""
The code graph of a checkout to ask: dependents, dependencies, call traces; in the store, or in memory if asked often.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from recollect.codegraph.breadth_first import CompactGraph, EdgeRow, StoredGraph, Walk, WalkStep
from recollect.codegraph.modules import ProjectPart, find_parts
from recollect.errors import NotFound
from recollect.model.code import SURE, CodeNode, EdgeKind, Hop, NodeKind, ReachedNode
from recollect.store.db import Db
from recollect.store.tables import code_files, code_nodes, code_notes
from recollect.store.tables.code_files import Tree

DEPTH = 3
LIMIT = 2_000
_MAX_TRACE_STEPS = 12
_MAX_TRACED = 50_000
ALL_KINDS = frozenset(EdgeKind)
# A file's own definitions bear on it without leaving it; they are where a walk starts, not where it goes.
_MOVING = ALL_KINDS - {EdgeKind.EXPORTS}


# Without slots: what is worked out once for all questions is kept in it.
@dataclass(frozen=True, kw_only=True)
class CodeGraph:
    """A checkout's graph: held in memory (`load_graph`) or read from the store for each question (`open_graph`)."""

    db: Db
    tree: Tree
    nodes: Mapping[int, CodeNode] | None
    numbers: Mapping[str, int]
    # The numbers of each file's nodes by qualified name; empty when the store is asked.
    by_path: Mapping[str, Mapping[str, int]]
    graph: CompactGraph | StoredGraph

    @cached_property
    def parts(self) -> list[ProjectPart]:
        """The parts the project falls into."""
        return find_parts(self.db, self.tree)

    def dependents(
        self, key: str, *, depth: int = DEPTH, limit: int = LIMIT, weak: bool = False
    ) -> list[ReachedNode]:
        """Nodes that depend on a file, definition, directory or module, nearest and strongest first."""
        return self._reach(key, back=True, depth=depth, limit=limit, weak=weak)

    def dependencies(
        self, key: str, *, depth: int = DEPTH, limit: int = LIMIT, weak: bool = False
    ) -> list[ReachedNode]:
        """Nodes that it depends on."""
        return self._reach(key, back=False, depth=depth, limit=limit, weak=weak)

    def trace(self, source: str, target: str, *, weak: bool = False) -> list[Hop]:
        """The shortest path of calls from one place to another; empty when there is none."""
        starts, ends = self.nums_of(source), set(self.nums_of(target))
        calls = frozenset({EdgeKind.CALLS})
        how = Walk(False, _MAX_TRACE_STEPS, _MAX_TRACED, calls, 0.0 if weak else SURE)
        steps = self.graph.walk(starts, how)
        last = next((step for step in steps if step.num in ends), None)
        if last is None:
            return []
        before = {step.num: step for step in steps}
        pairs = []
        step: WalkStep | None = last
        while step is not None:
            pairs.append((step.origin, step.num))
            step = before.get(step.origin)
        nodes = self.describe_nodes(num for pair in pairs for num in pair)
        return [self._hop(nodes, *pair) for pair in reversed(pairs)]

    def nums_of(self, key: str) -> list[int]:
        """The nodes a key stands for: a file with all its definitions, a class with its methods."""
        path, _, qualified = key.partition("::")
        nums = [
            num
            for name, num in self.nums_by_name(path).items()
            if not qualified or name == qualified or name.startswith(f"{qualified}.")
        ]
        nums = nums or self._apart(key)
        if not nums:
            raise NotFound(what="place in the code graph", name=key, fix="recollect graph build")
        return nums

    def node(self, key: str) -> CodeNode:
        """What a key stands for; NotFound if the graph has no such place."""
        nums = self.nums_of(key)
        path, _, qualified = key.partition("::")
        num = self.nums_by_name(path).get(qualified, nums[-1])
        node = self.describe_nodes({num})[num]
        if key.startswith("module:") and node.key != key:
            return CodeNode(key=key, kind=NodeKind.MODULE, name=key.removeprefix("module:"))
        return node

    def nums_by_name(self, path: str) -> Mapping[str, int]:
        """The numbers of a file's nodes by qualified name, its own under ""; empty for what is no file here."""
        return (
            self.by_path.get(path, {})
            if self.by_path
            else code_nodes.read_node_nums(self.db, self.tree, path)
        )

    def steps(
        self, starts: Iterable[int], *, back: bool, depth: int, limit: int = LIMIT, weak: bool = False
    ) -> list[WalkStep]:
        """Every node within reach of some nodes, over the edges along which a change spreads; nearest first."""
        return self.graph.walk(starts, Walk(back, depth, limit, _MOVING, 0.0 if weak else SURE))

    def describe_nodes(self, nums: Iterable[int]) -> Mapping[int, CodeNode]:
        """The nodes with these numbers, maybe with others."""
        if self.nodes is not None:
            return self.nodes
        wanted = set(nums)
        added = {num: _added_node(key) for key, num in self.numbers.items() if num in wanted and num < 0}
        return code_nodes.read_nodes(self.db, [num for num in wanted if num >= 0]) | added

    def _apart(self, key: str) -> list[int]:
        """The nodes of a directory, a module, or something that was added."""
        if self.numbers.get(key, 0) < 0:
            return [self.numbers[key]]
        if key.startswith("module:"):
            return self._module(key.removeprefix("module:"))
        folder = key.rstrip("/") + "/"
        own = code_nodes.find_folder_or_module(self.db, self.tree, NodeKind.DIRECTORY, folder[:-1])
        inside = [path for path in code_files.list_files(self.db, self.tree) if path.startswith(folder)]
        return [num for path in inside for num in self.nums_by_name(path).values()] + (
            [own[0]] if own else []
        )

    def _module(self, name: str) -> list[int]:
        """The nodes of a module by its language's name (a package, a crate), else by that of a part of the project."""
        files = code_files.list_files(self.db, self.tree)
        inside: Iterable[str] = [path for path, file in files.items() if file.module == name]
        if not inside:
            inside = next((part.files for part in self.parts if part.name == name), ())
        own = code_nodes.find_folder_or_module(self.db, self.tree, NodeKind.MODULE, name)
        return [num for path in inside for num in self.nums_by_name(path).values()] + (
            [own[0]] if own else []
        )

    def _reach(self, key: str, *, back: bool, depth: int, limit: int, weak: bool) -> list[ReachedNode]:
        steps = self.steps(self.nums_of(key), back=back, depth=depth, limit=limit, weak=weak)
        nodes = self.describe_nodes(num for step in steps for num in (step.num, step.origin))
        paths: dict[int, tuple[str, ...]] = {}
        reached_nodes = []
        for step in steps:
            before = paths.get(step.origin, (nodes[step.origin].key,))
            paths[step.num] = (*before, nodes[step.num].key)
            reached_nodes.append(
                ReachedNode(
                    node=nodes[step.num],
                    depth=step.depth,
                    way=paths[step.num],
                    kind=step.kind,
                    weight=step.weight,
                )
            )
        return reached_nodes

    def _hop(self, nodes: Mapping[int, CodeNode], source: int, target: int) -> Hop:
        edges = code_nodes.find_edges_between(self.db, source, target)
        kind, confidence, lines = next(edge for edge in edges if edge[0] is EdgeKind.CALLS)
        return Hop(source=nodes[source], target=nodes[target], kind=kind, confidence=confidence, lines=lines)


def load_graph(db: Db, tree: Tree) -> CodeGraph:
    """Load the whole graph into memory, for a process that asks often."""
    nodes = dict(code_nodes.list_nodes(db, tree))
    numbers = {node.key: num for num, node in nodes.items()}
    links = _links(db, tree, numbers)
    nodes |= {num: _added_node(key) for key, num in numbers.items() if num < 0}
    graph = CompactGraph(nodes, [*code_nodes.list_edges(db, tree), *links])
    by_path: dict[str, dict[str, int]] = {}
    for num, node in nodes.items():
        if node.path:
            by_path.setdefault(node.path, {})[node.key.partition("::")[2]] = num
    return CodeGraph(db=db, tree=tree, nodes=nodes, numbers=numbers, by_path=by_path, graph=graph)


def open_graph(db: Db, tree: Tree) -> CodeGraph:
    """Open the graph in the store, for a process that asks once."""
    numbers: dict[str, int] = {}
    for link in code_notes.list_added_edges(db, tree.project_id):
        for key in (link.source, link.target):
            path, _, qualified = key.partition("::")
            if key not in numbers and (num := code_nodes.find_node(db, tree, path, qualified)):
                numbers[key] = num[0]
    added: dict[bool, dict[int, list[tuple[int, EdgeKind, float]]]] = {True: {}, False: {}}
    for source, target, kind, confidence in _links(db, tree, numbers):
        added[False].setdefault(source, []).append((target, EdgeKind(kind), confidence))
        added[True].setdefault(target, []).append((source, EdgeKind(kind), confidence))
    return CodeGraph(db=db, tree=tree, nodes=None, numbers=numbers, by_path={}, graph=StoredGraph(db, added))


def nearest_by_file(reached: Iterable[ReachedNode]) -> dict[str, ReachedNode]:
    """The nearest and strongest node of each file."""
    nearest: dict[str, ReachedNode] = {}
    for one in reached:
        if one.node.path:
            nearest.setdefault(one.node.path, one)
    return nearest


def _links(db: Db, tree: Tree, numbers: dict[str, int]) -> list[EdgeRow]:
    """Edges that people added and whose ends exist; nodes that they added get negative numbers."""
    for place, note in enumerate(code_notes.list_added_nodes(db, tree.project_id), start=1):
        numbers[note.key] = -place
    return [
        (numbers[link.source], numbers[link.target], link.kind, link.confidence)
        for link in code_notes.list_added_edges(db, tree.project_id)
        if link.source in numbers and link.target in numbers
    ]


def _added_node(key: str) -> CodeNode:
    kind, _, name = key.partition(":")
    return CodeNode(key=key, kind=NodeKind(kind), name=name)


# Loading a large graph takes as long as some dozen questions to the store.
WARM_AFTER = 8


class GraphCache:
    """
    The graph of a checkout for one process: read from the store at first, held in memory once it is asked often.

    A graph that was built anew or added to is opened again, and the count of questions begins again.
    """

    def __init__(self) -> None:
        self.graph: CodeGraph | None = None
        self.questions = 0
        self._mark: tuple[object, ...] = ()

    def graph_of(self, db: Db, tree: Tree) -> CodeGraph:
        """The graph of this checkout as it is now."""
        mark = (tree.num, tree.generation, *code_notes.read_change_mark(db, tree.project_id))
        if self.graph is None or mark != self._mark:
            self.graph, self.questions, self._mark = open_graph(db, tree), 0, mark
        self.questions += 1
        if self.questions == WARM_AFTER:
            self.graph = load_graph(db, tree)
        return self.graph
