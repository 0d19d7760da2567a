"""Vaults, the notes in them as they were last seen, and every version seen of those we write to."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable
from datetime import datetime

from recollect.model.value import dataclass
from recollect.store.db import Db, Row
from recollect.store.tables import meta
from recollect.store.tables.row_values import from_micros, json_list, to_micros


@dataclass(frozen=True, slots=True, kw_only=True)
class VaultRow:
    """One vault: its folder, whose memories and which kinds it shows, and how far it has been brought."""

    num: int
    root: str
    project_id: str | None
    kinds: tuple[str, ...]
    own: bool
    seen_to: int
    synced_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteRow:
    """A note as it was last seen. `base` is the version on which note and memory agreed, `shown` a digest of it."""

    num: int
    path: str
    memory_id: str | None
    size: int
    mtime: int
    inode: int
    hash: str
    base: str
    shown: str
    pending: str
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteVersion:
    """A version of a note that was seen, when, and who had written it."""

    hash: str
    at: datetime
    writer: str
    content: bytes


def find_vault(db: Db, root: str) -> VaultRow | None:
    """The vault in a folder."""
    row = db.row("vault_by_root", root=root)
    return _vault(row) if row else None


def list_vaults(db: Db) -> list[VaultRow]:
    """Every vault."""
    return [_vault(row) for row in db.rows("vaults_all")]


def add_vault(db: Db, root: str, *, project_id: str | None, kinds: Iterable[str], own: bool) -> VaultRow:
    """A folder becomes a vault."""
    db.insert("vault_insert", root=root, project_id=project_id, kinds=json_list(kinds), own=int(own))
    # For hooks, which look there anyway and need not load this module to know that there is a vault.
    meta.save_meta(db, meta.VAULT_KEY, "1")
    added = find_vault(db, root)
    assert added is not None
    return added


def mark_synced(db: Db, vault: int, seen_to: int, at: datetime) -> None:
    """The notes show every change up to this one."""
    db.run("vault_synced", num=vault, seen_to=seen_to, at=to_micros(at))


def list_seen_notes(db: Db, vault: int) -> dict[str, NoteRow]:
    """What was last seen of every note that is there, by path."""
    return {row[1]: _note_of(row) for row in db.tuples("vault_notes_seen", vault=vault)}


def find_note_at(db: Db, vault: int, path: str, *, here: bool = False) -> NoteRow | None:
    """What was last seen of one note; also of one that is gone, unless it has to be `here`."""
    row = db.row("vault_note_by_path", vault=vault, path=path)
    return _note(row) if row and not (here and row["gone_at"] is not None) else None


def find_note_of_memory(db: Db, vault: int, memory_id: str) -> tuple[NoteRow, bool] | None:
    """The note that shows a memory, and whether it is gone."""
    row = db.row("vault_note_of_memory", vault=vault, memory_id=memory_id)
    return (_note(row), row["gone_at"] is not None) if row else None


def list_paths_of_memories(db: Db, vault: int) -> list[str]:
    """The paths of all notes that show a memory."""
    return [row["path"] for row in db.rows("vault_note_paths", vault=vault)]


def save_note(db: Db, vault: int, note: NoteRow, name_key: str) -> int:
    """What is seen of a note now; its number."""
    row = db.row(
        "vault_note_put",
        vault=vault,
        path=note.path,
        name_key=name_key,
        memory_id=note.memory_id,
        size=note.size,
        mtime=note.mtime,
        inode=note.inode,
        hash=note.hash,
        base=note.base,
        shown=note.shown,
        problem=note.problem,
    )
    assert row is not None
    return int(row["num"])


def set_pending(db: Db, num: int, pending: str, memory_id: str | None = None) -> None:
    """This version is about to be written."""
    db.run("vault_note_pending", num=num, pending=pending, memory_id=memory_id)


def move_note(db: Db, vault: int, num: int, path: str, name_key: str) -> None:
    """A note has another path now."""
    db.run("vault_note_set_aside", vault=vault, path=path, num=num)
    db.run("vault_note_moved", num=num, path=path, name_key=name_key)


def mark_gone(db: Db, num: int, at: datetime) -> None:
    """A note is no longer there; its versions stay."""
    db.run("vault_note_gone", num=num, at=to_micros(at))


def untie_note(db: Db, num: int) -> None:
    """A note has nothing to do with a memory any more."""
    db.run("vault_note_untied", num=num)


def list_problems(db: Db, vault: int) -> dict[str, str]:
    """Notes that are left alone, and why."""
    return {row["path"]: row["problem"] for row in db.rows("vault_problems", vault=vault)}


def count_notes(db: Db, vault: int) -> tuple[int, int]:
    """How many notes there are, and how many of them show a memory."""
    row = db.rows("vault_counts", vault=vault)[0]
    return int(row["notes"]), int(row["memories"])


def list_purged_notes(db: Db, vault: int) -> list[NoteRow]:
    """Notes of memories that were removed for good."""
    return [_note(row) for row in db.rows("vault_memories_purged", vault=vault)]


def read_hidden_state(db: Db, vault: int, path: str) -> str:
    """The state of the memory that a note shows, if it is one that is not for agents; else empty."""
    row = db.row("vault_hidden_path", vault=vault, path=path)
    return str(row["state"]) if row else ""


def list_changed_memories(db: Db, since: int) -> list[str]:
    """The ids of memories that have changed since that change."""
    return [row["memory_id"] for row in db.rows("memory_ids_changed", seq=since)]


def has_agent_written(db: Db, path: str, since: datetime) -> bool:
    """Whether an agent is known to have written a file with this path since."""
    return db.row("agent_wrote", path=path, since=to_micros(since)) is not None


# -- versions ----------------------------------------------------------------------------------------------


def save_version(db: Db, note: int, content: bytes, digest: str, at: datetime, writer: str) -> None:
    """A version of a note was seen."""
    body = zlib.compress(content, 6)
    db.run("version_put", note=note, hash=digest, at=to_micros(at), writer=writer, body=body)


def read_version(db: Db, note: int, digest: str) -> bytes | None:
    """One version of a note."""
    row = db.row("version_get", note=note, hash=digest)
    return zlib.decompress(row["body"]) if row else None


def list_versions(db: Db, note: int, limit: int) -> list[NoteVersion]:
    """The versions of a note, newest first."""
    return [_version(row) for row in db.rows("versions_of_note", note=note, limit=limit)]


def list_versions_at(db: Db, vault: int, path: str, limit: int) -> list[NoteVersion]:
    """The versions of the note at a path, newest first; also of one that is gone."""
    return [_version(row) for row in db.rows("versions_of_path", vault=vault, path=path, limit=limit)]


def prune_versions(db: Db, note: int, *, keep: int, before: datetime) -> None:
    """Remove versions seen before a time, but for the newest and those that a merge may still need."""
    db.run("versions_prune", note=note, keep=keep, before=to_micros(before))


def forget_versions(db: Db, note: int) -> None:
    """What was removed for good is removed here too."""
    db.run("versions_forget", note=note)


def _version(row: Row) -> NoteVersion:
    return NoteVersion(
        hash=row["hash"],
        at=from_micros(row["at"]),
        writer=row["writer"],
        content=zlib.decompress(row["body"]),
    )


def _vault(row: Row) -> VaultRow:
    return VaultRow(
        num=row["num"],
        root=row["root"],
        project_id=row["project_id"],
        kinds=tuple(json.loads(row["kinds"])),
        own=bool(row["own"]),
        seen_to=row["seen_to"],
        synced_at=from_micros(row["synced_at"]) if row["synced_at"] is not None else None,
    )


_NOTE_COLUMNS = (
    "num", "path", "memory_id", "size", "mtime", "inode", "hash", "base", "shown", "pending", "problem",
)  # fmt: skip


def _note(row: Row) -> NoteRow:
    return NoteRow(**{name: row[name] for name in _NOTE_COLUMNS})


def _note_of(values: tuple[object, ...]) -> NoteRow:
    return NoteRow(**dict(zip(_NOTE_COLUMNS, values, strict=True)))  # type: ignore[arg-type]
