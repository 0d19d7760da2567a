"""Notes as an agent reads and writes them: by path, inside the vault, with the same care as every other write."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeVar

from recollect.errors import BadInput, NotFound
from recollect.events.locks import process_lock
from recollect.model.value import dataclass, replace
from recollect.store.tables import vault_notes
from recollect.vault import layout
from recollect.vault.branches import describe_unmerged
from recollect.vault.context import VaultContext
from recollect.vault.files import (
    UnreadableNote,
    check_note_path,
    check_path,
    decode_note,
    find_listed,
    inside,
    read_file,
)
from recollect.vault.outline import link_key
from recollect.vault.properties import find_newline
from recollect.vault.sync import TURN_SECONDS
from recollect.vault.writing import Change, WrittenNote, change_note, look_again

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedNote:
    """A note or a folder in a listing."""

    name: str
    is_folder: bool
    changed_at: str = ""


def read_note(ctx: VaultContext, path: str, *, for_agent: bool = False) -> str:
    """The text of a note; an agent is not shown one whose memory waits for a yes or was found wrong."""
    path = find_listed(ctx.root, check_note_path(path))
    if for_agent and (state := vault_notes.read_hidden_state(ctx.db, ctx.vault.num, path)):
        raise NotFound(f"The note {path!r} shows a memory that is {state}; it is not for agents.", name=path)
    try:
        return decode_note(read_file(inside(ctx.root, path)).content)
    except UnreadableNote as error:
        raise BadInput(reason=f"{path} {error}") from error
    except NotFound:
        raise NotFound(what="note", name=path) from None


def write_note(ctx: VaultContext, path: str, content: str, *, for_agent: bool = False) -> str:
    """Write a note; what was there is kept as a version. Its path."""
    return _changed(ctx, path, lambda text: content, for_agent=for_agent)


def append_note(ctx: VaultContext, path: str, content: str, *, for_agent: bool = False) -> str:
    """Add to the end of a note, or make it. Its path."""
    return _changed(ctx, path, lambda text: append_text(text, content), for_agent=for_agent)


def _changed(ctx: VaultContext, path: str, change: Callable[[str], str], *, for_agent: bool) -> str:
    path = find_listed(ctx.root, check_note_path(path))
    before = vault_notes.find_note_at(ctx.db, ctx.vault.num, path)
    if for_agent and path.startswith(f"{layout.MEMORY}/"):
        raise BadInput(reason=f"{path} would be a memory; use `remember`, which keeps who said it")
    if for_agent and before is not None and before.memory_id:
        raise BadInput(reason=f"{path} shows the memory {before.memory_id}; use `remember` or `feedback`")
    change_in_turn(ctx, path, change)
    if before is not None and before.memory_id:
        # The next sync is to take it in, as if it had been edited in the folder.
        vault_notes.save_note(ctx.db, ctx.vault.num, replace(before, mtime=0), link_key(path))
    return path


def append_text(text: str, content: str) -> str:
    """A text with another at its end, in lines of its own that end as its lines do."""
    newline = find_newline(text)
    gap = newline if text and not text.endswith("\n") else ""
    added = content.rstrip().replace("\r\n", "\n").replace("\n", newline)
    return text + gap + added + newline


def list_folder(ctx: VaultContext, folder: str = "") -> list[ListedNote]:
    """The notes and folders in a folder of the vault, by name."""
    folder = folder.strip().strip("/")
    place = inside(ctx.root, check_path(folder)) if folder else ctx.root
    if place.is_symlink() or not place.is_dir():
        raise NotFound(what="folder", name=folder)
    entries: list[ListedNote] = []
    for entry in sorted(place.iterdir(), key=lambda one: one.name):
        if entry.name.startswith(".") or entry.is_symlink():
            continue
        if entry.is_dir():
            entries.append(ListedNote(name=entry.name, is_folder=True))
        elif entry.name.endswith(".md"):
            at = datetime.fromtimestamp(entry.stat().st_mtime, UTC)
            entries.append(
                ListedNote(name=entry.name, is_folder=False, changed_at=at.isoformat(timespec="seconds"))
            )
    return entries


def change_in_turn(ctx: VaultContext, path: str, change: Change) -> WrittenNote:
    """Change a note or make it while no other process of ours does; one with an unfinished merge is left alone."""

    def changed(text: str) -> str | None:
        if unmerged := describe_unmerged(text):
            raise BadInput(reason=f"{path} {unmerged}")
        return change(text)

    return run_in_turn(ctx, lambda: change_note(ctx, path, changed))


def run_in_turn(ctx: VaultContext, act: Callable[[], T]) -> T:
    """Do something in the vault while no other process of ours does, and look afterwards who else wrote."""
    with process_lock(ctx.lock, TURN_SECONDS):
        done = act()
        look_again(ctx)
    return done
