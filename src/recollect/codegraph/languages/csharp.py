"""C#: namespaces and usings; a using brings names, and the names a file uses tell which files it needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from recollect.codegraph.files import ProjectFiles
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

_QUERY = """
(class_declaration) @class
(struct_declaration) @class
(record_declaration) @class
(enum_declaration) @class
(interface_declaration) @interface
(method_declaration) @function
(constructor_declaration) @function
(local_function_statement) @function
(invocation_expression function: [(identifier) (member_access_expression) (generic_name)
                                  (conditional_access_expression)] @call)
(object_creation_expression type: (_) @call)
(using_directive) @import
(namespace_declaration name: (_) @package)
(file_scoped_namespace_declaration name: (_) @package)
(variable_declaration) @hint
(parameter) @hint
(property_declaration) @hint
(base_list [(identifier) (qualified_name) (generic_name)] @use)
(object_creation_expression type: (_) @use)
(variable_declaration type: [(identifier) (generic_name) (qualified_name) (nullable_type)] @use)
(parameter type: [(identifier) (generic_name) (qualified_name) (nullable_type)] @use)
(property_declaration type: [(identifier) (generic_name) (qualified_name) (nullable_type)] @use)
(method_declaration returns: [(identifier) (generic_name) (qualified_name) (nullable_type)] @use)
(type_argument_list [(identifier) (qualified_name)] @use)
(member_access_expression expression: (identifier) @use)
(attribute name: (identifier) @use)
(typeof_expression (identifier) @use)
(cast_expression type: (identifier) @use)
(catch_declaration type: (identifier) @use)
"""


def _grammar() -> object:
    import tree_sitter_c_sharp

    return tree_sitter_c_sharp.language()


def _define(node: Node, kind: str) -> Defined | None:
    bases = []
    for listed in children_of_type(node, "base_list"):
        for base in listed.named_children:
            if base.type in ("identifier", "qualified_name", "generic_name", "primary_constructor_base_type"):
                name = base_name(node_text(base))
                bases.append(("+" if _looks_like_interface(name) and kind == "class" else "") + name)
    modifiers = {node_text(child) for child in children_of_type(node, "modifier")}
    return Defined(
        node_text(node.child_by_field_name("name")),
        bases=tuple(bases),
        exported="private" not in modifiers,
        returns=base_name(node_text(node.child_by_field_name("returns"))),
    )


def _looks_like_interface(name: str) -> bool:
    last = name.rpartition(".")[2]
    return len(last) > 1 and last[0] == "I" and last[1].isupper()


def _imports(node: Node) -> Iterator[Import]:
    parts = [child for child in node.named_children if child.type in ("identifier", "qualified_name")]
    alias = node.child_by_field_name("name")
    if alias is not None and len(parts) > 1:
        yield Import(node_text(parts[-1]), (("", node_text(alias)),), "alias")
    elif parts:
        is_static = any(child.type == "static" for child in node.children)
        yield Import(node_text(parts[-1]), (("*", "*"),), "static" if is_static else "")


def _hints(node: Node) -> Iterator[tuple[str, str]]:
    declared = node.child_by_field_name("type")
    kind = base_name(node_text(declared)) if declared is not None else ""
    if node.type != "variable_declaration":
        yield node_text(node.child_by_field_name("name")), kind
        return
    for declarator in children_of_type(node, "variable_declarator"):
        name = declarator.child_by_field_name("name") or next(
            children_of_type(declarator, "identifier"), None
        )
        creation = next(children_of_type(declarator, "object_creation_expression"), None)
        if kind == "var":
            yield (
                node_text(name),
                base_name(node_text(creation.child_by_field_name("type"))) if creation is not None else "",
            )
        else:
            yield node_text(name), kind


def _resolver(files: ProjectFiles) -> Callable[[str, Import], list[Binding]]:
    def resolve(path: str, statement: Import) -> list[Binding]:
        if statement.how == "":
            return [
                Binding("*", source, "?") for source in sorted(files.by_package.get(statement.module, ()))
            ]
        namespace, _, name = statement.module.rpartition(".")
        for source in files.by_package.get(namespace, ()):
            if any(d.qualified == name for d in files.outline(source).definitions):
                if statement.how == "static":
                    return [Binding("*", source, f"{name}.*")]
                return [Binding(statement.names[0][1], source, name)]
        return [Binding(statement.names[0][1], "")]

    return resolve


def languages() -> Iterable[Language]:
    """What this file brings."""
    return (
        Language(
            name="csharp",
            extensions=(".cs",),
            package="tree-sitter-c-sharp",
            grammar=_grammar,
            query=_QUERY,
            define=_define,
            imports=_imports,
            hints=_hints,
            resolver=_resolver,
            self_words=frozenset({"this"}),
            super_words=frozenset({"base"}),
            implicit_self=True,
            shares_package=True,
            sees_outer_packages=True,
            silent_ending="Attribute",
        ),
    )
