"""Rust: crates by `Cargo.toml`, `mod` files, `use` trees."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from recollect.codegraph.files import ProjectFiles, folder_of, folders_above, join_path
from recollect.codegraph.languages.language import Binding, Defined, Language, base_name, node_text
from recollect.codegraph.outline import Import, Outline

if TYPE_CHECKING:
    from tree_sitter import Node

_QUERY = """
(struct_item) @class
(enum_item) @class
(union_item) @class
(trait_item) @interface
(function_item) @function
(function_signature_item) @function
(impl_item) @impl
(mod_item body: (declaration_list)) @namespace
(mod_item) @import
(use_declaration) @import
(extern_crate_declaration) @import
(call_expression function: [(identifier) (scoped_identifier) (field_expression) (generic_function)] @call)
(struct_expression name: [(type_identifier) (scoped_type_identifier)] @call)
(macro_invocation macro: [(identifier) (scoped_identifier)] @call)
(let_declaration) @hint
(parameter) @hint
(field_declaration) @hint
"""


def _grammar() -> object:
    import tree_sitter_rust

    return tree_sitter_rust.language()


def _define(node: Node, kind: str) -> Defined | None:
    if node.type == "impl_item":
        return Defined(base_name(node_text(node.child_by_field_name("type"))).rpartition(".")[2])
    name = node_text(node.child_by_field_name("name"))
    is_public = any(child.type == "visibility_modifier" for child in node.children)
    bases: tuple[str, ...] = ()
    if kind == "interface":
        bounds = node.child_by_field_name("bounds")
        listed = bounds.named_children if bounds is not None else []
        bases = tuple(base_name(node_text(bound)) for bound in listed if bound.type != "lifetime")
    elif kind == "class":
        bases = tuple(_implemented(node, name))
    returns = base_name(
        node_text(node.child_by_field_name("return_type")).removeprefix("&").removeprefix("mut ")
    )
    return Defined(name, bases=bases, exported=is_public, returns=returns)


def _implemented(node: Node, name: str) -> Iterator[str]:
    """Traits that this file implements for a type it defines."""
    for sibling in node.parent.named_children if node.parent is not None else ():
        trait = sibling.child_by_field_name("trait") if sibling.type == "impl_item" else None
        if trait is not None and base_name(node_text(sibling.child_by_field_name("type"))) == name:
            yield "+" + base_name(node_text(trait))


def _imports(node: Node) -> Iterator[Import]:
    public = any(child.type == "visibility_modifier" for child in node.children)
    if node.type == "mod_item":
        if node.child_by_field_name("body") is None:
            name = node_text(node.child_by_field_name("name"))
            yield Import(_path_attribute(node) or name, (("", name),), "mod")
        return
    if node.type == "extern_crate_declaration":
        name = node_text(node.child_by_field_name("name"))
        yield Import(name, (("", node_text(node.child_by_field_name("alias")) or name),), "use")
        return
    tree = node.child_by_field_name("argument")
    if tree is not None:
        inside = _inline_modules(node)
        for written, local in _use_tree(tree, ""):
            path = _from_the_file(written, inside)
            module, _, name = path.rpartition("::")
            yield Import(module or path, ((name if module else "", local),), "export" if public else "use")


def _inline_modules(node: Node) -> int:
    count = 0
    around = node.parent
    while around is not None:
        count += around.type == "mod_item"
        around = around.parent
    return count


def _from_the_file(path: str, inside: int) -> str:
    """A path written in `mod tests { … }`, as the file around it would write it."""
    climbed = 0
    while climbed < inside and path.startswith("super::"):
        path = path.removeprefix("super::")
        climbed += 1
    return f"self::{path}" if climbed and not path.startswith("super::") else path


def _path_attribute(node: Node) -> str:
    before = node.prev_named_sibling
    written = node_text(before) if before is not None and before.type == "attribute_item" else ""
    return written.split('"')[1] if "path" in written and written.count('"') == 2 else ""


def _use_tree(node: Node, prefix: str) -> Iterator[tuple[str, str]]:
    """Every path of a `use`, with the name it gets here."""
    if node.type == "use_list":
        for child in node.named_children:
            yield from _use_tree(child, prefix)
    elif node.type == "scoped_use_list":
        inner = node_text(node.child_by_field_name("path"))
        listed = node.child_by_field_name("list")
        if listed is not None:
            yield from _use_tree(listed, _scoped(prefix, inner))
    elif node.type == "use_as_clause":
        yield (
            _scoped(prefix, node_text(node.child_by_field_name("path"))),
            node_text(node.child_by_field_name("alias")),
        )
    elif node.type == "use_wildcard":
        inner = node_text(node.named_children[0]) if node.named_children else ""
        yield _scoped(prefix, inner) + "::*", "*"
    elif node.type == "self":
        yield prefix, prefix.rpartition("::")[2]
    else:
        path = _scoped(prefix, node_text(node))
        yield path, path.rpartition("::")[2]


def _scoped(prefix: str, inner: str) -> str:
    return f"{prefix}::{inner}" if prefix and inner else prefix or inner


def _hints(node: Node) -> Iterator[tuple[str, str]]:
    name = node.child_by_field_name("pattern") or node.child_by_field_name("name")
    if name is None or name.type not in ("identifier", "field_identifier"):
        return
    declared = node.child_by_field_name("type")
    prefix = "self." if node.type == "field_declaration" else ""
    if declared is not None:
        yield prefix + node_text(name), base_name(node_text(declared).removeprefix("&").removeprefix("mut "))
        return
    value = node.child_by_field_name("value")
    kind = ""
    if value is not None and value.type == "call_expression":
        function = value.child_by_field_name("function")
        is_name = function is not None and function.type in ("identifier", "scoped_identifier")
        kind = node_text(function).replace("::", ".") if is_name else ""
    elif value is not None and value.type == "struct_expression":
        kind = base_name(node_text(value.child_by_field_name("name")))
    yield node_text(name), kind


class _Crates:
    def __init__(self, files: ProjectFiles) -> None:
        self._files = files
        self._by_name: dict[str, str] = {}
        self._roots: dict[str, list[str]] = {}
        for manifest in files.settings_files("Cargo.toml"):
            self._add(folder_of(manifest), _toml(files.read(manifest)))
        self.children = cache(self._children)

    def _add(self, home: str, manifest: dict[str, Any]) -> None:
        package, library = manifest.get("package", {}), manifest.get("lib", {})
        name = library.get("name") or package.get("name")
        roots = [join_path(home, library.get("path", "src/lib.rs")), join_path(home, "src/main.rs")]
        self._roots[home] = [root for root in roots if root in self._files]
        if name and roots[0] in self._files:
            self._by_name[str(name).replace("-", "_")] = roots[0]

    def root_of(self, path: str) -> str:
        """The file where the crate of a file begins."""
        for folder in folders_above(folder_of(path)):
            inside = path[len(folder) :].lstrip("/")
            if inside.startswith(("tests/", "examples/", "benches/", "src/bin/")) and folder in self._roots:
                top = folder and f"{folder}/"
                return f"{top}{'/'.join(inside.split('/')[: inside.startswith('src/bin/') + 2])}"
            for root in self._roots.get(folder, ()):
                return path if path in self._roots[folder] else root
        return path

    def crate(self, name: str) -> str:
        """Where the crate of this name begins; "" when it is not of this project."""
        return self._by_name.get(name, "")

    def child(self, module: str, name: str) -> str:
        """The file of a module declared in another."""
        return self.children(module).get(name, "")

    def _children(self, module: str) -> dict[str, str]:
        children = {}
        for statement in self._files.outline(module).imports:
            if statement.how == "mod":
                children[statement.names[0][1]] = self.declared(module, statement)
        return children

    def declared(self, module: str, statement: Import) -> str:
        """Where `mod name;` leads."""
        folder, base = folder_of(module), posixpath.basename(module)
        if statement.module.endswith(".rs"):
            return join_path(folder, statement.module)
        if base not in ("lib.rs", "main.rs", "mod.rs") and module != self.root_of(module):
            folder = posixpath.join(folder, base.removesuffix(".rs"))
        for path in (f"{statement.module}.rs", f"{statement.module}/mod.rs"):
            if (whole := posixpath.join(folder, path)) in self._files:
                return whole
        return ""

    def parent(self, module: str) -> str:
        """The file that declares a module."""
        folder, base = folder_of(module), posixpath.basename(module)
        if base == "mod.rs":
            folder, base = folder_of(folder), posixpath.basename(folder)
        for path in ("mod.rs", "lib.rs", "main.rs"):
            if (whole := posixpath.join(folder, path)) in self._files and whole != module:
                return whole
        return f"{folder}.rs" if f"{folder}.rs" in self._files else ""


def _resolver(files: ProjectFiles) -> Callable[[str, Import], list[Binding]]:
    crates = _Crates(files)

    def resolve(path: str, statement: Import) -> list[Binding]:
        name, local = statement.names[0]
        if statement.how == "mod":
            return [Binding(local, crates.declared(path, statement))]
        return [_walked(crates, path, [*statement.module.split("::"), *([name] if name else [])], local)]

    return resolve


def _walked(crates: _Crates, path: str, parts: list[str], local: str) -> Binding:
    """Follow a path through modules as far as files go; what is left is a name in the last file."""
    head, rest = parts[0], parts[1:]
    if head == "crate":
        here = crates.root_of(path)
    elif head == "self":
        here = path
    elif head == "super":
        here = crates.parent(path)
        while rest and rest[0] == "super":
            here, rest = crates.parent(here), rest[1:]
    elif child := crates.child(path, head):
        here = child
    else:
        here = crates.crate(head)
    while here and rest and (inner := crates.child(here, rest[0])):
        here, rest = inner, rest[1:]
    if not here:
        return Binding(local, "")
    return Binding(local, here, ".".join(rest))


@cache
def _toml(written: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(written)
    except tomllib.TOMLDecodeError:
        return {}


def _module(files: ProjectFiles, path: str, outline: Outline) -> str:
    """The crate's name."""
    for folder in folders_above(folder_of(path)):
        manifest = posixpath.join(folder, "Cargo.toml")
        if manifest in files.settings_files("Cargo.toml"):
            return str(_toml(files.read(manifest)).get("package", {}).get("name", ""))
    return ""


def languages() -> Iterable[Language]:
    """What this file brings."""
    return (
        Language(
            name="rust",
            extensions=(".rs",),
            package="tree-sitter-rust",
            grammar=_grammar,
            query=_QUERY,
            define=_define,
            imports=_imports,
            hints=_hints,
            resolver=_resolver,
            module=_module,
            self_words=frozenset({"self", "Self"}),
            path_words=frozenset({"crate", "super"}),
            settings_files=frozenset({"Cargo.toml"}),
        ),
    )
