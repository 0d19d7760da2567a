"""Ruby: `require`, `require_relative`, `load` and `autoload`; constants reach through what was required."""

from __future__ import annotations

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

_QUERY = """
(class name: (_)) @class
(module name: (_)) @module
(method) @function
(singleton_method) @function
(call method: (_) !receiver arguments: (_)) @call
(call method: (_) !receiver block: (_)) @call
(call receiver: (_) method: (_)) @call
(call method: (identifier) @_require arguments: (argument_list)
  (#any-of? @_require "require" "require_relative" "load" "autoload")) @import
(assignment left: [(identifier) (instance_variable)]) @hint
(method_parameters (identifier) @local)
(block_parameters (identifier) @local)
"""
_REQUIRES = ("require", "require_relative", "load", "autoload")
_LOAD_FOLDERS = ("", "lib", "app", "src", "test", "spec")


def _grammar() -> object:
    import tree_sitter_ruby

    return tree_sitter_ruby.language()


def _define(node: Node, kind: str) -> Defined | None:
    name = base_name(node_text(node.child_by_field_name("name")))
    owner, _, last = name.rpartition(".")
    bases: list[str] = []
    if kind in ("class", "module"):
        extended = node.child_by_field_name("superclass")
        if extended is not None and extended.named_children:
            bases.append(base_name(node_text(extended.named_children[0])))
        bases += ["+" + mixed for mixed in _mixed_in(node.child_by_field_name("body"))]
    return Defined(last, owner=owner, bases=tuple(bases))


def _mixed_in(body: Node | None) -> Iterator[str]:
    for call in children_of_type(body, "call"):
        if node_text(call.child_by_field_name("method")) in ("include", "extend", "prepend"):
            for argument in children_of_type(
                call.child_by_field_name("arguments"), "constant", "scope_resolution"
            ):
                yield base_name(node_text(argument))


def _imports(node: Node) -> Iterator[Import]:
    arguments = node.child_by_field_name("arguments")
    spec = next(children_of_type(arguments, "string"), None)
    if spec is not None and not any(child.type == "interpolation" for child in spec.named_children):
        how = node_text(node.child_by_field_name("method"))
        yield Import(node_text(spec).strip("\"'"), (("*", "*"),), how)


def _callee(node: Node) -> str:
    name = node_text(node.child_by_field_name("method"))
    receiver = node.child_by_field_name("receiver")
    if receiver is None:
        return "" if name in _REQUIRES else name.rstrip("!?")
    return f"{node_text(receiver)}.{name.rstrip('!?')}"


def _hints(node: Node) -> Iterator[tuple[str, str]]:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    kind = ""
    if right is not None and right.type == "call" and node_text(right.child_by_field_name("method")) == "new":
        kind = base_name(node_text(right.child_by_field_name("receiver")))
    name = node_text(left)
    yield (f"self.{name}" if name.startswith("@") else name), kind


def _resolver(files: ProjectFiles) -> Callable[[str, Import], list[Binding]]:
    def resolve(path: str, statement: Import) -> list[Binding]:
        return [Binding("*", _required(files, path, statement))]

    return resolve


def _required(files: ProjectFiles, path: str, statement: Import) -> str:
    spec = statement.module if statement.module.endswith(".rb") else f"{statement.module}.rb"
    home = folder_of(path)
    if statement.how == "require_relative" or spec.startswith("."):
        target = join_path(home, spec)
        return target if target in files else ""
    for folder in folders_above(home):
        for inner in _LOAD_FOLDERS:
            if (target := join_path(folder, inner, spec)) in files:
                return target
    candidates = [
        one for one in files.paths_ending(spec) if one.removesuffix(spec).endswith(("lib/", "app/", "src/"))
    ]
    return nearest_path(path, candidates)


def languages() -> Iterable[Language]:
    """What this file brings."""
    return (
        Language(
            name="ruby",
            extensions=(".rb", ".rake"),
            package="tree-sitter-ruby",
            grammar=_grammar,
            query=_QUERY,
            define=_define,
            imports=_imports,
            hints=_hints,
            callee=_callee,
            resolver=_resolver,
            self_words=frozenset({"self"}),
            implicit_self=True,
            passes_on=True,
            constructor="new",
        ),
    )
