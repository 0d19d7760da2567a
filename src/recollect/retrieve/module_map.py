"""The parts of a project with what the graph and the memories say about each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from recollect.codegraph.modules import Part
from recollect.codegraph.traverse import CodeGraph
from recollect.model.modules import Module, ModuleMap
from recollect.model.testfile import is_test_file
from recollect.retrieve.impact import Asked
from recollect.store.tables import code_nodes, subjects

_MOST_SUBJECTS = 100_000


def module_map(asked: Asked, graph: CodeGraph) -> ModuleMap:
    """Every part: size, coupling, memory coverage, what was seen of it in the running application."""
    home = {path: part.name for part in graph.parts for path in part.files}
    links: dict[str, Counter[str]] = {part.name: Counter() for part in graph.parts}
    back: dict[str, Counter[str]] = {part.name: Counter() for part in graph.parts}
    for (one, other), edges in code_nodes.file_links(asked.db, graph.tree).items():
        links[home[one]][home[other]] += int(edges)
        back[home[other]][home[one]] += int(edges)
    sizes = code_nodes.definitions_by_file(asked.db, graph.tree)
    known = _known(asked, home)
    modules = [_module(part, links[part.name], back[part.name], sizes, known) for part in graph.parts]
    return ModuleMap(modules=tuple(sorted(modules, key=lambda module: module.name)))


class _Known:
    """What memories are about, by part and by file."""

    def __init__(self) -> None:
        self.memories: dict[str, set[int]] = {}
        self.running: dict[str, set[int]] = {}
        self.files: set[str] = set()


def _known(asked: Asked, home: Mapping[str, str]) -> _Known:
    names = set(home.values())
    starts = ("file:", "symbol:", "module:")
    listed = [name for start in starts for name in subjects.under(asked.db, start, _MOST_SUBJECTS)]
    running = {kind.name for kind in asked.kinds if kind.seen_running}
    known = _Known()
    for one in subjects.held(asked.db, listed, asked.filters):
        part, path = _part(one.subject, home, names), one.subject.partition(":")[2].partition("::")[0]
        if part and path:
            known.memories.setdefault(part, set()).add(one.num)
            known.files.add(path)
            if one.kind in running:
                known.running.setdefault(part, set()).add(one.num)
    return known


def _part(subject: str, home: Mapping[str, str], names: Iterable[str]) -> str:
    kind, _, name = subject.partition(":")
    if kind == "module":
        return name if name in names else ""
    return home.get(name.partition("::")[0], "")


def _module(
    part: Part, to: Mapping[str, int], back: Mapping[str, int], sizes: Mapping[str, int], known: _Known
) -> Module:
    return Module(
        name=part.name,
        folder=part.folder,
        files=part.files,
        definitions=sum(sizes.get(path, 0) for path in part.files),
        is_test=all(map(is_test_file, part.files)),
        inside=to.get(part.name, 0),
        leans_on={other: edges for other, edges in sorted(to.items()) if other != part.name},
        used_by={other: edges for other, edges in sorted(back.items()) if other != part.name},
        memories=len(known.memories.get(part.name, ())),
        files_known=sum(path in known.files for path in part.files),
        e2e=len(known.running.get(part.name, ())),
    )
