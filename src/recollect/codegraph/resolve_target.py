"""Resolves what a user names in the code: a path, a path with a symbol, a module, or only a name."""

from __future__ import annotations

from recollect.codegraph.code_graph import CodeGraph
from recollect.errors import BadInput, BadSubject, NotFound
from recollect.model.code import SEMANTIC_NODES
from recollect.model.subject import Subject, parse_subject
from recollect.store.tables import code_files, code_nodes

_SHOWN = 5


def resolve_subject(name: str, graph: CodeGraph | None) -> Subject:
    """
    The subject a text means. A bare name means a definition if the graph has exactly one, or a folder.

    `invariant:NAME` and its like are no subjects of memories, but the graph has nodes of that name.
    """
    kind = name.partition(":")[0]
    if "::" in name and not name.startswith("symbol:"):
        return parse_subject(f"symbol:{name.removeprefix('file:')}")
    if kind in SEMANTIC_NODES:
        return Subject(kind, name.partition(":")[2])
    try:
        subject = parse_subject(name)
    except BadSubject:
        if graph is None:
            raise
        return _by_bare_name(name.strip(), graph)
    is_dotted = subject.type == "file" and not name.startswith("file:") and "/" not in name
    if is_dotted and graph is not None and not graph.nums_by_name(subject.name):
        keys = _definitions(name.strip(), graph)
        return Subject("symbol", keys[0]) if len(keys) == 1 else subject
    return subject


def resolve_place(name: str, graph: CodeGraph | None) -> Subject:
    """The same, where only a place in the code makes sense."""
    try:
        return resolve_subject(name, graph)
    except BadSubject as error:
        raise NotFound(what="place in the code graph", name=name, fix="recollect graph build") from error


def _by_bare_name(name: str, graph: CodeGraph) -> Subject:
    keys = _definitions(name, graph)
    if len(keys) == 1:
        return Subject("symbol", keys[0])
    if keys:
        raise BadInput(reason=f"{len(keys)} definitions are called {name}: {', '.join(keys[:_SHOWN])}")
    paths = code_files.list_files(graph.db, graph.tree)
    if name in paths or any(path.startswith(f"{name}/") for path in paths):
        return Subject("file", name)
    return parse_subject(name)


def _definitions(name: str, graph: CodeGraph) -> list[str]:
    last = name.rpartition(".")[2]
    return [
        f"{path}::{qualified}"
        for path, qualified in code_nodes.find_definitions_named(graph.db, graph.tree, last)
        if qualified == name or qualified.endswith(f".{name}")
    ]
