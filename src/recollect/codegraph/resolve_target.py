"""What somebody means who names a place in the code: a path, a path with a name, a module, or only a name."""

from __future__ import annotations

from recollect.codegraph.traverse import CodeGraph
from recollect.errors import BadInput, BadSubject, NotFound
from recollect.model.code import SEMANTIC_NODES
from recollect.model.subject import Subject, parse_subject
from recollect.store.tables import code_files, code_nodes

_SHOWN = 5


def subject_of(name: str, graph: CodeGraph | None) -> Subject:
    """
    The subject a text means. A bare name is a definition, if the graph knows exactly one of it, or a folder.

    `invariant:NAME` and its like are no subjects of memories, but the graph has nodes of that name.
    """
    kind = name.partition(":")[0]
    if "::" in name and not name.startswith("symbol:"):
        return parse_subject(f"symbol:{name.removeprefix('file:')}")
    if kind in SEMANTIC_NODES:
        return Subject(kind, name.partition(":")[2])
    try:
        found = parse_subject(name)
    except BadSubject:
        if graph is None:
            raise
        return _by_bare_name(name.strip(), graph)
    is_dotted = found.type == "file" and not name.startswith("file:") and "/" not in name
    if is_dotted and graph is not None and not graph.held(found.name):
        keys = _definitions(name.strip(), graph)
        return Subject("symbol", keys[0]) if len(keys) == 1 else found
    return found


def place_of(name: str, graph: CodeGraph | None) -> Subject:
    """The same for somebody who can only mean a place in the code."""
    try:
        return subject_of(name, graph)
    except BadSubject as error:
        raise NotFound(what="place in the code graph", name=name, fix="recollect graph build") from error


def _by_bare_name(name: str, graph: CodeGraph) -> Subject:
    keys = _definitions(name, graph)
    if len(keys) == 1:
        return Subject("symbol", keys[0])
    if keys:
        raise BadInput(reason=f"{len(keys)} definitions are called {name}: {', '.join(keys[:_SHOWN])}")
    paths = code_files.files(graph.db, graph.tree)
    if name in paths or any(path.startswith(f"{name}/") for path in paths):
        return Subject("file", name)
    return parse_subject(name)


def _definitions(name: str, graph: CodeGraph) -> list[str]:
    last = name.rpartition(".")[2]
    return [
        f"{path}::{qualified}"
        for path, qualified in code_nodes.named(graph.db, graph.tree, last)
        if qualified == name or qualified.endswith(f".{name}")
    ]
