"""PHP: `use`, PSR-4 by `composer.json`, namespaces, and plain `require` of files."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from recollect.codegraph.files import ProjectFiles, folder_of, join_path
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
(trait_declaration) @class
(interface_declaration) @interface
(function_definition) @function
(method_declaration) @function
(function_call_expression function: [(name) (qualified_name)] @call)
(member_call_expression) @call
(nullsafe_member_call_expression) @call
(scoped_call_expression) @call
(object_creation_expression [(name) (qualified_name)] @call)
(namespace_use_declaration) @import
(require_expression) @import
(require_once_expression) @import
(include_expression) @import
(include_once_expression) @import
(namespace_definition name: (namespace_name) @package)
(simple_parameter) @hint
(property_promotion_parameter) @hint
(property_declaration) @hint
(assignment_expression left: [(variable_name) (member_access_expression)]) @hint
(named_type [(name) (qualified_name)] @use)
(base_clause [(name) (qualified_name)] @use)
(class_interface_clause [(name) (qualified_name)] @use)
(object_creation_expression [(name) (qualified_name)] @use)
(scoped_call_expression scope: [(name) (qualified_name)] @use)
(class_constant_access_expression . [(name) (qualified_name)] @use)
(use_declaration [(name) (qualified_name)] @use)
"""
_STRING = re.compile(r"""['"]([^'"$]+)['"]""")
_INCLUDES = ("require_expression", "require_once_expression", "include_expression", "include_once_expression")


def _grammar() -> object:
    import tree_sitter_php

    return tree_sitter_php.language_php()


def _define(node: Node, kind: str) -> Defined | None:
    bases: list[str] = []
    if kind in ("class", "interface"):
        for clause in children_of_type(node, "base_clause"):
            bases += [base_name(node_text(base)) for base in clause.named_children]
        for clause in children_of_type(node, "class_interface_clause"):
            bases += ["+" + base_name(node_text(base)) for base in clause.named_children]
        for used in children_of_type(node.child_by_field_name("body"), "use_declaration"):
            bases += [base_name(node_text(base)) for base in children_of_type(used, "name", "qualified_name")]
    modifiers = {node_text(child) for child in children_of_type(node, "visibility_modifier")}
    return Defined(
        node_text(node.child_by_field_name("name")),
        bases=tuple(bases),
        exported="private" not in modifiers,
        returns=base_name(node_text(node.child_by_field_name("return_type"))),
    )


def _imports(node: Node) -> Iterator[Import]:
    if node.type in _INCLUDES:
        if spec := _STRING.search(node_text(node)):
            how = (
                "include" if "__DIR__" in node_text(node) or "dirname" in node_text(node) else "include_path"
            )
            yield Import(spec[1], (("*", "*"),), how)
        return
    what = next((child.type for child in node.children if child.type in ("function", "const")), "class")
    group = next(children_of_type(node, "namespace_use_group"), None)
    prefix = node_text(next(children_of_type(node, "namespace_name"), None)) if group is not None else ""
    for clause in children_of_type(
        group if group is not None else node, "namespace_use_clause", "namespace_use_group_clause"
    ):
        written = next(children_of_type(clause, "qualified_name", "name", "namespace_name"), None)
        full = "\\".join(part for part in (prefix, node_text(written)) if part).strip("\\").replace("\\", ".")
        alias = clause.child_by_field_name("alias")
        module, _, name = full.rpartition(".")
        yield Import(module, ((name, node_text(alias) or name),), what)


def _callee(node: Node) -> str:
    name = node_text(node.child_by_field_name("name"))
    if node.type in ("member_call_expression", "nullsafe_member_call_expression"):
        return f"{node_text(node.child_by_field_name('object'))}.{name}"
    if node.type == "scoped_call_expression":
        return f"{base_name(node_text(node.child_by_field_name('scope')))}.{name}"
    return base_name(node_text(node))


def _hints(node: Node) -> Iterator[tuple[str, str]]:
    if node.type == "assignment_expression":
        left, right = node_text(node.child_by_field_name("left")), node.child_by_field_name("right")
        kind = ""
        if right is not None and right.type == "object_creation_expression":
            kind = base_name(node_text(next(children_of_type(right, "name", "qualified_name"), None)))
        if kind or not left.startswith("$this"):
            yield left.replace("->", "."), kind
        return
    kind = base_name(node_text(node.child_by_field_name("type")))
    if node.type == "property_declaration":
        for element in children_of_type(node, "property_element"):
            yield "$this." + node_text(element.named_children[0]).lstrip("$"), kind
        return
    name = node_text(node.child_by_field_name("name"))
    yield name, kind
    if node.type == "property_promotion_parameter":
        yield "$this." + name.lstrip("$"), kind


def _resolver(files: ProjectFiles) -> Callable[[str, Import], list[Binding]]:
    prefixes = sorted(_psr4(files), key=lambda pair: -len(pair[0]))

    def resolve(path: str, statement: Import) -> list[Binding]:
        if statement.how.startswith("include"):
            return [Binding("*", _included(files, path, statement))]
        name, local = statement.names[0]
        full = f"{statement.module}.{name}" if statement.module else name
        for prefix, folder in prefixes:
            tail = full.removeprefix(prefix)
            if (
                full.startswith(prefix)
                and (target := join_path(folder, tail.replace(".", "/") + ".php")) in files
            ):
                return [Binding(local, target, name)]
        for source in files.by_package.get(statement.module, ()):
            if any(d.qualified == name for d in files.outline(source).definitions):
                return [Binding(local, source, name)]
        return [Binding(local, "")]

    return resolve


def _included(files: ProjectFiles, path: str, statement: Import) -> str:
    home = folder_of(path)
    spec = statement.module.lstrip("/") if statement.how == "include" else statement.module
    for folder in (home, ""):
        if (target := join_path(folder, spec)) in files:
            return target
    return ""


def _psr4(files: ProjectFiles) -> Iterator[tuple[str, str]]:
    """Namespace prefixes with their folders, from every composer.json."""
    for path in files.settings_files("composer.json"):
        try:
            manifest = json.loads(files.read(path))
        except ValueError:
            continue
        for part in ("autoload", "autoload-dev"):
            section = manifest.get(part) if isinstance(manifest, dict) else None
            listed = section.get("psr-4") if isinstance(section, dict) else None
            for prefix, folders in (listed or {}).items():
                for folder in folders if isinstance(folders, list) else [folders]:
                    yield prefix.replace("\\", "."), join_path(folder_of(path), str(folder))


def languages() -> Iterable[Language]:
    """What this file brings."""
    return (
        Language(
            name="php",
            extensions=(".php", ".phtml", ".inc"),
            package="tree-sitter-php",
            grammar=_grammar,
            query=_QUERY,
            define=_define,
            imports=_imports,
            hints=_hints,
            callee=_callee,
            resolver=_resolver,
            self_words=frozenset({"$this", "self", "static"}),
            super_words=frozenset({"parent"}),
            shares_package=True,
            settings_files=frozenset({"composer.json"}),
        ),
    )
