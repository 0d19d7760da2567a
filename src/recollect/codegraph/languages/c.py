"""C and C++: includes beside the file, on the usual include folders, or by the end of the path."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from recollect.codegraph.files import ProjectFiles, folder_of, folders_above, join_path, nearest_path
from recollect.codegraph.languages.language import (
    Binding,
    Defined,
    Language,
    base_name,
    children_of_type,
    node_text,
)
from recollect.codegraph.outline import Import

if TYPE_CHECKING:
    from tree_sitter import Node

_C_QUERY = """
(function_definition) @function
(declaration declarator: (function_declarator)) @function
(declaration declarator: (pointer_declarator declarator: (function_declarator))) @function
(struct_specifier name: (type_identifier) body: (_)) @class
(union_specifier name: (type_identifier) body: (_)) @class
(enum_specifier name: (type_identifier) body: (_)) @class
(preproc_function_def) @function
(call_expression function: [(identifier) (field_expression)] @call)
(preproc_include) @import
(parameter_declaration declarator: (identifier) @local)
"""
_CPP_QUERY = """
(function_definition) @function
(declaration declarator: (function_declarator)) @function
(declaration declarator: (pointer_declarator declarator: (function_declarator))) @function
(declaration declarator: (reference_declarator (function_declarator))) @function
(field_declaration declarator: (function_declarator)) @function
(field_declaration declarator: (pointer_declarator declarator: (function_declarator))) @function
(field_declaration declarator: (reference_declarator (function_declarator))) @function
(class_specifier name: [(type_identifier) (template_type) (qualified_identifier)] body: (_)) @class
(struct_specifier name: [(type_identifier) (template_type) (qualified_identifier)] body: (_)) @class
(union_specifier name: (type_identifier) body: (_)) @class
(enum_specifier name: (type_identifier) body: (_)) @class
(namespace_definition) @namespace
(preproc_function_def) @function
(call_expression function: [(identifier) (field_expression) (qualified_identifier) (template_function)] @call)
(new_expression type: [(type_identifier) (qualified_identifier) (template_type)] @call)
(preproc_include) @import
(parameter_declaration) @hint
(declaration) @hint
(field_declaration) @hint
"""
_NAMES = ("identifier", "field_identifier", "qualified_identifier", "operator_name", "destructor_name")
_INCLUDE_FOLDERS = ("", "include", "inc", "src")
_BODIES = (".c", ".cc", ".cpp", ".cxx")


def _c() -> object:
    import tree_sitter_c

    return tree_sitter_c.language()


def _cpp() -> object:
    import tree_sitter_cpp

    return tree_sitter_cpp.language()


def _define(node: Node, kind: str) -> Defined | None:
    if kind == "function" and node.type != "preproc_function_def":
        declarator = _function_declarator(node)
        name = declarator.child_by_field_name("declarator") if declarator is not None else None
        if name is None or name.type not in _NAMES:
            return None
        owner, _, last = base_name(node_text(name)).rpartition(".")
        is_static = any(
            c.type == "storage_class_specifier" and node_text(c) == "static" for c in node.children
        )
        return Defined(last, owner=owner, exported=not is_static)
    name = node.child_by_field_name("name")
    if name is None:
        return None
    bases = tuple(_bases(node)) if kind == "class" else ()
    return Defined(base_name(node_text(name)), bases=bases)


def _function_declarator(node: Node) -> Node | None:
    declarator = node.child_by_field_name("declarator")
    while declarator is not None and declarator.type != "function_declarator":
        inner = declarator.child_by_field_name("declarator")
        declarator = inner or next(
            children_of_type(declarator, "function_declarator", "pointer_declarator"), None
        )
    return declarator


def _bases(node: Node) -> Iterator[str]:
    for clause in children_of_type(node, "base_class_clause"):
        for base in children_of_type(clause, "type_identifier", "qualified_identifier", "template_type"):
            yield base_name(node_text(base))


def _imports(node: Node) -> Iterator[Import]:
    path = node.child_by_field_name("path")
    if path is not None and path.type in ("string_literal", "system_lib_string"):
        how = "quoted" if path.type == "string_literal" else "angled"
        yield Import(node_text(path).strip('"<> '), (("*", "*"),), how)


def _hints(node: Node) -> Iterator[tuple[str, str]]:
    declared = node.child_by_field_name("type")
    kind = base_name(node_text(declared)) if declared is not None else ""
    if declared is not None and declared.type == "primitive_type":
        kind = ""
    for declarator in node.children_by_field_name("declarator"):
        name, type_name = _declared(declarator)
        if name:
            yield name, type_name if kind == "auto" else kind


def _declared(declarator: Node) -> tuple[str, str]:
    """The variable a declarator names, and the type its value is made of."""
    type_name = ""
    inner: Node | None = declarator
    while inner is not None and inner.type not in ("identifier", "field_identifier"):
        if inner.type == "function_declarator":
            return "", ""
        value = inner.child_by_field_name("value")
        if value is not None and value.type == "new_expression":
            type_name = base_name(node_text(value.child_by_field_name("type")))
        elif value is not None and value.type == "call_expression":
            type_name = base_name(node_text(value.child_by_field_name("function")))
        inner = inner.child_by_field_name("declarator") or next(children_of_type(inner, "identifier"), None)
    return node_text(inner), type_name


def _resolver(files: ProjectFiles) -> Callable[[str, Import], list[Binding]]:
    def resolve(path: str, statement: Import) -> list[Binding]:
        target = _included(files, path, statement)
        if not target:
            return [Binding("", "")]
        return [Binding("*", target)]

    return resolve


def _included(files: ProjectFiles, path: str, statement: Import) -> str:
    home = folder_of(path)
    if statement.how == "quoted" and (beside := join_path(home, statement.module)) in files:
        return beside
    for folder in folders_above(home):
        for inner in _INCLUDE_FOLDERS:
            if (target := join_path(folder, inner, statement.module)) in files:
                return target
    # Include folders are told to the compiler, not to us: a path that only one file can mean is that file.
    candidates = files.paths_ending(statement.module) if ".." not in statement.module else []
    if statement.how == "angled" and "/" not in statement.module:
        return ""
    return nearest_path(path, candidates)


def _bodies_of(files: ProjectFiles, header: str) -> list[str]:
    """Where the functions of a header are written: the source of the same name, beside it or under src."""
    stem, ending = posixpath.splitext(posixpath.basename(header))
    if ending in _BODIES:
        return []
    listed = [path for body in _BODIES for path in files.by_name.get(stem + body, ())]
    return [nearest_path(header, listed)] if listed else []


def languages() -> Iterable[Language]:
    """What this file brings; a header is read as C++, which nearly every C header is too."""
    return (
        Language(
            name="c",
            extensions=(".c",),
            package="tree-sitter-c",
            grammar=_c,
            query=_C_QUERY,
            define=_define,
            imports=_imports,
            resolver=_resolver,
            bodies=_bodies_of,
            passes_on=True,
            family="c",
        ),
        Language(
            name="cpp",
            extensions=(".h", ".hh", ".hpp", ".hxx", ".cc", ".cpp", ".cxx", ".inl", ".ipp"),
            package="tree-sitter-cpp",
            grammar=_cpp,
            query=_CPP_QUERY,
            define=_define,
            imports=_imports,
            hints=_hints,
            resolver=_resolver,
            bodies=_bodies_of,
            self_words=frozenset({"this"}),
            implicit_self=True,
            passes_on=True,
            family="c",
        ),
    )
