"""
Nodes and edges that people, agents and plugins add to the graph because no code shows them; each with its author.

Texts are cleaned as those of memories are: no secret and nothing hidden gets in, and what an edge joins must be there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from recollect.codegraph.code_graph import CodeGraph
from recollect.errors import NotFound, OnlyAPerson
from recollect.events.hidden import strip_hidden
from recollect.events.redact import redact
from recollect.model.code import EdgeKind, NodeKind, SemanticEdge, SemanticNode
from recollect.model.memory import check_length
from recollect.model.trust import is_person
from recollect.model.value import dataclass, replace
from recollect.store.db import Db
from recollect.store.tables import code_notes

MAX_NAME = 200
MAX_TEXT = 4_000
# How a place bears on what was added about it.
_EDGE_TO = {NodeKind.PATTERN: EdgeKind.APPLIES_PATTERN, NodeKind.DATAFLOW: EdgeKind.FLOWS_TO}

_Addition = SemanticNode | SemanticEdge
_A = TypeVar("_A", SemanticNode, SemanticEdge)


@dataclass(frozen=True, slots=True, kw_only=True)
class Additions:
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
    """Add a node, or replace it; the places it is ABOUT get an edge to it."""
    check_length("name", node.name, MAX_NAME)
    check_length("text", node.text, MAX_TEXT)
    cleaned = replace(node, name=_clean(node.name), text=_clean(node.text))
    for key in about:
        _check_end(graph, key)
    with db.transaction():
        _check_right(_node(db, project_id, cleaned.key), cleaned, "change what a person added to the graph")
        code_notes.put_node(db, project_id, cleaned)
        for key in about:
            code_notes.put_edge(db, project_id, _edge_to(cleaned, key))
    return cleaned


def add_edge(db: Db, graph: CodeGraph, edge: SemanticEdge) -> SemanticEdge:
    """Add an edge, or replace it. Both ends must be in the graph."""
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


def read_additions(db: Db, project_id: str) -> Additions:
    """All added nodes and edges, each with its author."""
    return Additions(
        nodes=tuple(code_notes.list_added_nodes(db, project_id)),
        edges=tuple(code_notes.list_added_edges(db, project_id)),
    )


def remove_node(db: Db, project_id: str, key: str, *, by_person: bool) -> SemanticNode:
    """Remove a node with its edges."""
    with db.transaction():
        node = _require(_node(db, project_id, key), key)
        if _is_persons(node) and not by_person:
            raise OnlyAPerson(what="take back what a person added to the graph")
        code_notes.remove_node(db, project_id, node)
    return node


def remove_edge(
    db: Db, project_id: str, source: str, kind: str, target: str, *, by_person: bool
) -> SemanticEdge:
    """Remove an edge."""
    with db.transaction():
        edge = _require(_edge(db, project_id, (source, kind, target)), f"{source} {kind} {target}")
        if _is_persons(edge) and not by_person:
            raise OnlyAPerson(what="take back what a person added to the graph")
        code_notes.remove_edge(db, project_id, edge)
    return edge


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
    return next((node for node in code_notes.list_added_nodes(db, project_id) if node.key == key), None)


def _edge(db: Db, project_id: str, wanted: tuple[str, str, str]) -> SemanticEdge | None:
    edges = code_notes.list_added_edges(db, project_id)
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


def _require(one: _A | None, name: str) -> _A:
    if one is None:
        raise NotFound(what="addition to the graph", name=name, fix="recollect graph added")
    return one


def _clean(text: str) -> str:
    return redact(strip_hidden(text).text).text.strip()
