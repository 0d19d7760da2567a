"""Builds graphs of real folders for the tests, and reads them back as plain sets."""

from __future__ import annotations

from pathlib import Path

from recollect.codegraph.build import build_graph
from recollect.model.code import BuildReport, CodeNode
from recollect.store.sqlite.driver import SqliteDb
from recollect.store.tables import code_files, code_nodes, projects
from tests.builders import NOON, a_db

PROJECT = "01PROJECT"


class Graph:
    """The graph of one folder in a store."""

    def __init__(self, root: Path, db: SqliteDb | None = None) -> None:
        self.root = root
        self.db = db or a_db()
        with self.db.transaction():  # another process may be making it known at the same moment
            projects.ensure_project(self.db, "path:/somewhere", "somewhere", PROJECT, NOON)

    def build(self) -> BuildReport:
        return build_graph(self.db, self.root, PROJECT, NOON)

    @property
    def tree(self) -> code_files.Tree:
        found = code_files.find_tree(self.db, str(self.root))
        assert found is not None
        return found

    def nodes(self) -> dict[str, CodeNode]:
        return {node.key: node for _, node in code_nodes.list_nodes(self.db, self.tree)}

    def nums(self) -> dict[str, int]:
        return {node.key: num for num, node in code_nodes.list_nodes(self.db, self.tree)}

    def edges(self, kind: str, *, weak: bool = True) -> set[tuple[str, str]]:
        keys = {num: node.key for num, node in code_nodes.list_nodes(self.db, self.tree)}
        return {
            (keys[source], keys[target])
            for source, target, what, confidence in code_nodes.list_edges(self.db, self.tree)
            if what == kind and (weak or confidence == 1)
        }

    def call_lines(self, *, weak: bool = False) -> set[tuple[str, int, str]]:
        """Every call by file and line, with what it means."""
        found = set()
        listed = dict(code_nodes.list_nodes(self.db, self.tree))
        for source, target, kind, confidence in code_nodes.list_edges(self.db, self.tree):
            if kind == "calls" and (weak or confidence == 1):
                for how, _, lines in code_nodes.find_edges_between(self.db, source, target):
                    if how == "calls":
                        found |= {(listed[source].path, line, listed[target].key) for line in lines}
        return found


def a_graph(root: Path, db: SqliteDb | None = None) -> Graph:
    graph = Graph(root, db)
    graph.build()
    return graph
