"""JavaScript, TypeScript and TSX: modules, `require`, re-exports. Where a module lies: `node_paths.py`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from recollect.codegraph.languages import node_paths
from recollect.codegraph.languages.language import (
    Defined,
    Language,
    base_name,
    children_of_type,
    node_text,
    unquote,
)
from recollect.codegraph.outline import Import

if TYPE_CHECKING:
    from tree_sitter import Node

_FUNCTIONS = ("arrow_function", "function_expression", "generator_function")
_QUERY = """
(class_declaration) @class
(class) @class
(function_declaration) @function
(generator_function_declaration) @function
(method_definition) @function
(variable_declarator value: [(arrow_function) (function_expression) (generator_function)]) @function
(%(field)s value: [(arrow_function) (function_expression)]) @function
(pair value: [(arrow_function) (function_expression)]) @function
(assignment_expression right: [(arrow_function) (function_expression)]) @function
(call_expression function: [(identifier) (member_expression)] @call)
(new_expression constructor: [(identifier) (member_expression)] @call)
(jsx_opening_element name: [(identifier) (member_expression)] @call)
(jsx_self_closing_element name: [(identifier) (member_expression)] @call)
(import_statement) @import
(export_statement source: (string)) @import
(call_expression function: (import)) @import
(call_expression function: (identifier) @_require arguments: (arguments . (string)) (#eq? @_require "require")) @import
(export_statement) @export
(assignment_expression left: (member_expression)) @export
(variable_declarator) @hint
"""
_TYPED = """
(abstract_class_declaration) @class
(interface_declaration) @interface
(function_signature) @function
(abstract_method_signature) @function
(method_signature) @function
(import_alias) @import
(required_parameter) @hint
(optional_parameter) @hint
(public_field_definition) @hint
(internal_module) @namespace
"""
_UNTYPED = "(formal_parameters (identifier) @local)\n(field_definition) @hint\n"
_WITHOUT_JSX = "\n".join(line for line in _QUERY.splitlines() if "jsx_" not in line)


def _javascript() -> object:
    import tree_sitter_javascript

    return tree_sitter_javascript.language()


def _typescript() -> object:
    import tree_sitter_typescript

    return tree_sitter_typescript.language_typescript()


def _tsx() -> object:
    import tree_sitter_typescript

    return tree_sitter_typescript.language_tsx()


def _define(node: Node, kind: str) -> Defined | None:
    if node.type == "assignment_expression":
        return _assigned(node)
    if node.type == "pair":
        key = node.child_by_field_name("key")
        return Defined(node_text(key)) if key is not None and key.type == "property_identifier" else None
    name = node.child_by_field_name("name") or node.child_by_field_name("property")
    if name is None or name.type not in (
        "identifier",
        "type_identifier",
        "property_identifier",
        "private_property_identifier",
    ):
        return None
    exported = node.parent is not None and node.parent.type in ("export_statement", "class_body")
    if node.type == "variable_declarator" and node.parent is not None and node.parent.parent is not None:
        exported = node.parent.parent.type == "export_statement"
    bases = tuple(_bases(node)) if kind in ("class", "interface") else ()
    value = node.child_by_field_name("value") or node
    returns = base_name(node_text(value.child_by_field_name("return_type")).lstrip(": "))
    return Defined(node_text(name), bases=bases, exported=exported, returns=returns)


def _assigned(node: Node) -> Defined | None:
    """`exports.f = () => …`, `Foo.prototype.bar = function …`, `Foo.bar = …`."""
    left = node.child_by_field_name("left")
    if left is None or left.type != "member_expression":
        return None
    parts = node_text(left).split(".")
    owner = [part for part in parts[:-1] if part not in ("module", "exports", "prototype", "this", "window")]
    return Defined(parts[-1], owner=".".join(owner)) if all(part.isidentifier() for part in parts) else None


def _bases(node: Node) -> Iterator[str]:
    for child in node.named_children:
        if child.type == "class_heritage":
            inner = list(children_of_type(child, "extends_clause", "implements_clause"))
            if not inner:
                yield from (base_name(node_text(base)) for base in child.named_children)
            for clause in inner:
                yield from _clause(clause)
        elif child.type == "extends_type_clause":
            yield from (base_name(node_text(base)) for base in child.named_children)


def _clause(clause: Node) -> Iterator[str]:
    mark = "+" if clause.type == "implements_clause" else ""
    for base in clause.named_children:
        if base.type != "type_arguments":
            yield mark + base_name(node_text(base))


def _imports(node: Node) -> Iterator[Import]:
    if node.type == "call_expression":
        yield from _called_import(node)
    elif node.type == "export_statement":
        yield Import(unquote(node.child_by_field_name("source")), tuple(_passed_on(node)), "export")
    elif node.type == "import_statement":
        source = node.child_by_field_name("source")
        required = next(children_of_type(node, "import_require_clause"), None)
        if required is not None:  # import fs = require("fs")
            name = next(children_of_type(required, "identifier"), None)
            yield Import(unquote(required.child_by_field_name("source")), (("", node_text(name)),))
        elif source is not None:
            yield Import(unquote(source), tuple(_imported(node)))


def _called_import(node: Node) -> Iterator[Import]:
    """`require("x")` and `import("x")`, with the names they are put into."""
    arguments = node.child_by_field_name("arguments")
    spec = next(children_of_type(arguments, "string"), None)
    if spec is None:
        return
    holder = node.parent
    if holder is not None and holder.type == "await_expression":
        holder = holder.parent
    names: list[tuple[str, str]] = []
    if holder is not None and holder.type == "variable_declarator":
        target = holder.child_by_field_name("name")
        names = _pattern(target) if target is not None else []
    yield Import(unquote(spec), tuple(names))


def _pattern(target: Node) -> list[tuple[str, str]]:
    if target.type == "identifier":
        return [("", node_text(target))]
    names = []
    for part in target.named_children:
        if part.type == "shorthand_property_identifier_pattern":
            names.append((node_text(part), node_text(part)))
        elif part.type == "pair_pattern":
            names.append(
                (node_text(part.child_by_field_name("key")), node_text(part.child_by_field_name("value")))
            )
    return names


def _imported(node: Node) -> Iterator[tuple[str, str]]:
    for clause in children_of_type(node, "import_clause"):
        for part in clause.named_children:
            if part.type == "identifier":
                yield "default", node_text(part)
            elif part.type == "namespace_import":
                yield "", node_text(part.named_children[0])
            elif part.type == "named_imports":
                for specifier in children_of_type(part, "import_specifier"):
                    name = node_text(specifier.child_by_field_name("name"))
                    yield name, node_text(specifier.child_by_field_name("alias")) or name


def _passed_on(node: Node) -> Iterator[tuple[str, str]]:
    clause = next(children_of_type(node, "export_clause"), None)
    if clause is not None:
        yield from _specifiers(clause)
    elif (space := next(children_of_type(node, "namespace_export"), None)) is not None:
        yield "", node_text(space.named_children[0])
    else:
        yield "*", "*"


def _specifiers(clause: Node) -> Iterator[tuple[str, str]]:
    for specifier in children_of_type(clause, "export_specifier"):
        name = node_text(specifier.child_by_field_name("name"))
        yield name, node_text(specifier.child_by_field_name("alias")) or name


def _exports(node: Node) -> Iterator[tuple[str, str]]:
    """Names for others: `export { a as b }`, `export default a`, `module.exports = a`."""
    if node.type == "assignment_expression":
        left, right = node_text(node.child_by_field_name("left")), node.child_by_field_name("right")
        if right is None:
            return
        if left == "module.exports" and right.type == "identifier":
            yield "default", node_text(right)
            yield "", node_text(right)
        elif left == "module.exports" and right.type == "object":
            yield from (
                (node_text(part), node_text(part))
                for part in children_of_type(right, "shorthand_property_identifier")
            )
        elif left.startswith(("exports.", "module.exports.")) and right.type == "identifier":
            yield left.rpartition(".")[2], node_text(right)
        return
    if node.child_by_field_name("source") is not None:
        return
    for clause in children_of_type(node, "export_clause"):
        yield from ((there, here) for here, there in _specifiers(clause))
    if any(child.type == "default" for child in node.children):
        value = node.child_by_field_name("value") or node.child_by_field_name("declaration")
        if value is not None:
            name = value.child_by_field_name("name") if value.type != "identifier" else value
            yield "default", node_text(name)


def _hints(node: Node) -> Iterator[tuple[str, str]]:
    name = (
        node.child_by_field_name("name")
        or node.child_by_field_name("pattern")
        or node.child_by_field_name("property")
    )
    if name is None or name.type not in ("identifier", "property_identifier", "private_property_identifier"):
        return
    declared = node.child_by_field_name("type")
    value = node.child_by_field_name("value")
    prefix = "this." if node.type in ("public_field_definition", "field_definition") else ""
    if declared is not None:
        yield prefix + node_text(name), base_name(node_text(declared).lstrip(": "))
        if node.type == "required_parameter" and any(
            c.type == "accessibility_modifier" for c in node.children
        ):
            yield "this." + node_text(name), base_name(node_text(declared).lstrip(": "))
    elif value is not None and value.type == "new_expression":
        yield prefix + node_text(name), base_name(node_text(value.child_by_field_name("constructor")))
    elif value is not None and value.type == "call_expression" and not _requires(value):
        function = value.child_by_field_name("function")
        is_name = function is not None and function.type in ("identifier", "member_expression")
        yield prefix + node_text(name), node_text(function) if is_name else ""
    elif value is None or (value.type not in (*_FUNCTIONS, "class") and not _requires(value)):
        yield prefix + node_text(name), ""


def _requires(value: Node) -> bool:
    return value.type == "call_expression" and node_text(value.child_by_field_name("function")) == "require"


def _language(name: str, extensions: tuple[str, ...], package: str, grammar: object, query: str) -> Language:
    assert callable(grammar)
    return Language(
        name=name,
        extensions=extensions,
        package=package,
        grammar=grammar,
        query=query,
        define=_define,
        imports=_imports,
        hints=_hints,
        exports=_exports,
        resolver=node_paths.resolver,
        module=node_paths.module,
        self_words=frozenset({"this"}),
        super_words=frozenset({"super"}),
        family="javascript",
        settings_files=frozenset({"package.json", "tsconfig*.json", "jsconfig.json"}),
    )


def languages() -> Iterable[Language]:
    """What this file brings; plain JavaScript may hold JSX, plain TypeScript may not."""
    typed = {"field": "public_field_definition"}
    return (
        _language(
            "javascript",
            (".js", ".jsx", ".mjs", ".cjs"),
            "tree-sitter-javascript",
            _javascript,
            _QUERY % {"field": "field_definition"} + _UNTYPED,
        ),
        _language(
            "typescript",
            (".ts", ".mts", ".cts"),
            "tree-sitter-typescript",
            _typescript,
            _WITHOUT_JSX % typed + _TYPED,
        ),
        _language("tsx", (".tsx",), "tree-sitter-typescript", _tsx, _QUERY % typed + _TYPED),
    )
