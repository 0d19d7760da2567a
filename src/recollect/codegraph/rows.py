"""Writes outlines and edges as rows; a node keeps its number as long as its name exists."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import itemgetter

from recollect.codegraph.files import folder_of
from recollect.codegraph.outline import Outline
from recollect.codegraph.resolve import Edge
from recollect.model.code import NodeKind
from recollect.model.value import dataclass, field
from recollect.store.db import Db
from recollect.store.tables import code_nodes
from recollect.store.tables.code_files import StoredFile, Tree
from recollect.store.tables.code_nodes import StoredNode

# Kind, name, first and last line.
_NodeFacts = tuple[str, str, int, int]


@dataclass(slots=True)
class NodeRows:
    """Writes the nodes of files and gives their numbers."""

    db: Db
    tree: Tree
    file_nums: Mapping[str, int]
    next_num: int
    nums: dict[str, dict[str, int]] = field(default_factory=dict)

    def write(self, changed: Iterable[tuple[StoredFile, Outline]], fresh: set[int]) -> None:
        """Replace the nodes of these files by those of the outlines; FRESH files have none yet."""
        added: list[StoredNode] = []
        moved: list[StoredNode] = []
        gone: list[int] = []
        for file, outline in changed:
            stored = {} if file.num in fresh else code_nodes.list_nodes_of_file(self.db, file.num)
            nums: dict[str, int] = {}
            for qualified, about in _nodes_of_outline(file, outline).items():
                old = stored.pop(qualified, None)
                if old is None:
                    nums[qualified] = self.next_num
                    added.append(_node_row(self.next_num, file.num, qualified, about))
                    self.next_num += 1
                else:
                    nums[qualified] = old.num
                    if about != (old.kind, old.name, old.line, old.end_line):
                        moved.append(_node_row(old.num, file.num, qualified, about))
            gone += [node.num for node in stored.values()]
            self.nums[file.path] = nums
        code_nodes.remove_nodes(self.db, gone)
        code_nodes.change_nodes(self.db, moved)
        code_nodes.add_nodes(self.db, self.tree, added)

    def write_apart(self, files: Iterable[StoredFile]) -> None:
        """Make the nodes of directories and modules match the files."""
        wanted: set[tuple[str, str]] = set()
        for file in files:
            if file.module:
                wanted.add((NodeKind.MODULE, file.module))
            folder = folder_of(file.path)
            while folder and (NodeKind.DIRECTORY, folder) not in wanted:
                wanted.add((NodeKind.DIRECTORY, folder))
                folder = folder_of(folder)
        stored = code_nodes.list_folders_and_modules(self.db, self.tree)
        code_nodes.remove_nodes(self.db, [num for key, num in stored.items() if key not in wanted])
        added = []
        for kind, name in sorted(wanted - stored.keys()):
            added.append(StoredNode(num=self.next_num, file_num=None, kind=kind, name=name))
            self.next_num += 1
        code_nodes.add_nodes(self.db, self.tree, added)

    def of_file(self, path: str) -> Mapping[str, int]:
        """The numbers of a file's nodes, by qualified name."""
        nums = self.nums.get(path)
        if nums is None:
            numbers = (
                code_nodes.list_nodes_of_file(self.db, self.file_nums[path]) if path in self.file_nums else {}
            )
            nums = self.nums[path] = {name: node.num for name, node in numbers.items()}
        return nums


def write_edges(nodes: NodeRows, edges: Mapping[str, list[Edge]], fresh: set[int]) -> None:
    """Replace the edges that leave these files."""
    code_nodes.clear_edges(nodes.db, [num for path in edges if (num := nodes.file_nums[path]) not in fresh])
    rows = []
    for path, leaving in edges.items():
        own = nodes.of_file(path)
        for origin, leads_to, name, kind, confidence, lines in leaving:
            source, target = own.get(origin), nodes.of_file(leads_to).get(name)
            if source is not None and target is not None:
                rows.append((source, kind, target, confidence, code_nodes.format_lines(lines)))
    # In the order of the key the table is filled from left to right, which is several times faster.
    rows.sort(key=itemgetter(0, 1, 2))
    code_nodes.add_edges(nodes.db, rows)


def _nodes_of_outline(file: StoredFile, outline: Outline) -> dict[str, _NodeFacts]:
    """The nodes a file should have, by qualified name; of several with one name the first counts."""
    nodes: dict[str, _NodeFacts] = {"": (NodeKind.FILE, file.path.rpartition("/")[2], 0, 0)}
    for d in outline.definitions:
        nodes.setdefault(d.qualified, (d.kind, d.name, d.line, d.end_line))
    return nodes


def _node_row(num: int, file_num: int, qualified: str, about: _NodeFacts) -> StoredNode:
    kind, name, line, end_line = about
    return StoredNode(
        num=num, file_num=file_num, kind=kind, name=name, qualified=qualified, line=line, end_line=end_line
    )
