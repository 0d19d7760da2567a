"""The module map: every part of a project with its size, its coupling and its coverage by memories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from recollect.codegraph.code_graph import CodeGraph
from recollect.codegraph.modules import ProjectPart
from recollect.model.code import Module, ModuleMap
from recollect.model.path_kinds import is_test_file
from recollect.retrieve.impact import CodeReadContext
from recollect.store.tables import code_nodes, subjects

_MAX_SUBJECTS = 100_000


def build_module_map(context: CodeReadContext, graph: CodeGraph) -> ModuleMap:
    """Every part: size, coupling, memory coverage, what was seen of it in the running application."""
    home = {path: part.name for part in graph.parts for path in part.files}
    links: dict[str, Counter[str]] = {part.name: Counter() for part in graph.parts}
    back: dict[str, Counter[str]] = {part.name: Counter() for part in graph.parts}
    for (source, target), edges in code_nodes.count_file_links(context.db, graph.tree).items():
        links[home[source]][home[target]] += int(edges)
        back[home[target]][home[source]] += int(edges)
    sizes = code_nodes.count_definitions(context.db, graph.tree)
    coverage = _count_coverage(context, home)
    modules = [_module(part, links[part.name], back[part.name], sizes, coverage) for part in graph.parts]
    return ModuleMap(modules=tuple(sorted(modules, key=lambda module: module.name)))


class _Coverage:
    """What memories are about, by part and by file."""

    def __init__(self) -> None:
        self.memories: dict[str, set[int]] = {}
        self.running: dict[str, set[int]] = {}
        self.files: set[str] = set()


def _count_coverage(context: CodeReadContext, home: Mapping[str, str]) -> _Coverage:
    names = set(home.values())
    starts = ("file:", "symbol:", "module:")
    names_listed = [
        name for start in starts for name in subjects.list_subjects_under(context.db, start, _MAX_SUBJECTS)
    ]
    running = {kind.name for kind in context.kinds if kind.seen_running}
    coverage = _Coverage()
    for holding in subjects.list_memories_about(context.db, names_listed, context.filters):
        part, path = (
            _part_of_subject(holding.subject, home, names),
            holding.subject.partition(":")[2].partition("::")[0],
        )
        if part and path:
            coverage.memories.setdefault(part, set()).add(holding.num)
            coverage.files.add(path)
            if holding.kind in running:
                coverage.running.setdefault(part, set()).add(holding.num)
    return coverage


def _part_of_subject(subject: str, home: Mapping[str, str], names: Iterable[str]) -> str:
    kind, _, name = subject.partition(":")
    if kind == "module":
        return name if name in names else ""
    return home.get(name.partition("::")[0], "")


def _module(
    part: ProjectPart,
    to: Mapping[str, int],
    back: Mapping[str, int],
    sizes: Mapping[str, int],
    coverage: _Coverage,
) -> Module:
    return Module(
        name=part.name,
        folder=part.folder,
        files=part.files,
        definitions=sum(sizes.get(path, 0) for path in part.files),
        is_test=all(map(is_test_file, part.files)),
        inside=to.get(part.name, 0),
        leans_on={neighbour: edges for neighbour, edges in sorted(to.items()) if neighbour != part.name},
        used_by={neighbour: edges for neighbour, edges in sorted(back.items()) if neighbour != part.name},
        memories=len(coverage.memories.get(part.name, ())),
        files_known=sum(path in coverage.files for path in part.files),
        e2e=len(coverage.running.get(part.name, ())),
    )
