"""What people, agents and plugins add to a project's code graph: nodes and edges that no code shows."""

from __future__ import annotations

from recollect.model.code import EdgeKind, NodeKind, SemanticEdge, SemanticNode
from recollect.model.provenance import Channel
from recollect.store.db import Db, Row
from recollect.store.tables.row_values import from_micros, to_micros


def put_node(db: Db, project_id: str, node: SemanticNode) -> None:
    """Add a node, or say it anew."""
    db.run(
        "code_note_set",
        project_id=project_id,
        kind=node.kind,
        name=node.name,
        text=node.text,
        confidence=node.confidence,
        channel=node.channel,
        added_by=node.added_by,
        added_at=to_micros(node.added_at),
    )


def put_edge(db: Db, project_id: str, edge: SemanticEdge) -> None:
    """Add an edge between two keys, or say it anew."""
    db.run(
        "code_link_set",
        project_id=project_id,
        source=edge.source,
        kind=edge.kind,
        target=edge.target,
        confidence=edge.confidence,
        channel=edge.channel,
        added_by=edge.added_by,
        added_at=to_micros(edge.added_at),
    )


def list_added_nodes(db: Db, project_id: str) -> list[SemanticNode]:
    """Every node that was added to a project."""
    return [_node_from_row(row) for row in db.rows("code_notes", project_id=project_id)]


def list_added_edges(db: Db, project_id: str) -> list[SemanticEdge]:
    """Every edge that was added to a project."""
    return [_edge_from_row(row) for row in db.rows("code_links", project_id=project_id)]


def read_change_mark(db: Db, project_id: str) -> tuple[int, int]:
    """Changes whenever something is added to a project's graph or taken back."""
    row = db.row("code_added_mark", project_id=project_id)
    return (row["added"], row["newest"]) if row else (0, 0)


def remove_node(db: Db, project_id: str, node: SemanticNode) -> None:
    """Take a node back, with its edges."""
    db.run("code_links_of_note_delete", project_id=project_id, key=node.key)
    db.run("code_note_delete", project_id=project_id, kind=node.kind, name=node.name)


def remove_edge(db: Db, project_id: str, edge: SemanticEdge) -> None:
    """Take an edge back."""
    db.run("code_link_delete", project_id=project_id, source=edge.source, kind=edge.kind, target=edge.target)


def rename_edges(db: Db, project_id: str, old: str, new: str) -> None:
    """Edges follow a file and what is in it to its new name."""
    db.run("code_links_rename", project_id=project_id, old=old, new=new)


def _node_from_row(row: Row) -> SemanticNode:
    return SemanticNode(
        kind=NodeKind(row["kind"]),
        name=row["name"],
        text=row["text"],
        confidence=row["confidence"],
        channel=Channel(row["channel"]),
        added_by=row["added_by"],
        added_at=from_micros(row["added_at"]),
    )


def _edge_from_row(row: Row) -> SemanticEdge:
    return SemanticEdge(
        source=row["source"],
        target=row["target"],
        kind=EdgeKind(row["kind"]),
        confidence=row["confidence"],
        channel=Channel(row["channel"]),
        added_by=row["added_by"],
        added_at=from_micros(row["added_at"]),
    )
