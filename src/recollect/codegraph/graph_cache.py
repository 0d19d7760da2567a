"""
The graph of a checkout for one process: asked of the store at first, kept in memory once it is asked for often.

Loading a large graph takes as long as some dozen questions to the store; a process that asks once must not pay for it.
"""

from __future__ import annotations

from recollect.codegraph.traverse import CodeGraph, cold, warm
from recollect.model.value import dataclass
from recollect.store.db import Db
from recollect.store.tables import code_notes
from recollect.store.tables.code_files import Tree

OFTEN = 8


@dataclass(slots=True)
class Held:
    """What is kept between questions; once the graph is built anew or added to, the count begins again."""

    graph: CodeGraph | None = None
    asked: int = 0
    mark: tuple[object, ...] = ()

    def graph_of(self, db: Db, tree: Tree) -> CodeGraph:
        """The graph of this checkout as it is now."""
        mark = (tree.num, tree.generation, *code_notes.mark(db, tree.project_id))
        if self.graph is None or mark != self.mark:
            self.graph, self.asked, self.mark = cold(db, tree), 0, mark
        self.asked += 1
        if self.asked == OFTEN:
            self.graph = warm(db, tree)
        return self.graph
