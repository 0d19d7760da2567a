"""
Copies the store makes of itself: before its schema changes, and every so many sessions.

They lie in a folder beside the database, `NAME.snapshots`, named after the commit they hold; the clock may go back,
the count of commits does not. A snapshot is proved sound before an older one is dropped.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from recollect.errors import StoreCorrupt, StoreError
from recollect.store.db import Db
from recollect.store.migrate import known_schema
from recollect.store.sqlite.driver import SqliteDb, connect
from recollect.store.sqlite.files import make_private, sync_folder
from recollect.store.tables import meta, row_checksums

# A database is up to three files.
ENDS = ("", "-wal", "-shm")
_BEFORE = "before-schema"
_COUNTED = "snapshot_sessions"


def folder_of(db_path: str) -> Path:
    """Where the snapshots of a database lie."""
    return Path(f"{db_path}.snapshots")


def taken(db_path: str) -> list[Path]:
    """The snapshots there are, newest first."""
    return sorted(folder_of(db_path).glob("*.db"), key=lambda file: file.name, reverse=True)


def due(db: Db, every: int) -> bool:
    """Whether so many sessions have passed since the last snapshot; 0 means never."""
    return every > 0 and db.path != ":memory:" and _sessions(db) - int(meta.get(db, _COUNTED) or 0) >= every


def take(db: Db, now: datetime, *, keep: int) -> Path:
    """Make a snapshot, prove it, and drop the oldest of those that are more than `keep`."""
    made = _copied(db, _name(db, now, ""))
    meta.put(db, _COUNTED, str(_sessions(db)))
    regular = [file for file in taken(db.path) if _BEFORE not in file.name]
    for old in regular[max(1, keep) :]:
        old.unlink(missing_ok=True)
    return made


def before_upgrade(db: SqliteDb, found: int, now: datetime) -> Path:
    """Keep the store as it is before its schema changes; a snapshot of an earlier schema gives way to it."""
    earlier = [file for file in taken(db.path) if _BEFORE in file.name]
    made = _copied(db, _name(db, now, f"-{_BEFORE}-{found}"))
    for old in earlier:
        if old != made:
            old.unlink(missing_ok=True)
    return made


def drop_what_was_purged(db: Db, now: datetime) -> None:
    """Something was removed for good: a new snapshot takes the place of all that still hold it, or none does."""
    older = taken(db.path)
    if not older:
        return
    try:
        made = take(db, now, keep=1)
    except StoreError:  # no room, or damage: then rather no copy than one with what must be gone
        made = None
    for file in older:
        if file != made:
            file.unlink(missing_ok=True)


def newest_sound(db_path: str, store: str = "") -> Path | None:
    """The newest snapshot that is as it should be; of this store, if its name is known."""
    return next((file for file in taken(db_path) if is_sound(file) and _is_of(file, store)), None)


def is_sound(file: Path) -> bool:
    """Whether a copy of a store is whole and every memory in it as it was sealed."""
    try:
        _prove(file)
    except StoreError:
        return False
    return True


def _is_of(file: Path, store: str) -> bool:
    with _opened(file) as copy:
        # A store from before it had a name may be this one.
        return (meta.get(copy, "store") or store) == store or not store


def _copied(db: Db, name: str) -> Path:
    target = folder_of(db.path) / name
    partial = target.with_name(target.name + ".partial")
    make_private(partial)
    try:
        db.backup_to(str(partial))
        _prove(partial)
        partial.replace(target)
    finally:
        for end in ENDS:
            partial.with_name(partial.name + end).unlink(missing_ok=True)
    sync_folder(target.parent)
    return target


def _prove(file: Path) -> None:
    with _opened(file) as copy:
        said = copy.pragma("integrity_check")
        if said != "ok":
            raise StoreCorrupt(path=file, reason=str(said))
        # Rows of an earlier schema cannot be read as this version reads them; the file is whole, and that must do.
        if int(copy.pragma("user_version")) != known_schema():
            return
        altered = [str(row["id"]) for row, sound in row_checksums.checked(copy) if not sound]
        if altered:
            raise StoreCorrupt(path=file, reason=f"{len(altered)} memories were altered: {altered[0]} …")


@contextmanager
def _opened(file: Path) -> Iterator[SqliteDb]:
    db = connect(str(file), create=False)
    try:
        yield db
    finally:
        db.close()


def _name(db: Db, now: datetime, mark: str) -> str:
    return f"{int(meta.get(db, 'commits') or 0):012d}-{now:%Y%m%d-%H%M%S}{mark}.db"


def _sessions(db: Db) -> int:
    return int(db.rows("sessions_count")[0]["sessions"])
