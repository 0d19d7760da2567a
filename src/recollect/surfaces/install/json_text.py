"""
JSON as a person wrote it: read with the place of every value, so that an edit touches nothing else.

Comments and trailing commas are read too, since the settings of several agents may hold them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_SPACE = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"')
_SCALAR = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")
_MOST_DEEP = 200
_MARK = "\ufeff"


class NotJson(ValueError):
    """The text is no JSON that can be edited; the message says where and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A value and where it stands. The items of a container stand from `Item.start` to the end of their value."""

    start: int
    end: int
    value: Any
    items: tuple[Item, ...] = ()

    @property
    def is_container(self) -> bool:
        """Whether it is an object or a list."""
        return isinstance(self.value, dict | list)

    def item(self, key: str) -> Item | None:
        """A member of an object by its name."""
        return next((item for item in self.items if item.key == key), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A member of an object, or an element of a list (which has no key)."""

    key: str | None
    start: int
    node: Node

    @property
    def end(self) -> int:
        """Where its value ends."""
        return self.node.end


def read(text: str) -> Node:
    """The root of a text; raises NotJson."""
    begin = _space(text, len(_MARK) if text.startswith(_MARK) else 0)
    root = _value(text, begin, 0)
    end = _space(text, root.end)
    if end != len(text):
        raise NotJson(f"it is no JSON: something follows the end, {_where(text, end)}")
    return root


def after_space(text: str, at: int) -> int:
    """The next place that is neither blank nor comment."""
    return _space(text, at)


def at_path(root: Node, path: tuple[str, ...]) -> Node | None:
    """The value at a path of names; None when it is not there."""
    node = root
    for key in path:
        item = node.item(key)
        if item is None:
            return None
        node = item.node
    return node


def walk(node: Node) -> Iterator[Node]:
    """A value and all below it."""
    yield node
    for item in node.items:
        yield from walk(item.node)


def _value(text: str, at: int, depth: int) -> Node:
    if depth > _MOST_DEEP:
        raise NotJson(f"it is no JSON: it is nested deeper than {_MOST_DEEP}")
    letter = text[at : at + 1]
    if letter == "{":
        return _object(text, at, depth)
    if letter == "[":
        return _list(text, at, depth)
    found = (_STRING if letter == '"' else _SCALAR).match(text, at)
    if found is None:
        raise NotJson(f"it is no JSON: no value where one belongs, {_where(text, at)}")
    try:
        return Node(start=at, end=found.end(), value=json.loads(found[0]))
    except ValueError as error:
        raise NotJson(f"it is no JSON: {error}, {_where(text, at)}") from None


def _object(text: str, start: int, depth: int) -> Node:
    items: list[Item] = []
    value: dict[str, Any] = {}
    at = _space(text, start + 1)
    while text[at : at + 1] != "}":
        name = _STRING.match(text, at)
        if name is None:
            raise NotJson(f"it is no JSON: no name where one belongs, {_where(text, at)}")
        key = json.loads(name[0])
        if key in value:
            raise NotJson(f"it is no JSON: the name {key!r} stands twice, {_where(text, at)}")
        colon = _space(text, name.end())
        if text[colon : colon + 1] != ":":
            raise NotJson(f"it is no JSON: a colon is missing, {_where(text, colon)}")
        node = _value(text, _space(text, colon + 1), depth + 1)
        items.append(Item(key=key, start=at, node=node))
        value[key] = node.value
        at = _next(text, node.end, "}")
    return Node(start=start, end=at + 1, value=value, items=tuple(items))


def _list(text: str, start: int, depth: int) -> Node:
    items: list[Item] = []
    at = _space(text, start + 1)
    while text[at : at + 1] != "]":
        node = _value(text, at, depth + 1)
        items.append(Item(key=None, start=at, node=node))
        at = _next(text, node.end, "]")
    return Node(start=start, end=at + 1, value=[item.node.value for item in items], items=tuple(items))


def _next(text: str, end: int, close: str) -> int:
    """Where the next item begins, or where the container closes."""
    at = _space(text, end)
    if text[at : at + 1] == ",":
        return _space(text, at + 1)
    if text[at : at + 1] != close:
        raise NotJson(f"it is no JSON: a comma or {close} is missing, {_where(text, at)}")
    return at


def _space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _where(text: str, at: int) -> str:
    return f"line {text.count(chr(10), 0, at) + 1}"
