"""
The desk for the code graph of the checkout around the folder: build it, ask it, add to it.

The code graph is large, and a session's brief needs none of it: its modules are loaded at the first act.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from recollect.api.wiring import Wiring
from recollect.errors import BadInput, NotFound
from recollect.model.code import (
    SURE,
    Built,
    EdgeKind,
    GraphStatus,
    Hop,
    NodeKind,
    Reached,
    SemanticEdge,
    SemanticNode,
)
from recollect.model.impact import About, Impact
from recollect.model.modules import ModuleMap
from recollect.model.project import storable
from recollect.model.query import Filters
from recollect.model.subject import Subject
from recollect.model.survey import Scanned
from recollect.model.trust import is_person
from recollect.store.tables import code_files as trees

if TYPE_CHECKING:
    from recollect.codegraph.graph_cache import Held
    from recollect.codegraph.manual_edges import Added
    from recollect.codegraph.traverse import CodeGraph
    from recollect.retrieve.impact import Asked


_Kind = TypeVar("_Kind", NodeKind, EdgeKind)


class Code:
    """Acts on the code graph; keys are `src/a.py`, `src/a.py::Class.method`, `src/`, `module:NAME`."""

    def __init__(self, wiring: Wiring) -> None:
        self._wiring = wiring
        self._held: Held | None = None

    def build(self, progress: Callable[[int, int], None] = lambda done, total: None) -> Built:
        """Make the graph say what the files say now; only what changed is read."""
        wiring = self._wiring
        answer: Built = _flow("build").build(
            wiring.db,
            self._root(),
            self._project(),
            wiring.now(),
            progress=progress,
            workers=wiring.settings.number("graph.workers"),
        )
        return answer

    def status(self) -> GraphStatus:
        """What the graph holds, what was left out of it and why, and how many files changed since."""
        answer: GraphStatus = _flow("status").status(self._wiring.db, self._root())
        return answer

    def dependents(self, key: str, *, depth: int = 3, weak: bool = False) -> list[Reached]:
        """Who depends on a place in the code, nearest and strongest first."""
        graph = self._graph()
        return graph.dependents(self._key(key, graph), depth=depth, weak=weak)

    def dependencies(self, key: str, *, depth: int = 3, weak: bool = False) -> list[Reached]:
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
        answer: Impact = _side("impact").impact(self._asked(graph), graph, key, depth=depth, weak=weak)
        return answer

    def about(self, name: Subject | str, *, limit: int = 100) -> About:
        """Everything known about a file, a symbol, a folder, a module, a service, a person …; so many memories."""
        graph = self._graph_or_none()
        subject = name if isinstance(name, Subject) else _flow("resolve_target").subject_of(name, graph)
        (at_home,) = self._wiring.subjects([subject])
        answer: About = _side("about").about(self._asked(graph), at_home, limit)
        self._wiring.asked_for(one.memory.id for one in answer.memories)
        return answer

    def modules(self) -> ModuleMap:
        """The parts this project falls into: size, coupling, and how much is remembered about each."""
        graph = self._graph()
        answer: ModuleMap = _side("module_map").module_map(self._asked(graph), graph)
        return answer

    def module_of(self, path: str) -> str:
        """The part a file belongs to, as `module:` subjects name it; empty for a file that is in none."""
        graph = self._graph()
        answer: str = _side("about").module_of(graph, self._key(path, graph).partition("::")[0])
        return answer

    def scan(
        self,
        *,
        module: str = "",
        dry_run: bool = False,
        progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> Scanned:
        """Remember for review what each part is for and how the project is written; of one MODULE, only what it is."""
        home = self._wiring.home()
        site = _survey("changed_parts").Site(
            door=self._wiring.door(),
            root=self._root(),
            project_id=self._project(),
            project_name=home.name if home else "",
            completer=self._wiring.completer(),
            workers=self._wiring.settings.number("graph.workers"),
        )
        answer: Scanned = _survey("scan").scan(site, only=module, dry_run=dry_run, progress=progress)
        return answer

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
        answer: SemanticNode = _flow("manual_edges").add_node(
            self._wiring.db,
            self._project(),
            node,
            graph,
            [self._key(place, graph) for place in about],
        )
        return answer

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
        answer: SemanticEdge = _flow("manual_edges").add_edge(self._wiring.db, graph, edge)
        return answer

    def added(self) -> Added:
        """What people, agents and plugins added, each with who said so."""
        answer: Added = _flow("manual_edges").added(self._wiring.db, self._project())
        return answer

    def remove_node(self, key: str) -> SemanticNode:
        """Take back something that was added, with its edges; `key` is such as `invariant:NAME`."""
        answer: SemanticNode = _flow("manual_edges").take_back_node(
            self._wiring.db, self._project(), key, by_person=self._is_person()
        )
        return answer

    def remove_edge(self, source: str, kind: str, target: str) -> SemanticEdge:
        """Take back an edge that was added; its ends as `added` names them."""
        answer: SemanticEdge = _flow("manual_edges").take_back_edge(
            self._wiring.db, self._project(), source, kind, target, by_person=self._is_person()
        )
        return answer

    def _graph(self) -> CodeGraph:
        found = self._graph_or_none()
        if found is None:
            raise NotFound("There is no code graph of this folder yet.", fix="recollect graph build")
        return found

    def _graph_or_none(self) -> CodeGraph | None:
        place = self._wiring.identity()
        tree = trees.tree_at(self._wiring.db, storable(place.root)) if place else None
        if tree is None or tree.built_at is None:
            return None
        self._held = self._held or _flow("graph_cache").Held()
        return self._held.graph_of(self._wiring.db, tree)

    def _is_person(self) -> bool:
        return is_person(self._wiring.actor, self._wiring.channel)

    def _key(self, name: str, graph: CodeGraph | None) -> str:
        (subject,) = self._wiring.subjects([_flow("resolve_target").place_of(name, graph)])
        return subject.name if subject.type in ("file", "symbol") else str(subject)

    def _asked(self, graph: CodeGraph | None) -> Asked:
        project_id = self._wiring.project_id()
        answer: Asked = _side("impact").Asked(
            db=self._wiring.db,
            kinds=self._wiring.kinds,
            project_id=project_id,
            filters=Filters(project_id=project_id),
            graph=graph,
        )
        return answer

    def _root(self) -> Path:
        place = self._wiring.identity()
        if place is None:
            raise BadInput(reason="a code graph needs a folder, and none was given")
        return Path(place.root)

    def _project(self) -> str:
        home = self._wiring.home_id()
        if home is None:
            raise BadInput(reason="a code graph needs a folder, and none was given")
        return home


def _one_of(kinds: type[_Kind], name: str) -> _Kind:
    try:
        return kinds(name)
    except ValueError:
        raise BadInput(reason=f"there is no kind {name!r}; the kinds are {', '.join(kinds)}") from None


def _flow(name: str) -> Any:
    return import_module(f"recollect.codegraph.{name}")


def _side(name: str) -> Any:
    return import_module(f"recollect.retrieve.{name}")


def _survey(name: str) -> Any:
    return import_module(f"recollect.survey.{name}")
