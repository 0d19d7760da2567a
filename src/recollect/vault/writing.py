"""
The one way by which a note is written: intent on record, whole file, every version kept, nobody's words lost.

The version to be written is in the database before it is in the folder: a process that is killed in between leaves the
old file or the new one, and the next sync knows both. What somebody wrote meanwhile is merged in; what cannot be merged
goes beside the note.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from recollect.capture import intake
from recollect.errors import BadInput, NotFound
from recollect.model.memory import MemoryDraft, MemoryState, Trust
from recollect.model.provenance import Channel, provenance_of
from recollect.model.value import dataclass, replace
from recollect.store.tables import vault_notes
from recollect.store.tables.vault_notes import NoteRow
from recollect.vault import indexing
from recollect.vault.context import VaultContext
from recollect.vault.files import (
    MAX_BYTES,
    NoteFile,
    UnreadableNote,
    check_listed_path,
    decode_note,
    hash_content,
    inside,
    read_file,
)
from recollect.vault.merge import choose_base, merge_texts
from recollect.vault.outline import link_key
from recollect.vault.replace import create_file, replace_file
from recollect.vault.versions import keep_version

# Gives the new text for the one that is there, "" if there is none; None leaves it.
Change = Callable[[str], str | None]
_MAX_TRIES = 50
# After so long a program that had the old file open has written to it.
_LATE_SECONDS = 0.015
RECENT_VERSIONS = 8


class ChangedMeanwhile(Exception):
    """Somebody wrote in a note after it was looked at: the next sync takes that in before it is written over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenNote:
    """What came of a change: the note's row number, its text now, and whether the file was written."""

    num: int
    text: str
    changed: bool


def change_note(
    ctx: VaultContext, path: str, change: Change, *, memory_id: str | None = None, shown: str = ""
) -> WrittenNote:
    """Change a note, or make it. The change is asked again for whatever stands there when the moment has come."""
    place = inside(ctx.root, check_listed_path(path))
    if not ctx.root.is_dir():  # a drive that is not there: nobody is to make a folder in its place
        raise NotFound(f"There is no vault at {ctx.root}.", name=str(ctx.root))
    for _ in range(_MAX_TRIES):
        before = _file(place)
        text = decode_note(before.content) if before else ""
        unseen = _find_unseen(ctx, path, before)
        new = change(text)
        content = (text if new is None else new).encode()
        if len(content) > MAX_BYTES:
            raise BadInput(
                reason=f"{path} would have {len(content):,} bytes; a note has at most {MAX_BYTES:,}"
            )
        if before and (new is None or content == before.content):
            num = record_note(ctx, path, before, memory_id=memory_id, shown=shown)
            _leave_unseen(ctx, path, unseen)
            return WrittenNote(num=num, text=text, changed=False)
        if new is None:
            raise NotFound(what="note", name=path)
        num = _announce(ctx, path, before, content, memory_id)
        if before is None:
            status = create_file(place, content)
            if status is None:
                continue
        else:
            status, displaced = replace_file(place, content)
            if displaced.content != before.content:
                displaced.close()
                record_note(ctx, path, _as_file(content, status), memory_id=memory_id, shown=shown)
                text = _merge_in(ctx, path, before.content, content, displaced.content)
                _leave_unseen(ctx, path, unseen)
                return WrittenNote(num=num, text=text, changed=True)
            ctx.displaced.append((path, displaced))
        num = record_note(ctx, path, _as_file(content, status), memory_id=memory_id, shown=shown)
        _leave_unseen(ctx, path, unseen)
        return WrittenNote(num=num, text=content.decode(), changed=True)
    raise BadInput(reason=f"{path} is being written by other programs all the time; try again")


def _find_unseen(ctx: VaultContext, path: str, before: NoteFile | None) -> NoteRow | None:
    """The last version that memory has seen, where somebody has written to the note since; None where nobody has."""
    row = vault_notes.find_note_at(ctx.db, ctx.vault.num, path)
    if before is None or row is None or before.hash in (row.hash, row.pending):
        return None
    return row


def _leave_unseen(ctx: VaultContext, path: str, unseen: NoteRow | None) -> None:
    """What somebody wrote before our write is still to be taken in: the next sync compares with what memory saw."""
    row = vault_notes.find_note_at(ctx.db, ctx.vault.num, path) if unseen else None
    if unseen and row:
        row = replace(row, size=0, mtime=0, inode=0, hash=unseen.hash, base=unseen.base)
        vault_notes.save_note(ctx.db, ctx.vault.num, row, link_key(path))


def check_unchanged(text: str, row: NoteRow) -> None:
    """Nothing is written over words that memory has not seen."""
    if hash_content(text.encode()) != row.hash:
        raise ChangedMeanwhile


def record_note(
    ctx: VaultContext,
    path: str,
    file: NoteFile,
    *,
    memory_id: str | None = None,
    shown: str = "",
    base: str | None = None,
    problem: str = "",
) -> int:
    """Note what a file holds now. `base` is the version on which both sides agree, if it is another one."""
    known = vault_notes.find_note_at(ctx.db, ctx.vault.num, path)
    digest = file.hash
    row = NoteRow(
        num=0,
        path=path,
        memory_id=memory_id or (known.memory_id if known else None),
        size=file.size,
        mtime=file.mtime,
        inode=file.inode,
        hash=digest,
        base=digest if base is None else base,
        shown=shown or (known.shown if known else ""),
        pending="",
        problem=problem,
    )
    with ctx.db.transaction():
        num = vault_notes.save_note(ctx.db, ctx.vault.num, row, link_key(path))
        if file.inode and not (known and known.hash == digest):
            with suppress(UnreadableNote):
                indexing.index_note(ctx.db, num, path, decode_note(file.content))
    return num


def look_again(ctx: VaultContext) -> None:
    """Whether somebody wrote to a file after it had given way to ours; what they wrote is merged in."""
    if not ctx.displaced:
        return
    time.sleep(_LATE_SECONDS)
    for path, displaced in list(ctx.displaced):
        written = displaced.written_since()
        if written is not None:
            now = _file(ctx.root / path)
            _merge_in(ctx, path, displaced.content, now.content if now else b"", written)
        displaced.close()
    ctx.displaced.clear()


def heal_stale(ctx: VaultContext, row: NoteRow, text: str) -> str:
    """
    What a note should hold where an editor has put back a text from before our last write.

    Without this an editor that had the note open would delete what an agent added meanwhile.
    """
    versions = vault_notes.list_versions(ctx.db, row.num, RECENT_VERSIONS)
    texts = [version.content.decode("utf-8", "replace") for version in versions]
    newest = next(
        (one for one, version in zip(texts, versions, strict=True) if version.hash == row.hash), None
    )
    if newest is None:
        return text
    ordered = [newest, *(one for one in texts if one != newest)]
    base = choose_base(ordered, text)
    return text if base == newest else merge_texts(base, newest, text).text


def keep_conflict(ctx: VaultContext, path: str, other: str, what: str) -> str:
    """Put the words that could not be merged beside the note, and let a person know; where they are now."""
    at = ctx.local_now().strftime("%Y-%m-%d %H.%M.%S")
    stem = path.removesuffix(".md")
    for number in range(1, 100):
        copy = f"{stem} (conflict {at}{f' {number}' if number > 1 else ''}).md"
        status = create_file(ctx.root / copy, other.encode())
        if status is not None:
            says = "is the other half of a conflict"
            record_note(ctx, copy, _as_file(other.encode(), status), base="", problem=says)
            break
    raise_in_review(
        ctx, f"Two versions of the note {path} could not be merged: {what} The other is in {copy}."
    )
    return copy


def raise_in_review(ctx: VaultContext, text: str) -> None:
    """Something about a note that a person should look at: it waits with everything else that does."""
    draft = MemoryDraft(
        text=text,
        kind="issue",
        tags=("vault",),
        fields={"status": "open"},
        provenance=provenance_of(Channel.VAULT_EXTERNAL),
        trust=Trust(needs_review=True),
        state=MemoryState.QUARANTINED,
    )
    intake.remember(
        ctx.write_context(Channel.VAULT_EXTERNAL), [draft], actor="recollect", why="found in the vault"
    )


def _merge_in(ctx: VaultContext, path: str, base: bytes, ours: bytes, theirs: bytes) -> str:
    """Somebody else's version of what was there, put together with ours in the note; memory has not seen it yet."""
    row = vault_notes.find_note_at(ctx.db, ctx.vault.num, path)
    if row is not None:
        keep_version(ctx, row.num, theirs, "person")
    try:
        merged = merge_texts(decode_note(base), decode_note(ours), decode_note(theirs))
    except UnreadableNote:
        keep_conflict(ctx, path, theirs.decode("utf-8", "replace"), "one of them is no text.")
        return ours.decode("utf-8", "replace")
    if merged.outvoted:
        keep_conflict(ctx, path, ours.decode(), "both changed the same lines.")
    written = change_note(
        ctx, path, lambda now: merge_texts(ours.decode(), merged.text, now).text if now else merged.text
    )
    # As far as memory knows, ours is the last version: the next sync is to take theirs in.
    record_note(ctx, path, NoteFile(content=ours, size=0, mtime=0, inode=0))
    return written.text


def _announce(
    ctx: VaultContext, path: str, before: NoteFile | None, content: bytes, memory_id: str | None
) -> int:
    """Put on record what is about to be written, and what is there now."""
    with ctx.db.transaction():
        known = vault_notes.find_note_at(ctx.db, ctx.vault.num, path)
        nothing = NoteFile(content=b"", size=0, mtime=0, inode=0)
        num = known.num if known else record_note(ctx, path, before or nothing, memory_id=memory_id)
        if before is not None:
            writer = "recollect" if known and before.hash in (known.base, known.pending) else "person"
            keep_version(ctx, num, before.content, writer)
        digest = hash_content(content)
        keep_version(ctx, num, content, "recollect")
        vault_notes.set_pending(ctx.db, num, digest, memory_id)
    return num


def _file(place: Path) -> NoteFile | None:
    try:
        return read_file(place)
    except NotFound:
        return None
    except UnreadableNote as error:
        raise BadInput(reason=f"{place.name} {error}") from error


def _as_file(content: bytes, status: os.stat_result) -> NoteFile:
    return NoteFile(content=content, size=status.st_size, mtime=status.st_mtime_ns, inode=status.st_ino)
