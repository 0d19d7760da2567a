"""
The sub-API for the code graph (`memory.code`) of the checkout around the folder: build it, ask it, add to it.

The code graph is large, and a session's brief needs none of it: this module is loaded at the first act.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from recollect.api.public_api import public_api
from recollect.api.wiring import Wiring
from recollect.codegraph import manual_edges, resolve_target
from recollect.codegraph.code_graph import CodeGraph, GraphCache
from recollect.codegraph.manual_edges import Additions
from recollect.errors import BadInput, NotFound
from recollect.model.code import (
    SURE,
    BuildReport,
    EdgeKind,
    GraphStatus,
    Hop,
    ModuleMap,
    NodeKind,
    ReachedNode,
    SemanticEdge,
    SemanticNode,
)
from recollect.model.impact import Impact, SubjectSummary
from recollect.model.project import storable
from recollect.model.query import Filters
from recollect.model.subject import Subject
from recollect.model.survey import ScanReport
from recollect.model.trust import is_person
from recollect.retrieve import about, impact, module_map
from recollect.retrieve.impact import CodeReadContext
from recollect.store.tables import code_files as trees

if TYPE_CHECKING:
    from recollect.survey.scan import ScanSite

_Kind = TypeVar("_Kind", NodeKind, EdgeKind)


@public_api
class Code:
    """Acts on the code graph; keys are `src/a.py`, `src/a.py::Class.method`, `src/`, `module:NAME`."""

    def __init__(self, wiring: Wiring) -> None:
        self._wiring = wiring
        self._cache: GraphCache | None = None

    def build(self, progress: Callable[[int, int], None] = lambda done, total: None) -> BuildReport:
        """Make the graph say what the files say now; only what changed is read."""
        wiring = self._wiring
        # Only a build reads code; questions to the graph do not pay for loading what reads it.
        from recollect.codegraph.build import build_graph

        return build_graph(
            wiring.db,
            self._root(),
            self._project(),
            wiring.now(),
            progress=progress,
            workers=wiring.settings.number("graph.workers"),
            excluded=wiring.excluded(),
        )

    def can_be_built(self) -> bool:
        """Whether this folder is a repository of which there is no graph yet."""
        return self._wiring.identity() is not None and self._built_tree() is None

    def status(self) -> GraphStatus:
        """What the graph holds, what was left out of it and why, and how many files changed since."""
        # As in `build`.
        from recollect.codegraph.listing import read_status

        return read_status(self._wiring.db, self._root(), excluded=self._wiring.excluded())

    def dependents(self, key: str, *, depth: int = 3, weak: bool = False) -> list[ReachedNode]:
        """Who depends on a place in the code, nearest and strongest first."""
        graph = self._graph()
        return graph.dependents(self._key(key, graph), depth=depth, weak=weak)

    def dependencies(self, key: str, *, depth: int = 3, weak: bool = False) -> list[ReachedNode]:
        """What a place in the code depends on."""
        graph = self._graph()
        return graph.dependencies(self._key(key, graph), depth=depth, weak=weak)

    def trace(self, source: str, target: str, *, weak: bool = False) -> list[Hop]:
        """The shortest path of calls from one place to another; empty when there is none."""
        graph = self._graph()
        return graph.trace(self._key(source, graph), self._key(target, graph), weak=weak)

    def impact(self, path: str, *, symbol: str = "", depth: int = 3, weak: bool = False) -> Impact:
        """What a change of a file, of a SYMBOL in it, of a folder or a module touches, and what is known about that."""
        graph = self._graph()
        key = self._key(f"{path}::{symbol}" if symbol else path, graph)
        return impact.find_impact(self._asked(graph), graph, key, depth=depth, weak=weak)

    def about(self, name: Subject | str, *, limit: int = 100) -> SubjectSummary:
        """Everything known about a file, a symbol, a folder, a module, a service, a person …; so many memories."""
        graph = self._graph_or_none()
        subject = name if isinstance(name, Subject) else resolve_target.resolve_subject(name, graph)
        (at_home,) = self._wiring.subjects([subject])
        answer = about.describe_subject(self._asked(graph), at_home, limit)
        self._wiring.record_access(linked.memory.id for linked in answer.memories)
        return answer

    def modules(self) -> ModuleMap:
        """The parts this project falls into: size, coupling, and how much is remembered about each."""
        graph = self._graph()
        return module_map.build_module_map(self._asked(graph), graph)

    def module_of(self, path: str) -> str:
        """The part a file belongs to, as `module:` subjects name it; empty for a file that is in none."""
        graph = self._graph()
        return about.find_module_of(graph, self._key(path, graph).partition("::")[0])

    def scan(
        self,
        *,
        module: str = "",
        dry_run: bool = False,
        progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> ScanReport:
        """Remember for review what each part is for and how the project is written; of one MODULE, only what it is."""
        # A scan loads the write side and the detectors of habits; nothing else here needs them.
        from recollect.survey.scan import scan

        return scan(self._site(), only=module, dry_run=dry_run, progress=progress)

    def propose(self, *, dry_run: bool = False) -> ScanReport:
        """
        Remember for review the few things that a newcomer would thank for, at most ten, each with its place.

        What was parsed from settings is observed; what files say in words waits for a person's yes.
        """
        # As in `scan`.
        from recollect.survey.proposals import propose

        return propose(self._site(), dry_run=dry_run)

    def _site(self) -> ScanSite:
        home = self._wiring.ensure_project()
        # As in `scan`.
        from recollect.survey.scan import ScanSite

        return ScanSite(
            door=self._wiring.begin_writing(),
            root=self._root(),
            project_id=self._project(),
            project_name=home.name if home else "",
            completer=self._wiring.completer(),
            workers=self._wiring.settings.number("graph.workers"),
        )

    def add_node(
        self,
        kind: NodeKind | str,
        name: str,
        text: str = "",
        *,
        about: Iterable[str] = (),
        confidence: float = SURE,
    ) -> SemanticNode:
        """Say that there is a pattern, dataflow, invariant or decision that no code shows, and what it is about."""
        graph = self._graph_or_none()
        node = SemanticNode(
            kind=_one_of(NodeKind, kind),
            name=name,
            text=text,
            confidence=confidence,
            channel=self._wiring.channel,
            added_by=self._wiring.actor,
            added_at=self._wiring.now(),
        )
        return manual_edges.add_node(
            self._wiring.db,
            self._project(),
            node,
            graph,
            [self._key(place, graph) for place in about],
        )

    def add_edge(
        self, source: str, kind: EdgeKind | str, target: str, *, confidence: float = SURE
    ) -> SemanticEdge:
        """Say that one place bears on another where no code shows it."""
        graph = self._graph()
        edge = SemanticEdge(
            source=self._key(source, graph),
            target=self._key(target, graph),
            kind=_one_of(EdgeKind, kind),
            confidence=confidence,
            channel=self._wiring.channel,
            added_by=self._wiring.actor,
            added_at=self._wiring.now(),
        )
        return manual_edges.add_edge(self._wiring.db, graph, edge)

    def added(self) -> Additions:
        """What people, agents and plugins added, each with who said so."""
        return manual_edges.read_additions(self._wiring.db, self._project())

    def remove_node(self, key: str) -> SemanticNode:
        """Take back something that was added, with its edges; `key` is such as `invariant:NAME`."""
        return manual_edges.remove_node(self._wiring.db, self._project(), key, by_person=self._is_person())

    def remove_edge(self, source: str, kind: str, target: str) -> SemanticEdge:
        """Take back an edge that was added; its ends as `added` names them."""
        return manual_edges.remove_edge(
            self._wiring.db, self._project(), source, kind, target, by_person=self._is_person()
        )

    def _graph(self) -> CodeGraph:
        graph = self._graph_or_none()
        if graph is None:
            raise NotFound("There is no code graph of this folder yet.", fix="recollect graph build")
        return graph

    def _graph_or_none(self) -> CodeGraph | None:
        tree = self._built_tree()
        if tree is None:
            return None
        self._cache = self._cache or GraphCache()
        return self._cache.graph_of(self._wiring.db, tree)

    def _built_tree(self) -> trees.Tree | None:
        place = self._wiring.identity()
        tree = trees.find_tree(self._wiring.db, storable(place.root)) if place else None
        return tree if tree is not None and tree.built_at is not None else None

    def _is_person(self) -> bool:
        return is_person(self._wiring.actor, self._wiring.channel)

    def _key(self, name: str, graph: CodeGraph | None) -> str:
        (subject,) = self._wiring.subjects([resolve_target.resolve_place(name, graph)])
        return subject.name if subject.type in ("file", "symbol") else str(subject)

    def _asked(self, graph: CodeGraph | None) -> CodeReadContext:
        project_id = self._wiring.project_id()
        return CodeReadContext(
            db=self._wiring.db,
            kinds=self._wiring.kinds,
            project_id=project_id,
            filters=Filters(project_id=project_id),
            graph=graph,
        )

    def _root(self) -> Path:
        place = self._wiring.identity()
        if place is None:
            raise BadInput(reason="a code graph needs a folder, and none was given")
        return Path(place.root)

    def _project(self) -> str:
        home = self._wiring.ensure_project_id()
        if home is None:
            raise BadInput(reason="a code graph needs a folder, and none was given")
        return home


def _one_of(kinds: type[_Kind], name: str) -> _Kind:
    try:
        return kinds(name)
    except ValueError:
        raise BadInput(reason=f"there is no kind {name!r}; the kinds are {', '.join(kinds)}") from None
