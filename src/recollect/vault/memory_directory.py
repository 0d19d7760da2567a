"""
The commands of Anthropic's memory tool: view, create, str_replace, insert, delete, rename.

Commands and answers are those its clients know, word for word; what a file is, `memory_folder.py` says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from recollect.errors import BadInput
from recollect.vault.memory_folder import KNOWN, TOP, MemoryFolder

_LEVELS = 2
_MAX_LINES = 999_999
_NUMBER_WIDTH = 6
_AROUND = 2


def answer_command(folder: MemoryFolder, given: Mapping[str, Any]) -> str:
    """Do what one call of the memory tool asks for, and say what its clients expect."""
    command = str(given.get("command", ""))
    act = _COMMANDS.get(command)
    if act is None:
        raise BadInput(reason=f"there is no command {command!r}; there is {', '.join(_COMMANDS)}")
    return act(folder, given)


def _view(folder: MemoryFolder, given: Mapping[str, Any]) -> str:
    path = given.get("path")
    place = folder.locate(path)
    if folder.is_known(path):
        text = folder.known_file(path)
        if text is None and path != f"{TOP}/{KNOWN}":
            raise _missing(path)
        return _list_known(folder, str(path)) if text is None else _numbered(given, text)
    if not place.exists():
        raise _missing(path)
    if place.is_dir():
        return "\n".join((_heading(str(path)), *_tree(folder, place, str(path).rstrip("/"))))
    return _numbered(given, folder.read(place))


def _create(folder: MemoryFolder, given: Mapping[str, Any]) -> str:
    place = _writable(folder, given, "path")
    if place.exists():
        raise BadInput(f"File {given['path']} already exists")
    folder.check_new(place)
    folder.write(place, _text(given, "file_text"), is_new=True)
    return f"File created successfully at: {given['path']}"


def _str_replace(folder: MemoryFolder, given: Mapping[str, Any]) -> str:
    place = _existing_file(folder, given)
    text, old, new = folder.read(place), _text(given, "old_str"), str(given.get("new_str") or "")
    count = text.count(old) if old else 0
    if count == 0:
        raise BadInput(
            f"No replacement was performed, old_str `{old}` did not appear verbatim in {given['path']}."
        )
    if count > 1:
        lines = ", ".join(str(text[:start].count("\n") + 1) for start in _places(text, old))
        raise BadInput(
            f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {lines}."
            " Please ensure it is unique"
        )
    changed = text.replace(old, new)
    folder.write(place, changed)
    return (
        "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n"
        + _snippet(changed, text[: text.index(old)].count("\n"))
    )


def _insert(folder: MemoryFolder, given: Mapping[str, Any]) -> str:
    place = _existing_file(folder, given)
    lines = folder.read(place).split("\n")
    if lines[-1] == "":
        lines.pop()
    at = given.get("insert_line")
    if isinstance(at, bool) or not isinstance(at, int) or not 0 <= at <= len(lines):
        raise BadInput(
            f"Invalid `insert_line` parameter: {at}. It should be within the range [0, {len(lines)}]."
        )
    lines.insert(at, _text(given, "insert_text").rstrip("\n"))
    folder.write(place, "\n".join(lines).removesuffix("\n") + "\n")
    return f"The file {given['path']} has been edited."


def _delete(folder: MemoryFolder, given: Mapping[str, Any]) -> str:
    place = _writable(folder, given, "path")
    if place == folder.locate(TOP):
        raise BadInput(f"Cannot delete the {TOP} directory itself")
    if not place.exists():
        raise BadInput(f"The path {given['path']} does not exist")
    folder.remove(place)
    return f"Successfully deleted {given['path']}"


def _rename(folder: MemoryFolder, given: Mapping[str, Any]) -> str:
    old, new = _writable(folder, given, "old_path"), _writable(folder, given, "new_path")
    if old == folder.locate(TOP):
        raise BadInput(f"Cannot rename the {TOP} directory itself")
    if not old.exists():
        raise BadInput(f"The path {given['old_path']} does not exist")
    if new.exists():
        raise BadInput(f"The destination {given['new_path']} already exists")
    folder.check_new(new)
    folder.move(old, new)
    return f"Successfully renamed {given['old_path']} to {given['new_path']}"


def _writable(folder: MemoryFolder, given: Mapping[str, Any], name: str) -> Path:
    if folder.is_known(given.get(name)):
        raise BadInput(
            f"{given[name]} shows what is remembered and is only read; use `remember` or `feedback`"
        )
    return folder.locate(given.get(name), name)


def _existing_file(folder: MemoryFolder, given: Mapping[str, Any]) -> Path:
    place = _writable(folder, given, "path")
    if not place.exists():
        raise _missing(given["path"])
    if not place.is_file():
        raise BadInput(f"The path {given['path']} is not a file.")
    return place


def _missing(path: object) -> BadInput:
    return BadInput(f"The path {path} does not exist. Please provide a valid path.")


def _text(given: Mapping[str, Any], name: str) -> str:
    value = given.get(name)
    if not isinstance(value, str):
        raise BadInput(reason=f"{name} is a text")
    return value


def _places(text: str, part: str) -> list[int]:
    places, start = [], text.find(part)
    while start >= 0:
        places.append(start)
        start = text.find(part, start + 1)
    return places


def _numbered(given: Mapping[str, Any], text: str) -> str:
    lines = text.split("\n")
    if len(lines) > _MAX_LINES:
        raise BadInput(f"File {given['path']} exceeds maximum line limit of {_MAX_LINES:,} lines.")
    first, last = _range(given.get("view_range"), len(lines))
    numbered = (
        f"{number:{_NUMBER_WIDTH}}\t{line}"
        for number, line in enumerate(lines[first - 1 : last], start=first)
    )
    return "\n".join((f"Here's the content of {given['path']} with line numbers:", *numbered))


def _range(wanted: object, count: int) -> tuple[int, int]:
    if wanted is None:
        return 1, count
    if (
        not isinstance(wanted, list | tuple)
        or len(wanted) != 2
        or not all(isinstance(n, int) for n in wanted)
    ):
        raise BadInput(reason="view_range is two line numbers, such as [1, 20]")
    first, last = wanted
    return max(1, first), count if last == -1 else min(last, count)


def _snippet(text: str, around: int) -> str:
    lines = text.split("\n")
    start = max(0, around - _AROUND)
    return "\n".join(
        f"{number + 1:{_NUMBER_WIDTH}}\t{lines[number]}"
        for number in range(start, min(len(lines), around + _AROUND + 1))
    )


def _heading(path: str) -> str:
    return f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden items:"


def _tree(folder: MemoryFolder, place: Path, path: str) -> list[str]:
    lines = [f"{_size(place.stat().st_size)}\t{path}", *_entries(place, path, _LEVELS)]
    if path == TOP and (known := folder.known()):
        lines.append(f"{_size(sum(len(text) for text in known.values()))}\t{TOP}/{KNOWN}/")
        lines += [f"{_size(len(text))}\t{TOP}/{KNOWN}/{name}" for name, text in known.items()]
    return lines


def _entries(place: Path, path: str, levels: int) -> list[str]:
    lines: list[str] = []
    for entry in sorted(place.iterdir(), key=lambda one: one.name):
        if entry.name.startswith(".") or entry.is_symlink():
            continue
        size = _size(entry.stat().st_size)
        if entry.is_dir():
            lines.append(f"{size}\t{path}/{entry.name}/")
            lines += _entries(entry, f"{path}/{entry.name}", levels - 1) if levels > 1 else []
        elif entry.is_file():
            lines.append(f"{size}\t{path}/{entry.name}")
    return lines


def _list_known(folder: MemoryFolder, path: str) -> str:
    known = folder.known()
    total = _size(sum(len(text) for text in known.values()))
    files = (f"{_size(len(text))}\t{path}/{name}" for name, text in known.items())
    return "\n".join((_heading(path), f"{total}\t{path}", *files))


def _size(count: int) -> str:
    size = float(count)
    for unit in ("B", "K", "M"):
        if size < 1024:
            return f"{size:.1f}".removesuffix(".0") + unit
        size /= 1024
    return f"{size:.1f}".removesuffix(".0") + "G"


_COMMANDS: Mapping[str, Callable[[MemoryFolder, Mapping[str, Any]], str]] = {
    "view": _view,
    "create": _create,
    "str_replace": _str_replace,
    "insert": _insert,
    "delete": _delete,
    "rename": _rename,
}
