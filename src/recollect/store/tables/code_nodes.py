"""Nodes and edges of the code graph. The numbers of nodes are used by `codegraph` alone."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import NamedTuple

from recollect.model.code import CodeNode, EdgeKind, GraphStatus, NodeKind
from recollect.store.db import Db, Row
from recollect.store.tables.code_files import Tree
from recollect.store.tables.row_values import json_list


class StoredNode(NamedTuple):
    """A node on its way to or from the table. A tuple: a first build writes all of them at once."""

    num: int
    file_num: int | None
    kind: str
    name: str
    qualified: str = ""
    line: int = 0
    end_line: int = 0


def next_node_num(db: Db) -> int:
    """A number no node has."""
    row = db.row("code_node_highest")
    return int(row["num"]) + 1 if row else 1


def list_nodes_of_file(db: Db, file_num: int) -> dict[str, StoredNode]:
    """The nodes of one file, by qualified name."""
    rows = db.rows("code_nodes_of_file", file_num=file_num)
    return {row["qualified"]: StoredNode(file_num=file_num, **row) for row in rows}


def read_node_nums(db: Db, tree: Tree, path: str) -> dict[str, int]:
    """The numbers of the nodes of one file, by qualified name."""
    rows = db.rows("code_nodes_at_path", tree_num=tree.num, path=path)
    return {row["qualified"]: row["num"] for row in rows}


def list_folders_and_modules(db: Db, tree: Tree) -> dict[tuple[str, str], int]:
    """Directories and modules, by kind and name."""
    rows = db.rows("code_nodes_apart", tree_num=tree.num)
    return {(row["kind"], row["name"]): row["num"] for row in rows}


def add_nodes(db: Db, tree: Tree, nodes: Iterable[StoredNode]) -> None:
    """Places seen for the first time."""
    db.run_tuples("code_node_insert", ((node.num, tree.num, *node[1:]) for node in nodes))


def change_nodes(db: Db, nodes: Iterable[StoredNode]) -> None:
    """Places that moved within their file."""
    db.run_many(
        "code_node_update",
        (
            {"num": n.num, "kind": n.kind, "name": n.name, "line": n.line, "end_line": n.end_line}
            for n in nodes
        ),
    )


def remove_nodes(db: Db, nums: Iterable[int]) -> None:
    """Places that are gone, with their edges."""
    db.run_many("code_node_delete", ({"num": num} for num in nums))


def clear_edges(db: Db, file_nums: Iterable[int]) -> None:
    """Take away the edges that leave these files."""
    db.run_many("code_edges_clear", ({"file_num": num} for num in file_nums))


def add_edges(db: Db, edges: Iterable[tuple[int, str, int, float, str]]) -> None:
    """Edges as (from, kind, to, confidence, lines as they are kept)."""
    db.run_tuples("code_edge_insert", edges)


def format_lines(lines: Iterable[int]) -> str:
    """Lines as they are kept."""
    return ",".join(map(str, lines))


def find_unique_definitions(
    db: Db, tree: Tree, names: Iterable[str], without: Iterable[int]
) -> dict[tuple[str, str], tuple[str, str]]:
    """Of these names those that one definition per language has: (name, language) to path and qualified name."""
    rows = db.rows(
        "code_nodes_only_ones", tree_num=tree.num, names=json_list(names), without=json.dumps(list(without))
    )
    return {(row["name"], row["language"]): (row["path"], row["qualified"]) for row in rows}


def find_node(db: Db, tree: Tree, path: str, qualified: str = "") -> tuple[int, CodeNode] | None:
    """The node of a file, or of a definition in it."""
    row = db.row("code_node_by_key", tree_num=tree.num, path=path, qualified=qualified)
    return (row["num"], _node_from_row(row)) if row else None


def find_folder_or_module(db: Db, tree: Tree, kind: NodeKind, name: str) -> tuple[int, CodeNode] | None:
    """The node of a directory or a module."""
    num = list_folders_and_modules(db, tree).get((kind, name))
    return (num, _node_from_row({"num": num, "kind": kind, "name": name})) if num is not None else None


def read_nodes(db: Db, nums: Iterable[int]) -> dict[int, CodeNode]:
    """Many nodes at once."""
    rows = db.rows("code_nodes_by_num", nums=json.dumps(list(nums)))
    return {row["num"]: _node_from_row(row) for row in rows}


def list_nodes(db: Db, tree: Tree) -> list[tuple[int, CodeNode]]:
    """Every node of a checkout, by number."""
    return [(row["num"], _node_from_row(row)) for row in db.rows("code_nodes_all", tree_num=tree.num)]


def list_edges(db: Db, tree: Tree) -> list[tuple[int, int, str, float]]:
    """Every edge of a checkout: from, to, kind, confidence."""
    return db.tuples("code_edges_all", tree_num=tree.num)


def count_file_links(db: Db, tree: Tree) -> dict[tuple[str, str], float]:
    """How many sure edges lead from one file into another."""
    return {(row[0], row[1]): row[2] for row in db.tuples("code_file_links", tree_num=tree.num)}


def list_definition_names(db: Db, tree: Tree) -> list[tuple[str, str]]:
    """The path and the last name of every definition."""
    return db.tuples("code_definition_names", tree_num=tree.num)


def count_definitions(db: Db, tree: Tree) -> dict[str, int]:
    """How many definitions each file has."""
    return {row[0]: row[1] for row in db.tuples("code_definitions_by_file", tree_num=tree.num)}


def find_definitions_named(db: Db, tree: Tree, name: str) -> list[tuple[str, str]]:
    """Path and qualified name of every definition with this last name."""
    rows = db.rows("code_nodes_named", tree_num=tree.num, name=name)
    return [(row["path"], row["qualified"]) for row in rows]


def list_edges_near(db: Db, nums: Iterable[int], *, back: bool) -> list[tuple[int, int, EdgeKind, float]]:
    """Edges of these nodes as (other, node, kind, confidence): those that come in with BACK, else those that leave."""
    nums_json = json.dumps(list(nums))
    rows = (
        db.rows("code_edges_into", nums=nums_json) if back else db.rows("code_edges_out_of", nums=nums_json)
    )
    return [(row["near"], row["origin"], EdgeKind(row["kind"]), row["confidence"]) for row in rows]


def find_edges_between(db: Db, source: int, target: int) -> list[tuple[EdgeKind, float, tuple[int, ...]]]:
    """How and where one node bears on another."""
    rows = db.rows("code_edge_lines", from_num=source, to_num=target)
    return [(EdgeKind(row["kind"]), row["confidence"], _parse_lines(row["lines"])) for row in rows]


def read_graph_status(db: Db, tree: Tree) -> GraphStatus:
    """What the graph of a checkout holds and what it does not."""
    languages = db.rows("code_status_languages", tree_num=tree.num)
    edges = db.rows("code_status_edges", tree_num=tree.num)
    left_out = {why: int(counted[0]) for why, counted in tree.left_out.items()}
    examples = {why: tuple(counted[1:]) for why, counted in tree.left_out.items()}
    for row in db.rows("code_status_left_out", tree_num=tree.num):
        why = row["left_out"]
        left_out[why] = left_out.get(why, 0) + row["files"]
        examples[why] = (*examples.get(why, ()), row["example"])
    return GraphStatus(
        root=tree.root,
        built_at=tree.built_at,
        files=sum(row["files"] for row in languages),
        languages={row["language"]: row["files"] for row in languages},
        nodes={row["kind"]: row["nodes"] for row in db.rows("code_status_nodes", tree_num=tree.num)},
        edges={row["kind"]: row["edges"] for row in edges},
        weak_edges=sum(row["weak"] for row in edges),
        left_out=left_out,
        examples=examples,
        broken=sum(row["broken"] for row in languages),
    )


def _node_from_row(row: Row) -> CodeNode:
    kind = NodeKind(row["kind"])
    path, qualified = row.get("path", ""), row.get("qualified", "")
    if kind is NodeKind.DIRECTORY:
        key = f"{row['name']}/"
    elif kind is NodeKind.MODULE and not path:
        key = f"module:{row['name']}"
    else:
        key = f"{path}::{qualified}" if qualified else path
    return CodeNode(
        key=key,
        kind=kind,
        name=row["name"],
        path=path,
        module=row.get("module", ""),
        line=row.get("line", 0),
        end_line=row.get("end_line", 0),
    )


def _parse_lines(written: str) -> tuple[int, ...]:
    return tuple(int(line) for line in written.split(",") if line)
