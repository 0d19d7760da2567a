"""Put items into JSON text and take them out, each the inverse of the other; all other bytes stay."""

from __future__ import annotations

import json
import re
from typing import Any

from recollect.clients.json_text import JsonItem, JsonNode, NotJson, after_space, at_path, read

_UNIT = "  "
# What may follow a value on its line and belongs to it.
_REST_OF_LINE = re.compile(r"[ \t]*(?://[^\r\n]*|(?:/\*[^\r\n]*?\*/[ \t]*)+)")
_BLANK_BEFORE = re.compile(r"(?:\r?\n)?[ \t]*\Z")


def with_member(text: str, path: tuple[str, ...], value: Any) -> str:
    """The text with one member more; what is missing on the way to it is made."""
    root = read(text)
    for depth in range(len(path) - 1, -1, -1):
        node = at_path(root, path[:depth])
        if node is None:
            continue
        if not isinstance(node.value, dict):
            raise NotJson(f"{'.'.join(path[:depth]) or 'the whole'} is no object")
        for key in reversed(path[depth + 1 :]):
            value = {key: value}
        return _with_item(text, root, node, value, path[depth])
    raise AssertionError("a root is always there")


def with_element(text: str, path: tuple[str, ...], value: Any) -> str:
    """The text with one element more at the end of the list at this path."""
    root = read(text)
    node = at_path(root, path)
    if node is None:
        return with_member(text, path, [value])
    if not isinstance(node.value, list):
        raise NotJson(f"{'.'.join(path)} is no list")
    return _with_item(text, root, node, value, None)


def without_item(text: str, container: JsonNode, item: JsonItem, *, emptied: str = "") -> str:
    """The text without one item; `emptied` is what stands inside the container when that was the last."""
    if len(container.items) == 1:
        return _without_last(text, container, item, emptied)
    start = item.start - len(_blank_before(text, item.start))
    comma = after_space(text, item.end)
    if text[comma] == ",":
        end = comma + 1
        if item is container.items[0] and "\n" not in text[start : item.start]:
            end = _skip(text, end, " \t")
        return text[:start] + text[item.end : comma] + text[end:]
    before = container.items[container.items.index(item) - 1]
    comma = after_space(text, before.end)
    return text[:comma] + text[comma + 1 : start] + text[item.end :]


def inner(text: str, container: JsonNode) -> str:
    """What stands between the brackets."""
    return text[container.start + 1 : container.end - 1]


def line_end(text: str) -> str:
    """How lines end in a text."""
    return "\r\n" if "\r\n" in text else "\n"


def _with_item(text: str, root: JsonNode, container: JsonNode, value: Any, key: str | None) -> str:
    name = json.dumps(key, ensure_ascii=False) + ": " if key is not None else ""
    if not container.items:
        return _into_empty(text, root, container, value, name)
    first, last = container.items[0], container.items[-1]
    comma = after_space(text, last.end)
    has_comma = text[comma] == ","
    if "\n" not in text[container.start : first.start]:
        entry = name + json.dumps(value, ensure_ascii=False)
        if has_comma:
            return f"{text[: comma + 1]} {entry},{text[comma + 1 :]}"
        return f"{text[: last.end]}, {entry}{text[last.end :]}"
    indent = _indent_at(text, first.start)
    json_text = (
        _lines(text, root, value, indent) if key is not None else json.dumps(value, ensure_ascii=False)
    )
    entry = line_end(text) + indent + name + json_text
    after = comma + 1 if has_comma else last.end
    rest = _REST_OF_LINE.match(text, after)
    place = rest.end() if rest else after
    between = text[last.end : place] if has_comma else "," + text[last.end : place]
    return text[: last.end] + between + entry + ("," if has_comma else "") + text[place:]


def _into_empty(text: str, root: JsonNode, container: JsonNode, value: Any, name: str) -> str:
    content = inner(text, container)
    outer = _indent_at(text, container.start)
    if root is not container and "\n" not in text[root.start : root.end]:
        return (
            text[: container.start + 1]
            + name
            + json.dumps(value, ensure_ascii=False)
            + content
            + text[_close(container) :]
        )
    indent = outer + _unit(text, root)
    json_text = _lines(text, root, value, indent) if name else json.dumps(value, ensure_ascii=False)
    entry = line_end(text) + indent + name + json_text
    stripped = content.rstrip()
    return text[: container.start + 1] + stripped + entry + line_end(text) + outer + text[_close(container) :]


def _without_last(text: str, container: JsonNode, item: JsonItem, emptied: str) -> str:
    content = inner(text, container)
    start, end = item.start - container.start - 1, item.end - container.start - 1
    around = content[:start] + content[end:].lstrip().removeprefix(",")
    if around.strip():
        blank = len(_blank_before(text, item.start))
        emptied = content[: start - blank] + content[end:].removeprefix(",")
    return text[: container.start + 1] + emptied + text[_close(container) :]


def _lines(text: str, root: JsonNode, value: Any, indent: str) -> str:
    return _spread(value, _unit(text, root)).replace("\n", line_end(text) + indent)


def _spread(value: Any, unit: str) -> str:
    """An object a member a line, a list of objects an element a line; what is below stays on its line."""
    if isinstance(value, dict) and value:
        open_, shut = "{", "}"
        items = [
            f"{json.dumps(key, ensure_ascii=False)}: {_spread(item, unit)}" for key, item in value.items()
        ]
    elif isinstance(value, list) and any(isinstance(item, dict) for item in value):
        open_, shut = "[", "]"
        items = [json.dumps(item, ensure_ascii=False) for item in value]
    else:
        return json.dumps(value, ensure_ascii=False)
    inside = ",\n".join(items).replace("\n", f"\n{unit}")
    return f"{open_}\n{unit}{inside}\n{shut}"


def _unit(text: str, root: JsonNode) -> str:
    """How far a line is indented more than the one that holds it: as the first member is."""
    if not root.items or "\n" not in text[root.start : root.items[0].start]:
        return _UNIT
    return _indent_at(text, root.items[0].start) or _UNIT


def _indent_at(text: str, at: int) -> str:
    """The blanks at the start of the line of a place."""
    line = text.rfind("\n", 0, at) + 1
    return text[line : _skip(text, line, " \t")]


def _blank_before(text: str, at: int) -> str:
    blank = _BLANK_BEFORE.search(text[max(0, at - 500) : at])
    return blank[0] if blank else ""


def _skip(text: str, at: int, letters: str) -> int:
    while text[at : at + 1] and text[at] in letters:
        at += 1
    return at


def _close(container: JsonNode) -> int:
    return container.end - 1
