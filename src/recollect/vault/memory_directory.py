"""
The vault as the `/memories` directory of Anthropic's memory tool: view, create, str_replace, insert, delete, rename.

The tool's commands and answers are those its clients know; each write is made with the same care as every other, and
what is deleted or replaced stays as a version. Notes of memories are only read here: an agent has `remember` for those.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from recollect.errors import BadInput, NotFound
from recollect.store.tables import vault_index, vault_notes
from recollect.vault.context import VaultContext
from recollect.vault.files import check_note_path, check_path, inside
from recollect.vault.notes import list_folder, read_note, run_in_turn, write_note
from recollect.vault.versions import keep_version

TOP = "/memories"
_LEVELS = 2


def answer_command(ctx: VaultContext, given: Mapping[str, Any]) -> str:
    """Do what one call of the memory tool asks for, and say what its clients expect."""
    command = str(given.get("command", ""))
    act = _COMMANDS.get(command)
    if act is None:
        raise BadInput(reason=f"there is no command {command!r}; there is {', '.join(_COMMANDS)}")
    return act(ctx, given)


def _view(ctx: VaultContext, given: Mapping[str, Any]) -> str:
    path = _inner(given, "path")
    if not path or (ctx.root / path).is_dir():
        where = f"{TOP}/{path}".rstrip("/")
        head = f"Here're the files and directories up to 2 levels deep in {where}, excluding hidden items:"
        return "\n".join((head, *_tree(ctx, path, _LEVELS)))
    lines = read_note(ctx, path, for_agent=True).split("\n")
    first, last = _range(given.get("view_range"), len(lines))
    numbered = (f"{number:6}\t{line}" for number, line in enumerate(lines[first - 1 : last], start=first))
    return "\n".join((f"Here's the content of {given['path']} with line numbers:", *numbered))


def _create(ctx: VaultContext, given: Mapping[str, Any]) -> str:
    path = check_note_path(_inner(given, "path"))
    if (ctx.root / path).exists():
        raise BadInput(reason=f"File {given['path']} already exists")
    write_note(ctx, path, _text(given, "file_text"), for_agent=True)
    return f"File created successfully at: {given['path']}"


def _str_replace(ctx: VaultContext, given: Mapping[str, Any]) -> str:
    path, old, new = _inner(given, "path"), _text(given, "old_str"), str(given.get("new_str", ""))
    text = read_note(ctx, path, for_agent=True)
    places = [number for number, line in enumerate(text.split("\n"), start=1) if old.split("\n")[0] in line]
    if not old or text.count(old) != 1:
        reason = (
            f"it stands in lines {', '.join(map(str, places))}"
            if text.count(old) > 1
            else "it did not appear"
        )
        raise BadInput(reason=f"No replacement was performed: old_str must appear exactly once, and {reason}")
    changed = text.replace(old, new)
    write_note(ctx, path, changed, for_agent=True)
    return "The memory file has been edited.\n" + _snippet(changed, text[: text.index(old)].count("\n"))


def _insert(ctx: VaultContext, given: Mapping[str, Any]) -> str:
    path, at = _inner(given, "path"), given.get("insert_line")
    lines = read_note(ctx, path, for_agent=True).splitlines(keepends=True)
    if isinstance(at, bool) or not isinstance(at, int) or not 0 <= at <= len(lines):
        raise BadInput(reason=f"insert_line is a whole number from 0 to {len(lines)}")
    if at and not lines[at - 1].endswith("\n"):
        lines[at - 1] += "\n"
    added = _text(given, "insert_text").rstrip("\n") + "\n"
    write_note(ctx, path, "".join((*lines[:at], added, *lines[at:])), for_agent=True)
    return f"The file {given['path']} has been edited."


def _delete(ctx: VaultContext, given: Mapping[str, Any]) -> str:
    path = _inner(given, "path")
    if not path:
        raise BadInput(reason=f"{TOP} itself cannot be deleted")
    place = inside(ctx.root, check_path(path))
    if place.is_dir():
        if any(place.iterdir()):
            raise BadInput(reason=f"{given['path']} is not empty; delete its notes one by one")
        place.rmdir()
    else:
        run_in_turn(ctx, lambda: _remove(ctx, check_note_path(path)))
    return f"Successfully deleted {given['path']}"


def _rename(ctx: VaultContext, given: Mapping[str, Any]) -> str:
    old, new = _inner(given, "old_path"), _inner(given, "new_path")
    if not old or not new:
        raise BadInput(reason=f"{TOP} itself cannot be renamed")
    text = read_note(ctx, old, for_agent=True)
    target = check_note_path(new)
    if (ctx.root / target).exists():
        raise BadInput(reason=f"The destination {given['new_path']} already exists")
    _check_free(ctx, check_note_path(old))
    write_note(ctx, target, text, for_agent=True)
    run_in_turn(ctx, lambda: _remove(ctx, check_note_path(old)))
    return f"Successfully renamed {given['old_path']} to {given['new_path']}"


def _remove(ctx: VaultContext, path: str) -> None:
    """Take a note out of the folder; what it held stays as a version."""
    _check_free(ctx, path)
    text = read_note(ctx, path)
    row = vault_notes.find_note_at(ctx.db, ctx.vault.num, path)
    with ctx.db.transaction():
        if row is not None:
            keep_version(ctx, row.num, text.encode(), "person")
            vault_index.remove_note(ctx.db, row.num)
            vault_notes.mark_gone(ctx.db, row.num, ctx.now())
        else:
            raise NotFound(what="note", name=f"{path} (it is new; sync the vault first)")
    inside(ctx.root, path).unlink()


def _check_free(ctx: VaultContext, path: str) -> None:
    row = vault_notes.find_note_at(ctx.db, ctx.vault.num, path)
    if row is not None and row.memory_id:
        raise BadInput(reason=f"{path} shows the memory {row.memory_id}; use `remember` or `feedback`")


def _inner(given: Mapping[str, Any], name: str) -> str:
    path = given.get(name)
    if not isinstance(path, str) or not (path == TOP or path.startswith(f"{TOP}/")):
        raise BadInput(reason=f"{name} must start with {TOP}")
    rest = path[len(TOP) :].strip("/")
    return check_path(rest) if rest else ""


def _text(given: Mapping[str, Any], name: str) -> str:
    value = given.get(name)
    if not isinstance(value, str):
        raise BadInput(reason=f"{name} is a text")
    return value


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


def _tree(ctx: VaultContext, folder: str, levels: int) -> list[str]:
    shown = [f"{_size(ctx.root / folder)}\t{f'{TOP}/{folder}'.rstrip('/')}"] if levels == _LEVELS else []
    for one in list_folder(ctx, folder):
        path = f"{folder}/{one.name}".lstrip("/")
        shown.append(f"{_size(ctx.root / path)}\t{TOP}/{path}{'/' if one.is_folder else ''}")
        if one.is_folder and levels > 1:
            shown += _tree(ctx, path, levels - 1)
    return shown


def _size(place: Path) -> str:
    size = float(place.lstat().st_size)
    for unit in ("B", "K", "M"):
        if size < 1024:
            return f"{size:.1f}".removesuffix(".0") + unit
        size /= 1024
    return f"{size:.1f}G"


def _snippet(text: str, around: int) -> str:
    lines = text.split("\n")
    start = max(0, around - 2)
    return "\n".join(
        f"{number + 1:6}\t{lines[number]}" for number in range(start, min(len(lines), around + 3))
    )


_COMMANDS: Mapping[str, Callable[[VaultContext, Mapping[str, Any]], str]] = {
    "view": _view,
    "create": _create,
    "str_replace": _str_replace,
    "insert": _insert,
    "delete": _delete,
    "rename": _rename,
}
