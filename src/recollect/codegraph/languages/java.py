"""Java: packages, single, wildcard and static imports, names of the same package."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from recollect.codegraph.files import ProjectFiles, nearest_path
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
(enum_declaration) @class
(record_declaration) @class
(interface_declaration) @interface
(annotation_type_declaration) @interface
(method_declaration) @function
(constructor_declaration) @function
(method_invocation) @call
(object_creation_expression) @call
(import_declaration) @import
(package_declaration [(scoped_identifier) (identifier)] @package)
(local_variable_declaration) @hint
(formal_parameter) @hint
(field_declaration) @hint
(resource) @hint
(enhanced_for_statement) @hint
(catch_formal_parameter name: (identifier) @local)
(type_identifier) @use
(marker_annotation name: (identifier) @use)
(annotation name: (identifier) @use)
(method_invocation object: (identifier) @use)
(field_access object: (identifier) @use)
"""


def _grammar() -> object:
    import tree_sitter_java

    return tree_sitter_java.language()


def _define(node: Node, kind: str) -> Defined | None:
    modifiers = node_text(next(children_of_type(node, "modifiers"), None))
    bases: list[str] = []
    if kind in ("class", "interface"):
        extended = node.child_by_field_name("superclass")
        if extended is not None:
            bases.append(base_name(node_text(extended.named_children[0])))
        for clause in children_of_type(node, "super_interfaces", "extends_interfaces"):
            mark = "+" if clause.type == "super_interfaces" else ""
            for listed in clause.named_children:
                bases += [mark + base_name(node_text(base)) for base in listed.named_children]
    return Defined(
        node_text(node.child_by_field_name("name")),
        bases=tuple(bases),
        exported="private" not in modifiers.split(),
        returns=base_name(node_text(node.child_by_field_name("type"))),
    )


def _imports(node: Node) -> Iterator[Import]:
    path = node_text(next(children_of_type(node, "scoped_identifier", "identifier"), None))
    is_static = any(child.type == "static" for child in node.children)
    if any(child.type == "asterisk" for child in node.children):
        yield Import(path, (("*", "*"),), "static" if is_static else "")
        return
    module, _, name = path.rpartition(".")
    yield Import(module, ((name, name),), "static" if is_static else "")


def _callee(node: Node) -> str:
    if node.type == "object_creation_expression":
        return base_name(node_text(node.child_by_field_name("type")))
    owner = node.child_by_field_name("object")
    name = node_text(node.child_by_field_name("name"))
    return f"{node_text(owner)}.{name}" if owner is not None else name


def _hints(node: Node) -> Iterator[tuple[str, str]]:
    kind = base_name(node_text(node.child_by_field_name("type")))
    if node.type in ("formal_parameter", "resource", "enhanced_for_statement"):
        yield node_text(node.child_by_field_name("name")), kind
        return
    for declarator in children_of_type(node, "variable_declarator"):
        value = declarator.child_by_field_name("value")
        if kind == "var" and value is not None and value.type == "object_creation_expression":
            yield (
                node_text(declarator.child_by_field_name("name")),
                base_name(node_text(value.child_by_field_name("type"))),
            )
        elif kind == "var" and value is not None and value.type == "method_invocation":
            yield node_text(declarator.child_by_field_name("name")), _callee(value)
        else:
            yield node_text(declarator.child_by_field_name("name")), "" if kind == "var" else kind


def _resolver(files: ProjectFiles) -> Callable[[str, Import], list[Binding]]:
    def resolve(path: str, statement: Import) -> list[Binding]:
        name, local = statement.names[0]
        if statement.how == "static":
            owner = _type_file(files, statement.module, path)
            kind = statement.module.rpartition(".")[2]
            return [Binding(local, owner, f"{kind}.{name}" if owner else "")]
        if name == "*":
            inner = files.by_package.get(statement.module)
            if inner:
                return [Binding("*", source, "?") for source in sorted(inner)]
            owner = _type_file(files, statement.module, path)  # import a.b.Outer.*
            return [Binding("*", owner, statement.module.rpartition(".")[2] + ".*" if owner else "")]
        target = _type_file(files, f"{statement.module}.{name}", path)
        if target:
            return [Binding(local, target, name)]
        outer = _type_file(files, statement.module, path)  # a nested type
        kind = statement.module.rpartition(".")[2]
        return [Binding(local, outer, f"{kind}.{name}" if outer else "")]

    return resolve


def _type_file(files: ProjectFiles, full_name: str, path: str) -> str:
    """Where a type lies: by its path, or by a file of its package that defines it."""
    package, _, name = full_name.rpartition(".")
    listed = files.by_package.get(package, ())
    own = [one for one in listed if one.endswith(f"/{name}.java") or one == f"{name}.java"]
    if own:
        return nearest_path(path, own)
    for one in listed:
        if any(d.qualified == name for d in files.outline(one).definitions):
            return one
    return ""


def languages() -> Iterable[Language]:
    """What this file brings."""
    return (
        Language(
            name="java",
            extensions=(".java",),
            package="tree-sitter-java",
            grammar=_grammar,
            query=_QUERY,
            define=_define,
            imports=_imports,
            hints=_hints,
            callee=_callee,
            resolver=_resolver,
            self_words=frozenset({"this"}),
            super_words=frozenset({"super"}),
            implicit_self=True,
            shares_package=True,
        ),
    )
