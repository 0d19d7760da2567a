"""
What no code shows, added to a project's graph by people, agents and plugins: each says who said so, how and when.

Texts are cleaned as those of memories are: no secret and nothing hidden gets in, and what an edge joins must be there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from recollect.codegraph.traverse import CodeGraph
from recollect.errors import NotFound, OnlyAPerson
from recollect.events.hidden import strip_hidden
from recollect.events.redact import redact
from recollect.model.code import EdgeKind, NodeKind, SemanticEdge, SemanticNode
from recollect.model.memory import check_length
from recollect.model.trust import is_person
from recollect.model.value import dataclass, replace
from recollect.store.db import Db
from recollect.store.tables import code_notes

MOST_NAME = 200
MOST_TEXT = 4_000
# How a place bears on what was added about it.
_EDGE_TO = {NodeKind.PATTERN: EdgeKind.APPLIES_PATTERN, NodeKind.DATAFLOW: EdgeKind.FLOWS_TO}

_Addition = SemanticNode | SemanticEdge
_A = TypeVar("_A", SemanticNode, SemanticEdge)


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """All that was added to a project's graph."""

    nodes: tuple[SemanticNode, ...] = ()
    edges: tuple[SemanticEdge, ...] = ()


def add_node(
    db: Db,
    project_id: str,
    node: SemanticNode,
    graph: CodeGraph | None = None,
    about: Sequence[str] = (),
) -> SemanticNode:
    """Say that there is such a thing, or say it anew; the keys it is ABOUT get an edge to it."""
    check_length("name", node.name, MOST_NAME)
    check_length("text", node.text, MOST_TEXT)
    kept = replace(node, name=_clean(node.name), text=_clean(node.text))
    for key in about:
        _check_end(graph, key)
    with db.transaction():
        _check_right(_node(db, project_id, kept.key), kept, "change what a person added to the graph")
        code_notes.put_node(db, project_id, kept)
        for key in about:
            code_notes.put_edge(db, project_id, _edge_to(kept, key))
    return kept


def add_edge(db: Db, graph: CodeGraph, edge: SemanticEdge) -> SemanticEdge:
    """Say that one place bears on another, or say it anew. Both have to be in the graph."""
    for key in (edge.source, edge.target):
        _check_end(graph, key)
    project_id = graph.tree.project_id
    with db.transaction():
        _check_right(
            _edge(db, project_id, (edge.source, edge.kind, edge.target)),
            edge,
            "change what a person added to the graph",
        )
        code_notes.put_edge(db, project_id, edge)
    return edge


def added(db: Db, project_id: str) -> Added:
    """What was added, each with who said so."""
    return Added(nodes=tuple(code_notes.nodes(db, project_id)), edges=tuple(code_notes.edges(db, project_id)))


def take_back_node(db: Db, project_id: str, key: str, *, by_person: bool) -> SemanticNode:
    """It is not so: a node goes, with its edges."""
    with db.transaction():
        found = _found(_node(db, project_id, key), key)
        if _is_persons(found) and not by_person:
            raise OnlyAPerson(what="take back what a person added to the graph")
        code_notes.take_node(db, project_id, found)
    return found


def take_back_edge(
    db: Db, project_id: str, source: str, kind: str, target: str, *, by_person: bool
) -> SemanticEdge:
    """It is not so: one place does not bear on the other."""
    with db.transaction():
        found = _found(_edge(db, project_id, (source, kind, target)), f"{source} {kind} {target}")
        if _is_persons(found) and not by_person:
            raise OnlyAPerson(what="take back what a person added to the graph")
        code_notes.take_edge(db, project_id, found)
    return found


def _check_end(graph: CodeGraph | None, key: str) -> None:
    if graph is None:
        raise NotFound("There is no code graph of this folder yet.", fix="recollect graph build")
    graph.nums_of(key)


def _check_right(old: _Addition | None, new: _Addition, what: str) -> None:
    if old is not None and _is_persons(old) and not _is_persons(new):
        raise OnlyAPerson(what=what)


def _is_persons(one: _Addition) -> bool:
    return is_person(one.added_by, one.channel)


def _node(db: Db, project_id: str, key: str) -> SemanticNode | None:
    return next((node for node in code_notes.nodes(db, project_id) if node.key == key), None)


def _edge(db: Db, project_id: str, wanted: tuple[str, str, str]) -> SemanticEdge | None:
    edges = code_notes.edges(db, project_id)
    return next((edge for edge in edges if (edge.source, edge.kind, edge.target) == wanted), None)


def _edge_to(node: SemanticNode, key: str) -> SemanticEdge:
    return SemanticEdge(
        source=key,
        target=node.key,
        kind=_EDGE_TO.get(node.kind, EdgeKind.DEPENDS_LOGICALLY),
        confidence=node.confidence,
        channel=node.channel,
        added_by=node.added_by,
        added_at=node.added_at,
    )


def _found(one: _A | None, name: str) -> _A:
    if one is None:
        raise NotFound(what="addition to the graph", name=name, fix="recollect graph added")
    return one


def _clean(text: str) -> str:
    return redact(strip_hidden(text).text).text.strip()
