"""
JSON as a person wrote it: read with the place of every value, so that an edit touches nothing else.

Comments and trailing commas are read too, since the settings of several agents may hold them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from recollect.model.value import dataclass

_SPACE = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"')
_SCALAR = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")
_MOST_DEEP = 200
_MARK = "\ufeff"


class NotJson(ValueError):
    """The text is no JSON that can be edited; the message says where and why."""


class JsonNode:
    """A value and where it stands. The items of a container stand from `Item.start` to the end of their value."""

    def __init__(self, text: str, start: int, end: int, value: Any, depth: int) -> None:
        self.start = start
        self.end = end
        self.value = value
        self._text = text
        self._depth = depth

    @cached_property
    def items(self) -> tuple[JsonItem, ...]:
        """The members or elements; looked for when asked, since most of a large file is never asked about."""
        if isinstance(self.value, dict):
            return tuple(_members(self._text, self.start, self._depth))
        return tuple(_elements(self._text, self.start, self._depth)) if isinstance(self.value, list) else ()

    def item(self, key: str) -> JsonItem | None:
        """A member of an object by its name."""
        return next((item for item in self.items if item.key == key), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonItem:
    """A member of an object, or an element of a list (which has no key)."""

    key: str | None
    start: int
    node: JsonNode

    @property
    def end(self) -> int:
        """Where its value ends."""
        return self.node.end


def read(text: str) -> JsonNode:
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


def at_path(root: JsonNode, path: tuple[str, ...]) -> JsonNode | None:
    """The value at a path of names; None when it is not there."""
    node = root
    for key in path:
        item = node.item(key)
        if item is None:
            return None
        node = item.node
    return node


def _value(text: str, at: int, depth: int) -> JsonNode:
    if depth > _MOST_DEEP:
        raise NotJson(f"it is no JSON: it is nested deeper than {_MOST_DEEP}")
    if text[at : at + 1] in ("{", "["):
        return _container(text, at, depth)
    match = (_STRING if text[at : at + 1] == '"' else _SCALAR).match(text, at)
    if match is None:
        raise NotJson(f"it is no JSON: no value where one belongs, {_where(text, at)}")
    return JsonNode(text, at, match.end(), json.loads(match[0]), depth)


def _container(text: str, start: int, depth: int) -> JsonNode:
    """The standard library reads strict JSON many times faster; what it does not understand is read here."""
    try:
        value, end = _STRICT.raw_decode(text, start)
        return JsonNode(text, start, end, value, depth)
    except (ValueError, RecursionError):
        pass
    if text[start] == "{":
        members = list(_members(text, start, depth))
        value = {str(item.key): item.node.value for item in members}
        return JsonNode(text, start, _end(text, start, members, "}"), value, depth)
    elements = list(_elements(text, start, depth))
    return JsonNode(
        text, start, _end(text, start, elements, "]"), [item.node.value for item in elements], depth
    )


def _members(text: str, start: int, depth: int) -> Iterator[JsonItem]:
    names: set[str] = set()
    at = _space(text, start + 1)
    while text[at : at + 1] != "}":
        name = _STRING.match(text, at)
        if name is None:
            raise NotJson(f"it is no JSON: no name where one belongs, {_where(text, at)}")
        key = json.loads(name[0])
        if key in names:
            raise NotJson(f"it is no JSON: the name {key!r} stands twice, {_where(text, at)}")
        names.add(key)
        colon = _space(text, name.end())
        if text[colon : colon + 1] != ":":
            raise NotJson(f"it is no JSON: a colon is missing, {_where(text, colon)}")
        node = _value(text, _space(text, colon + 1), depth + 1)
        yield JsonItem(key=key, start=at, node=node)
        at = _next(text, node.end, "}")


def _elements(text: str, start: int, depth: int) -> Iterator[JsonItem]:
    at = _space(text, start + 1)
    while text[at : at + 1] != "]":
        node = _value(text, at, depth + 1)
        yield JsonItem(key=None, start=at, node=node)
        at = _next(text, node.end, "]")


def _end(text: str, start: int, items: list[JsonItem], close: str) -> int:
    return (_next(text, items[-1].end, close) if items else _space(text, start + 1)) + 1


def _no_name_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise ValueError("a name stands twice")
    return value


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no value of JSON")


_STRICT = json.JSONDecoder(object_pairs_hook=_no_name_twice, parse_constant=_no_constant)


def _next(text: str, end: int, close: str) -> int:
    """Where the next item begins, or where the container closes."""
    at = _space(text, end)
    if text[at : at + 1] == ",":
        return _space(text, at + 1)
    if text[at : at + 1] != close:
        raise NotJson(f"it is no JSON: a comma or {close} is missing, {_where(text, at)}")
    return at


def _space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _where(text: str, at: int) -> str:
    return f"line {text.count(chr(10), 0, at) + 1}"
