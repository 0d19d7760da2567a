"""Everything known about one subject: its memories; for code also its graph neighbours and co-changed files."""

from __future__ import annotations

from recollect.codegraph.code_graph import CodeGraph
from recollect.codegraph.dependents import find_dependents
from recollect.codegraph.modules import part_of_file
from recollect.errors import NotFound
from recollect.model.impact import SubjectSummary
from recollect.model.subject import Subject
from recollect.model.value import replace
from recollect.retrieve.impact import (
    MAX_TOGETHER,
    CodeReadContext,
    find_added_nodes,
    find_attached,
    find_cochanged,
    list_own_nodes,
)
from recollect.store.tables import subjects

_MAX_SUBJECTS = 2000
_MAX_SHOWN = 50


def describe_subject(context: CodeReadContext, subject: Subject, limit: int) -> SubjectSummary:
    """Describe a file, a symbol, a folder, a module, or any other subject such as a service or a person."""
    description = SubjectSummary(subject=subject)
    places = _list_places(context, subject)
    if subject.type in ("file", "symbol", "module") and context.graph is not None:
        try:
            description = _add_graph_facts(context, context.graph, description)
        except NotFound:  # a file without code, or one the graph has not seen yet
            places |= _find_part_around(context.graph, subject)
        else:
            places |= (
                {f"module:{description.module}": 2} if description.module and subject.type != "module" else {}
            )
    if subject.type in ("file", "symbol"):
        cochanged = find_cochanged(context, [subject.name.partition("::")[0]])
        description = replace(description, together=cochanged[:MAX_TOGETHER])
    attached = find_attached(context.db, context.kinds, context.filters, places)
    return replace(description, memories=attached.everything[:limit])


def find_module_of(graph: CodeGraph, path: str) -> str:
    """The part of the project a file belongs to; empty for what is in none."""
    part = part_of_file(graph.parts, path)
    return part.name if part else ""


def _list_places(context: CodeReadContext, subject: Subject) -> dict[str, int]:
    """The subject, what lies in it (the symbols of a file, the files of a folder), and the file it lies in."""
    places = {str(subject): 0}
    if subject.type not in ("file", "symbol"):
        return places
    path, _, symbol = subject.name.partition("::")
    starts = [f"symbol:{path}::", f"file:{path}/", f"symbol:{path}/"]
    if symbol:
        starts = [f"symbol:{path}::{symbol}."]
        places[f"file:{path}"] = 1
    return {
        name: 1 for start in starts for name in subjects.list_subjects_under(context.db, start, _MAX_SUBJECTS)
    } | places


def _add_graph_facts(
    context: CodeReadContext, graph: CodeGraph, description: SubjectSummary
) -> SubjectSummary:
    key = str(description.subject) if description.subject.type == "module" else description.subject.name
    own_nodes, node = list_own_nodes(graph, key), graph.node(key)
    inside = [
        node_inside for node_inside in own_nodes if node.path and node_inside.key not in (key, node.path)
    ]
    return replace(
        description,
        node=node,
        module=find_module_of(graph, node.path) if node.path else "",
        definitions=tuple(sorted(inside, key=lambda node_inside: node_inside.line)),
        dependents=tuple(find_dependents(graph, key, depth=1).files[:_MAX_SHOWN]),
        dependencies=tuple(find_dependents(graph, key, depth=1, back=False).files[:_MAX_SHOWN]),
        added=tuple(
            find_added_nodes(context.db, context.project_id, [node_inside.key for node_inside in own_nodes])
        ),
    )


def _find_part_around(graph: CodeGraph, subject: Subject) -> dict[str, int]:
    """A file without code lies in a folder all the same."""
    folder = subject.name.rpartition("/")[0]
    return {f"module:{part.name}": 2 for part in graph.parts if part.folder == folder}
