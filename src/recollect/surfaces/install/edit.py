"""
The text of a file with our parts and without them. Pure: text in, text out.

Every edit proves itself: what it made is read again, and must hold what the file held before and our parts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from recollect.clients.file_parts import FileFormat, FilePart, WantedFile, commands_in, is_ours
from recollect.clients.json_text import JsonItem, JsonNode, NotJson, at_path, read
from recollect.surfaces.install import toml_edit
from recollect.surfaces.install.json_edit import inner, with_element, with_member, without_item

_BLANK = "\ufeff \t\r\n"


class CannotEdit(ValueError):
    """The file cannot be edited safely; the message says why."""


def with_parts(text: str | None, wanted: WantedFile) -> str:
    """The text with all our parts, and no older ones; None is a file that does not exist."""
    if wanted.form is FileFormat.TEXT:
        return wanted.text
    begun = _skeleton(wanted) if text is None or not text.strip(_BLANK) else text
    clean = without_parts(begun, wanted.form, wanted.parts, None)
    with _said_as_cannot(wanted.form):
        add = toml_edit.with_tables if wanted.form is FileFormat.TOML else _with_json
        done = add(clean, wanted.parts)
    if value_of(without_parts(done, wanted.form, wanted.parts, clean), wanted.form) != value_of(
        clean, wanted.form
    ):
        raise CannotEdit("it could not be edited without changing something else")
    return done


def without_parts(text: str, form: FileFormat, parts: Sequence[FilePart], before: str | None) -> str:
    """The text without any part of ours at these paths; `before`, how the file was, tells what may stay empty."""
    if not text.strip(_BLANK):
        return text
    with _said_as_cannot(form):
        return (
            toml_edit.without_tables(text, parts)
            if form is FileFormat.TOML
            else _without_json(text, parts, before)
        )


def holds(text: str, wanted: WantedFile) -> bool:
    """Whether our parts are there as they should be; what a person changed beside the command may stay."""
    if wanted.form is FileFormat.TEXT:
        return text == wanted.text
    try:
        by_path = commands_at(text, wanted.form, wanted.parts)
    except CannotEdit:
        return False
    return all(
        sorted(commands)
        == sorted(words for part in wanted.parts if part.path == path for words in commands_in(part.value))
        for path, commands in by_path.items()
    )


def commands_at(
    text: str, form: FileFormat, parts: Sequence[FilePart]
) -> dict[tuple[str, ...], list[tuple[str, ...]]]:
    """The commands of ours that a text has at the places of these parts; raises CannotEdit."""
    root = value_of(text, form)
    return {part.path: commands_in(_at(root, part.path)) for part in parts}


def value_of(text: str, form: FileFormat) -> Any:
    """What a text says; raises CannotEdit."""
    with _said_as_cannot(form):
        return toml_edit.read(text) if form is FileFormat.TOML else read(text).value


def pasted(wanted: WantedFile) -> str:
    """What a person would write by hand."""
    return with_parts(None, wanted)


def is_bare(text: str, form: FileFormat, skeleton: Any) -> bool:
    """Whether nothing is left in a file but what a new one begins with."""
    return bool(value_of(text, form) == (skeleton or {}))


@contextmanager
def _said_as_cannot(form: FileFormat) -> Iterator[None]:
    try:
        yield
    except (NotJson, toml_edit.NotToml) as error:
        raise CannotEdit(str(error)) from error
    except RecursionError:
        raise CannotEdit(f"it is no {form.upper()} that can be read: it is nested too deep") from None


def _skeleton(wanted: WantedFile) -> str:
    if wanted.form is FileFormat.TOML:
        return ""
    return (json.dumps(wanted.skeleton, indent=2) if wanted.skeleton else "{}") + "\n"


def _at(root: Any, path: Sequence[str]) -> Any:
    for key in path:
        root = root.get(key) if isinstance(root, dict) else None
    return root


def _with_json(text: str, parts: Sequence[FilePart]) -> str:
    for part in parts:
        text = (with_element if part.in_list else with_member)(text, part.path, part.value)
    return text


def _without_json(text: str, parts: Sequence[FilePart], before: str | None) -> str:
    old = _Before(before)
    for part in parts:
        _check_foreign(text, part)
        while (ours := _ours(read(text), part)) is not None:
            path, container, item = ours
            text = without_item(text, container, item, emptied=old.inside(path))
            text = _without_empty(text, part, old)
    return text


class _Before:
    """How a file was: which containers it had, and what stood inside the empty ones."""

    def __init__(self, text: str | None) -> None:
        self._text = text or ""
        self._root = read(self._text) if self._text.strip(_BLANK) else None

    def had(self, path: tuple[str, ...]) -> bool:
        return self._root is not None and at_path(self._root, path) is not None

    def inside(self, path: tuple[str, ...] | None) -> str:
        node = at_path(self._root, path) if self._root is not None and path is not None else None
        return inner(self._text, node) if node is not None and not node.items else ""


def _check_foreign(text: str, part: FilePart) -> None:
    node = at_path(read(text), part.path)
    if not part.in_list and node is not None and not is_ours(node.value):
        raise NotJson(f"it has a {part.path[-1]} of its own at {'.'.join(part.path)}")


def _ours(root: JsonNode, part: FilePart) -> tuple[tuple[str, ...] | None, JsonNode, JsonItem] | None:
    """The next item of ours: the path of its container if names lead to it, the container, the item."""
    path = part.path if part.in_list else part.path[:-1]
    container = at_path(root, path)
    if container is None:
        return None
    for item in container.items:
        if (part.in_list or item.key == part.path[-1]) and is_ours(item.node.value):
            return path, container, item
        # A group that holds hooks of others too: only ours go.
        group = item.node.item("hooks") if part.in_list else None
        for hook in group.node.items if group else ():
            if is_ours(hook.node.value) and group is not None:
                return None, group.node, hook
    return None


def _without_empty(text: str, part: FilePart, old: _Before) -> str:
    """Take away containers on the way to a part that are empty now and were not there before."""
    path = part.path if part.in_list else part.path[:-1]
    while path:
        root = read(text)
        node, parent = at_path(root, path), at_path(root, path[:-1])
        item = parent.item(path[-1]) if parent else None
        if node is None or node.items or parent is None or item is None or old.had(path):
            break
        path = path[:-1]
        text = without_item(text, parent, item, emptied=old.inside(path))
    return text
