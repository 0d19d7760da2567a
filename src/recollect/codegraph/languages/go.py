"""Go: modules by `go.mod`; a package is a folder, and an import brings all its files."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from recollect.codegraph.files import ProjectFiles, folder_of, folders_above, join_path
from recollect.codegraph.languages.language import Binding, Defined, Language, base_name, node_text, unquote
from recollect.codegraph.outline import Import, Outline

if TYPE_CHECKING:
    from tree_sitter import Node

_QUERY = """
(type_declaration (type_spec type: (struct_type)) @class)
(type_declaration (type_spec type: (interface_type)) @interface)
(type_declaration (type_spec type: [(type_identifier) (function_type) (map_type) (slice_type) (pointer_type)
                                    (qualified_type) (array_type) (channel_type)]) @class)
(function_declaration) @function
(method_declaration) @function
(method_elem) @function
(call_expression function: [(identifier) (selector_expression)] @call)
(composite_literal type: [(type_identifier) (qualified_type)] @call)
(import_spec) @import
(package_clause (package_identifier) @package)
(parameter_declaration) @hint
(var_spec) @hint
(short_var_declaration) @hint
(field_declaration) @hint
(parameter_declaration type: (type_identifier) @use)
(field_declaration type: (type_identifier) @use)
(var_spec type: (type_identifier) @use)
(composite_literal type: (type_identifier) @use)
(pointer_type (type_identifier) @use)
(slice_type element: (type_identifier) @use)
(map_type value: (type_identifier) @use)
(function_declaration result: (type_identifier) @use)
(method_declaration result: (type_identifier) @use)
"""
_MODULE = re.compile(r"^\s*module\s+\"?([^\s\"]+)", re.MULTILINE)
_REPLACED = re.compile(r"^\s*(?:replace\s+)?(\S+)(?:\s+v\S+)?\s+=>\s+(\.{1,2}/\S*)", re.MULTILINE)


def _grammar() -> object:
    import tree_sitter_go

    return tree_sitter_go.language()


def _define(node: Node, kind: str) -> Defined | None:
    name = node_text(node.child_by_field_name("name"))
    owner = ""
    bases: tuple[str, ...] = ()
    if node.type == "method_declaration":
        receiver = node.child_by_field_name("receiver")
        parameter = receiver.named_children[0] if receiver is not None and receiver.named_children else None
        owner = base_name(node_text(parameter.child_by_field_name("type"))) if parameter is not None else ""
    elif node.type == "type_spec":
        bases = tuple(_embedded(node.child_by_field_name("type")))
    return Defined(name, owner=owner, bases=bases, exported=name[:1].isupper(), returns=_result(node))


def _result(node: Node) -> str:
    """The first type a function returns."""
    result = node.child_by_field_name("result")
    if result is not None and result.type == "parameter_list":
        first = result.named_children[0] if result.named_children else None
        result = first.child_by_field_name("type") if first is not None else None
    return base_name(node_text(result))


def _embedded(declared: Node | None) -> Iterator[str]:
    """Types a struct or an interface takes in whole."""
    if declared is None:
        return
    if declared.type == "interface_type":
        for element in declared.named_children:
            if element.type == "type_elem" and element.named_child_count == 1:
                yield base_name(node_text(element))
    for fields in declared.named_children if declared.type == "struct_type" else ():
        for field in fields.named_children:
            if field.type == "field_declaration" and field.child_by_field_name("name") is None:
                yield base_name(node_text(field.child_by_field_name("type")))


def _imports(node: Node) -> Iterator[Import]:
    spec = unquote(node.child_by_field_name("path"))
    alias = node_text(node.child_by_field_name("name"))
    local = {"_": "", ".": "*"}.get(alias, alias or _package_name(spec))
    yield Import(spec, (("*" if local == "*" else "", local),), "named" if alias else "")


def _package_name(spec: str) -> str:
    last = spec.rstrip("/").rpartition("/")[2]
    if re.fullmatch(r"v\d+", last) and "/" in spec:
        return _package_name(spec.rpartition("/")[0])
    return last.split(".")[0].replace("-", "_")


def _hints(node: Node) -> Iterator[tuple[str, str]]:
    if node.type == "short_var_declaration":
        yield from _short(node)
        return
    declared = node.child_by_field_name("type")
    names = node.children_by_field_name("name")
    kind = base_name(node_text(declared)) if declared is not None else ""
    if node.type == "var_spec" and declared is None:
        value = node.child_by_field_name("value")
        kind = _made(value.named_children[0]) if value is not None and value.named_children else ""
    for name in names:
        yield node_text(name), kind


def _short(node: Node) -> Iterator[tuple[str, str]]:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return
    names, values = left.named_children, right.named_children
    for place, name in enumerate(names):
        one_each = len(names) == len(values)
        first_of_one = place == 0 and len(values) == 1
        yield node_text(name), _made(values[place]) if one_each or first_of_one else ""


def _made(value: Node) -> str:
    """The type of `T{…}` and `&T{…}`, and the function of a call."""
    if value.type == "unary_expression":
        operand = value.child_by_field_name("operand")
        return _made(operand) if operand is not None else ""
    if value.type == "composite_literal":
        return base_name(node_text(value.child_by_field_name("type")))
    if value.type == "call_expression":
        function = value.child_by_field_name("function")
        is_name = function is not None and function.type in ("identifier", "selector_expression")
        return node_text(function) if is_name else ""
    return ""


def _resolver(files: ProjectFiles) -> Callable[[str, Import], list[Binding]]:
    modules = dict(_modules(files))

    def resolve(path: str, statement: Import) -> list[Binding]:
        folder = _folder(modules, statement.module)
        package = _sources(files, folder) if folder is not None else []
        if not package:
            return [Binding(local, "") for _, local in statement.names]
        name, local = statement.names[0]
        if local and local != "*" and statement.how != "named":
            local = files.package_of(package[0]) or local
        return [Binding(local, source, name) for source in package]

    return resolve


def _modules(files: ProjectFiles) -> Iterator[tuple[str, str]]:
    """Import paths with the folders they lead to, from every go.mod and its local replacements."""
    for path in files.settings_files("go.mod"):
        home, text = folder_of(path), files.read(path)
        if match := _MODULE.search(text):
            yield match[1], home
        for name, target in _REPLACED.findall(text):
            yield name, join_path(home, target)


def _folder(modules: dict[str, str], spec: str) -> str | None:
    for start in folders_above(spec):
        if start and start in modules:
            return posixpath.join(modules[start], spec[len(start) :].lstrip("/")).rstrip("/")
    return None


def _sources(files: ProjectFiles, folder: str) -> list[str]:
    listed = files.folders.get(folder, ())
    return sorted(path for path in listed if path.endswith(".go") and not path.endswith("_test.go"))


def _module(files: ProjectFiles, path: str, outline: Outline) -> str:
    """The import path of the folder."""
    home = folder_of(path)
    for name, folder in _modules(files):
        if folder in folders_above(home):
            return posixpath.join(name, home[len(folder) :].lstrip("/")).rstrip("/")
    return outline.package


def languages() -> Iterable[Language]:
    """What this file brings."""
    return (
        Language(
            name="go",
            extensions=(".go",),
            package="tree-sitter-go",
            grammar=_grammar,
            query=_QUERY,
            define=_define,
            imports=_imports,
            hints=_hints,
            resolver=_resolver,
            module=_module,
            shares_package=True,
            settings_files=frozenset({"go.mod"}),
        ),
    )
