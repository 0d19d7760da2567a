"""The values of the code graph: nodes, edges, confidence of edges, modules, and what a build or a walk returns."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

from recollect.errors import BadInput, NotFound
from recollect.model.provenance import Channel
from recollect.model.subject import Subject
from recollect.model.value import dataclass, field


class NodeKind(StrEnum):
    """What a node stands for; the last four are added by people, agents and plugins, the rest is read from code."""

    DIRECTORY = "directory"
    MODULE = "module"
    FILE = "file"
    CLASS = "class"
    INTERFACE = "interface"
    FUNCTION = "function"
    METHOD = "method"
    PATTERN = "pattern"
    DATAFLOW = "dataflow"
    INVARIANT = "invariant"
    DECISION = "decision"


class EdgeKind(StrEnum):
    """How one node bears on another; the last five are added by people, agents and plugins."""

    IMPORTS = "imports"
    CALLS = "calls"
    IMPLEMENTS = "implements"
    EXTENDS = "extends"
    EXPORTS = "exports"
    DEPENDS_LOGICALLY = "depends_logically"
    IS_ENTRYPOINT_FOR = "is_entrypoint_for"
    HANDLES_ERRORS_FROM = "handles_errors_from"
    APPLIES_PATTERN = "applies_pattern"
    FLOWS_TO = "flows_to"


SEMANTIC_NODES = frozenset({NodeKind.PATTERN, NodeKind.DATAFLOW, NodeKind.INVARIANT, NodeKind.DECISION})
SEMANTIC_EDGES = frozenset(
    {
        EdgeKind.DEPENDS_LOGICALLY,
        EdgeKind.IS_ENTRYPOINT_FOR,
        EdgeKind.HANDLES_ERRORS_FROM,
        EdgeKind.APPLIES_PATTERN,
        EdgeKind.FLOWS_TO,
    }
)

# How much of a change on one end is felt on the other.
EDGE_WEIGHTS: Mapping[EdgeKind, float] = {
    EdgeKind.IMPORTS: 0.9,
    EdgeKind.CALLS: 0.8,
    EdgeKind.IMPLEMENTS: 0.7,
    EdgeKind.EXTENDS: 0.7,
    EdgeKind.EXPORTS: 0.6,
    EdgeKind.DEPENDS_LOGICALLY: 0.5,
    EdgeKind.IS_ENTRYPOINT_FOR: 0.8,
    EdgeKind.HANDLES_ERRORS_FROM: 0.4,
    EdgeKind.APPLIES_PATTERN: 0.3,
    EdgeKind.FLOWS_TO: 0.6,
}

# An edge found through an import, a definition in the same file or `self`; and one found by name alone.
SURE = 1.0
WEAK = 0.4


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeNode:
    """
    One place in the code. `key` is its stable name: `src/a.py`, `src/a.py::Class.method`, `src/` for a
    directory, `module:NAME` for a module and `invariant:NAME` for what was added by hand.
    """

    key: str
    kind: NodeKind
    name: str
    path: str = ""
    # The file's module (package, crate, namespace), where the language has such.
    module: str = ""
    line: int = 0
    end_line: int = 0

    @property
    def subject(self) -> Subject | None:
        """What a memory about this node is about."""
        if self.kind is NodeKind.MODULE:
            return Subject(type="module", name=self.name)
        if self.kind is NodeKind.FILE:
            return Subject(type="file", name=self.path)
        return Subject(type="symbol", name=self.key) if "::" in self.key else None


@dataclass(frozen=True, slots=True, kw_only=True)
class SemanticNode:
    """A pattern, dataflow, invariant or decision that somebody added to a project's graph."""

    kind: NodeKind
    name: str
    text: str
    channel: Channel
    added_by: str
    added_at: datetime
    confidence: float = SURE

    def __post_init__(self) -> None:
        if self.kind not in SEMANTIC_NODES:
            raise BadInput(reason=f"a {self.kind} is read from the code, not added by hand")
        if not self.name.strip():
            raise BadInput(reason="a node needs a name")

    @property
    def key(self) -> str:
        """The name edges use for it."""
        return f"{self.kind}:{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SemanticEdge:
    """A connection that no code shows, with who says so."""

    source: str
    target: str
    kind: EdgeKind
    channel: Channel
    added_by: str
    added_at: datetime
    confidence: float = SURE

    def __post_init__(self) -> None:
        if self.kind not in SEMANTIC_EDGES:
            raise BadInput(reason=f"an edge that says {self.kind} is read from the code, not added by hand")
        if not 0 < self.confidence <= 1:
            raise BadInput(
                reason=f"the confidence of an edge is above 0 and at most 1, not {self.confidence}"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildReport:
    """What one build did."""

    files: int
    parsed: int
    cached: int
    resolved: int
    renamed: tuple[tuple[str, str], ...] = ()
    removed: int = 0

    @property
    def unchanged(self) -> bool:
        """Whether the graph was up to date."""
        return not (self.resolved or self.removed or self.renamed)


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphStatus:
    """What the graph of one checkout holds, and what was left out of it and why."""

    root: str
    built_at: datetime | None = None
    files: int = 0
    languages: Mapping[str, int] = field(default_factory=dict)
    nodes: Mapping[str, int] = field(default_factory=dict)
    edges: Mapping[str, int] = field(default_factory=dict)
    weak_edges: int = 0
    # Why files are not in the graph, with how many and a few examples.
    left_out: Mapping[str, int] = field(default_factory=dict)
    examples: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # Files in the graph whose text has errors in it; what could be read of them is there.
    broken: int = 0
    changed_since: int = 0
    plugins: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReachedNode:
    """
    A node that a walk came to: how far it is, by which nodes (their keys, the start first), and how much of a
    change arrives there, as the product of edge weights and confidences along the strongest shortest way.
    """

    node: CodeNode
    depth: int
    way: tuple[str, ...]
    kind: EdgeKind
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Hop:
    """One step of a call path, with the lines where the call is made."""

    source: CodeNode
    target: CodeNode
    kind: EdgeKind
    confidence: float
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    """
    One part. `leans_on` and `used_by` are other parts with the number of edges that lead there or come from there;
    `inside` are edges between its own files.
    """

    name: str
    folder: str
    files: tuple[str, ...]
    definitions: int = 0
    is_test: bool = False
    inside: int = 0
    leans_on: Mapping[str, int] = field(default_factory=dict)
    used_by: Mapping[str, int] = field(default_factory=dict)
    # Memories about it, its files and their symbols; and how many of its files have any.
    memories: int = 0
    files_known: int = 0
    e2e: int = 0

    @property
    def coupling(self) -> float:
        """How much of what its code leans on, or is leant on by, lies outside: 0 for a world of its own."""
        outside = sum(self.leans_on.values()) + sum(self.used_by.values())
        return outside / (outside + self.inside) if outside else 0.0

    @property
    def coverage(self) -> float:
        """The share of its files that memory knows something about."""
        return self.files_known / len(self.files)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleMap:
    """All parts of a project, in the order of their names."""

    modules: tuple[Module, ...] = ()

    def called(self, name: str) -> Module:
        """The part of this name."""
        for module in self.modules:
            if module.name == name:
                return module
        raise NotFound(what="module", name=name, fix="recollect modules")

    def layers(self) -> list[list[Module]]:
        """Who leans on nobody comes first, then who leans on those. In a circle, the weakest edge gives way."""
        below = _drop_circles(self.modules)
        depth: dict[str, int] = {}
        while len(depth) < len(below):
            for name, others in below.items():
                if name not in depth and others <= depth.keys():
                    depth[name] = max((depth[other] for other in others), default=-1) + 1
        layers_found: list[list[Module]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
        for module in self.modules:
            layers_found[depth[module.name]].append(module)
        return layers_found


def _drop_circles(modules: tuple[Module, ...]) -> dict[str, set[str]]:
    """On whom each part leans, the most edges first, leaving out what would close a circle."""
    below: dict[str, set[str]] = {module.name: set() for module in modules}
    leaning = [
        (-edges, module.name, other)
        for module in modules
        for other, edges in module.leans_on.items()
        if other in below
    ]
    for _, one, other in sorted(leaning):
        if not _is_reachable(below, other, one):
            below[one].add(other)
    return below


def _is_reachable(below: Mapping[str, set[str]], start: str, goal: str) -> bool:
    waiting, visited = [start], {start}
    while waiting:
        name = waiting.pop()
        if name == goal:
            return True
        fresh = below[name] - visited
        visited |= fresh
        waiting += fresh
    return False
