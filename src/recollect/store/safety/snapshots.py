"""
Snapshots: copies the store makes of itself, before its schema changes and every so many sessions.

They lie in a folder beside the database, `NAME.snapshots`, named after the commit they hold; the clock may go back,
the count of commits does not. A snapshot is proved sound before an older one is dropped.

Beside them the logs that are kept when commits are missing: SQLite drops what lies behind a bad place as soon as the
store is closed. `doctor --fix` reads them frame by frame and removes them; a purge removes one that holds what must go.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

from recollect.errors import StoreCorrupt, StoreError
from recollect.events.locks import sync_folder
from recollect.store import sql
from recollect.store.db import Db
from recollect.store.sqlite.driver import DIALECT, SqliteDb, connect
from recollect.store.sqlite.files import ensure_private_file
from recollect.store.tables import meta, row_checksums

# A database is up to three files.
FILE_ENDINGS = ("", "-wal", "-shm")
_BEFORE = "before-schema"
_COUNTED = "snapshot_sessions"
# Begins as the names of stores that were put aside do, so that a purge looks into it.
_KEPT_LOG = ".damaged-log-"
_MAX_KEPT_LOGS = 3


def snapshot_folder(db_path: str) -> Path:
    """Where the snapshots of a database lie."""
    return Path(f"{db_path}.snapshots")


def list_snapshots(db_path: str) -> list[Path]:
    """The snapshots there are, newest first."""
    return sorted(snapshot_folder(db_path).glob("*.db"), key=lambda file: file.name, reverse=True)


def is_snapshot_due(db: Db, every: int) -> bool:
    """Whether so many sessions have passed since the last snapshot; 0 means never."""
    return (
        every > 0
        and db.path != ":memory:"
        and _count_sessions(db) - int(meta.read_meta(db, _COUNTED) or 0) >= every
    )


def take_snapshot(db: Db, now: datetime, *, keep: int) -> Path:
    """Make a snapshot, prove it, and drop the oldest of those that are more than `keep`."""
    snapshot = _copy(db, _make_name(db, now, ""))
    meta.save_meta(db, _COUNTED, str(_count_sessions(db)))
    regular = [file for file in list_snapshots(db.path) if _BEFORE not in file.name]
    for old in regular[max(1, keep) :]:
        old.unlink(missing_ok=True)
    return snapshot


def take_before_upgrade(db: SqliteDb, schema: int, now: datetime) -> Path:
    """Keep the store as it is before its schema changes; a snapshot of an earlier schema gives way to it."""
    earlier = [file for file in list_snapshots(db.path) if _BEFORE in file.name]
    snapshot = _copy(db, _make_name(db, now, f"-{_BEFORE}-{schema}"))
    for old in earlier:
        if old != snapshot:
            old.unlink(missing_ok=True)
    return snapshot


def replace_after_purge(db: Db, now: datetime) -> None:
    """Something was removed for good: a new snapshot takes the place of all that still hold it, or none does."""
    older = list_snapshots(db.path)
    if not older:
        return
    try:
        snapshot = take_snapshot(db, now, keep=1)
    except StoreError:  # no room, or damage: then rather no copy than one with what must be gone
        snapshot = None
    for file in older:
        if file != snapshot:
            file.unlink(missing_ok=True)


def find_newest_sound(db_path: str, store: str = "") -> Path | None:
    """The newest snapshot that is as it should be; of this store, if its name is known."""
    return next((file for file in list_snapshots(db_path) if is_sound(file) and _is_of(file, store)), None)


def is_sound(file: Path) -> bool:
    """Whether a copy of a store is whole and every memory in it as it was sealed."""
    try:
        _prove(file)
    except StoreError:
        return False
    return True


def keep_log(db_path: str, commits: int) -> None:
    """Copy the log as it lies there, named after the last commit that can be seen; once, and no more than a few."""
    # SQLite has no lock on the log itself, so that reading it here drops none.
    log = Path(f"{db_path}-wal")
    target = Path(f"{db_path}{_KEPT_LOG}{commits:012d}")
    with suppress(OSError):
        if log.stat().st_size and not target.exists() and len(list_kept_logs(db_path)) < _MAX_KEPT_LOGS:
            ensure_private_file(target)
            target.write_bytes(log.read_bytes())


def list_kept_logs(db_path: str) -> list[Path]:
    """The logs that were kept, oldest first."""
    file = Path(db_path)
    return sorted(file.parent.glob(f"{file.name}{_KEPT_LOG}*"))


def drop_kept_logs(db_path: str) -> None:
    """All that could be read from them was."""
    for log in list_kept_logs(db_path):
        log.unlink(missing_ok=True)


def _is_of(file: Path, store: str) -> bool:
    with _open(file) as copy:
        # A store from before it had a name may be this one.
        return (meta.read_meta(copy, "store") or store) == store or not store


def _copy(db: Db, name: str) -> Path:
    target = snapshot_folder(db.path) / name
    partial = target.with_name(target.name + ".partial")
    ensure_private_file(partial)
    try:
        db.backup_to(str(partial))
        _prove(partial)
        partial.replace(target)
    finally:
        for end in FILE_ENDINGS:
            partial.with_name(partial.name + end).unlink(missing_ok=True)
    sync_folder(target.parent)
    return target


def _prove(file: Path) -> None:
    with _open(file) as copy:
        integrity = copy.pragma("integrity_check")
        if integrity != "ok":
            raise StoreCorrupt(path=file, reason=str(integrity))
        schema = int(copy.pragma("user_version"))
        if not schema:
            raise StoreCorrupt(path=file, reason="it is empty")
        # Rows of an earlier schema cannot be read as this version reads them; the file is whole, and that must do.
        if schema != sql.newest_schema(DIALECT):
            return
        altered = [str(row["id"]) for row, sound in row_checksums.check_rows(copy) if not sound]
        if altered:
            raise StoreCorrupt(path=file, reason=f"{len(altered)} memories were altered: {altered[0]} …")


@contextmanager
def _open(file: Path) -> Iterator[SqliteDb]:
    db = connect(str(file), create=False)
    try:
        yield db
    finally:
        db.close()


def _make_name(db: Db, now: datetime, mark: str) -> str:
    return f"{int(meta.read_meta(db, 'commits') or 0):012d}-{now:%Y%m%d-%H%M%S}{mark}.db"


def _count_sessions(db: Db) -> int:
    return int(db.rows("sessions_count")[0]["sessions"])
