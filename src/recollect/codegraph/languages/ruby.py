"""Ruby: `require`, `require_relative`, `load` and `autoload`; constants reach through what was required."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from recollect.codegraph.files import Files, above, folder_of, joined, nearest
from recollect.codegraph.languages.language import (
    Binding,
    Defined,
    Language,
    base_name,
    named,
    text,
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
    name = base_name(text(node.child_by_field_name("name")))
    owner, _, last = name.rpartition(".")
    bases: list[str] = []
    if kind in ("class", "module"):
        extended = node.child_by_field_name("superclass")
        if extended is not None and extended.named_children:
            bases.append(base_name(text(extended.named_children[0])))
        bases += ["+" + mixed for mixed in _mixed_in(node.child_by_field_name("body"))]
    return Defined(last, owner=owner, bases=tuple(bases))


def _mixed_in(body: Node | None) -> Iterator[str]:
    for call in named(body, "call"):
        if text(call.child_by_field_name("method")) in ("include", "extend", "prepend"):
            for argument in named(call.child_by_field_name("arguments"), "constant", "scope_resolution"):
                yield base_name(text(argument))


def _imports(node: Node) -> Iterator[Import]:
    arguments = node.child_by_field_name("arguments")
    spec = next(named(arguments, "string"), None)
    if spec is not None and not any(child.type == "interpolation" for child in spec.named_children):
        how = text(node.child_by_field_name("method"))
        yield Import(text(spec).strip("\"'"), (("*", "*"),), how)


def _callee(node: Node) -> str:
    name = text(node.child_by_field_name("method"))
    receiver = node.child_by_field_name("receiver")
    if receiver is None:
        return "" if name in _REQUIRES else name.rstrip("!?")
    return f"{text(receiver)}.{name.rstrip('!?')}"


def _hints(node: Node) -> Iterator[tuple[str, str]]:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    kind = ""
    if right is not None and right.type == "call" and text(right.child_by_field_name("method")) == "new":
        kind = base_name(text(right.child_by_field_name("receiver")))
    name = text(left)
    yield (f"self.{name}" if name.startswith("@") else name), kind


def _resolver(files: Files) -> Callable[[str, Import], list[Binding]]:
    def resolve(path: str, asked: Import) -> list[Binding]:
        return [Binding("*", _required(files, path, asked))]

    return resolve


def _required(files: Files, path: str, asked: Import) -> str:
    spec = asked.module if asked.module.endswith(".rb") else f"{asked.module}.rb"
    home = folder_of(path)
    if asked.how == "require_relative" or spec.startswith("."):
        found = joined(home, spec)
        return found if found in files else ""
    for folder in above(home):
        for inner in _LOAD_FOLDERS:
            if (found := joined(folder, inner, spec)) in files:
                return found
    candidates = [
        one for one in files.ending(spec) if one.removesuffix(spec).endswith(("lib/", "app/", "src/"))
    ]
    return nearest(path, candidates)


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
