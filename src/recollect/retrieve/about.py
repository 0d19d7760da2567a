"""Everything known about one thing: its memories, and for a place in the code its neighbours and its company."""

from __future__ import annotations

from recollect.codegraph.dependents import felt
from recollect.codegraph.modules import part_of_file
from recollect.codegraph.traverse import CodeGraph
from recollect.errors import NotFound
from recollect.model.impact import About
from recollect.model.subject import Subject
from recollect.model.value import replace
from recollect.retrieve.attached_memories import hanging
from recollect.retrieve.impact import MOST_TOGETHER, Asked, added_to, own_nodes, together
from recollect.store.tables import subjects

_MOST_SUBJECTS = 2000
_MOST_SHOWN = 50


def about(asked: Asked, subject: Subject, limit: int) -> About:
    """What is known of a file, a symbol, a folder, a module, or of a service, a person and whatever else."""
    found = About(subject=subject)
    places = _places(asked, subject)
    if subject.type in ("file", "symbol", "module") and asked.graph is not None:
        try:
            found = _in_graph(asked, asked.graph, found)
        except NotFound:  # a file without code, or one the graph has not seen yet
            places |= _part_around(asked.graph, subject)
        else:
            places |= {f"module:{found.module}": 2} if found.module and subject.type != "module" else {}
    if subject.type in ("file", "symbol"):
        company = together(asked, [subject.name.partition("::")[0]])
        found = replace(found, together=company[:MOST_TOGETHER])
    hung = hanging(asked.db, asked.kinds, asked.filters, places)
    return replace(found, memories=hung.everything[:limit])


def module_of(graph: CodeGraph, path: str) -> str:
    """The part of the project a file belongs to; empty for what is in none."""
    part = part_of_file(graph.parts, path)
    return part.name if part else ""


def _places(asked: Asked, subject: Subject) -> dict[str, int]:
    """The subject, what lies in it (the symbols of a file, the files of a folder), and the file it lies in."""
    places = {str(subject): 0}
    if subject.type not in ("file", "symbol"):
        return places
    path, _, symbol = subject.name.partition("::")
    starts = [f"symbol:{path}::", f"file:{path}/", f"symbol:{path}/"]
    if symbol:
        starts = [f"symbol:{path}::{symbol}."]
        places[f"file:{path}"] = 1
    return {name: 1 for start in starts for name in subjects.under(asked.db, start, _MOST_SUBJECTS)} | places


def _in_graph(asked: Asked, graph: CodeGraph, found: About) -> About:
    key = str(found.subject) if found.subject.type == "module" else found.subject.name
    own, node = own_nodes(graph, key), graph.node(key)
    inside = [one for one in own if node.path and one.key not in (key, node.path)]
    return replace(
        found,
        node=node,
        module=module_of(graph, node.path) if node.path else "",
        definitions=tuple(sorted(inside, key=lambda one: one.line)),
        dependents=tuple(felt(graph, key, depth=1).files[:_MOST_SHOWN]),
        dependencies=tuple(felt(graph, key, depth=1, back=False).files[:_MOST_SHOWN]),
        added=tuple(added_to(asked.db, asked.project_id, [one.key for one in own])),
    )


def _part_around(graph: CodeGraph, subject: Subject) -> dict[str, int]:
    """A file without code lies in a folder all the same."""
    folder = subject.name.rpartition("/")[0]
    return {f"module:{part.name}": 2 for part in graph.parts if part.folder == folder}
