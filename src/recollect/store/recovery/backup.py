"""Backup and restore: copies of the whole database, made by the backup API and compared afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from recollect.errors import BadInput, StoreCorrupt, StoreMissing
from recollect.events.locks import sync_folder
from recollect.model.ids import blake2b
from recollect.store.db import Db
from recollect.store.open import open_sqlite
from recollect.store.safety import commit_counter
from recollect.store.safety.snapshots import FILE_ENDINGS
from recollect.store.sqlite.driver import SqliteDb
from recollect.store.sqlite.files import ensure_private_file
from recollect.store.tables import row_checksums

Progress = Callable[[int, int], None]
_PAGE = 1000


def backup(db: Db, target: Path, now: datetime, progress: Progress | None = None) -> Path:
    """Copy the database to a new file and compare the two; a file that is there already stays as it is."""
    if target.exists():
        raise BadInput(reason=f"{target} is there already; name a new file for the backup")
    partial = target.with_name(target.name + ".partial")
    ensure_private_file(partial)
    try:
        db.backup_to(str(partial), progress)
        with _open(partial, now) as copy:
            _check_sound(copy)
            fingerprint = _fingerprint(copy)
        partial.replace(target)
        sync_folder(target.parent)
    finally:
        for end in FILE_ENDINGS:
            partial.with_name(partial.name + end).unlink(missing_ok=True)
    with _open(target, now) as copy:
        if _fingerprint(copy) != fingerprint:
            raise StoreCorrupt(path=target, reason="the backup differs from what was copied")
    return target


def restore(source: Path, target: Path, now: datetime, progress: Progress | None = None) -> Path | None:
    """Put a backup in the place of the database. What was there is kept beside it; its name is returned."""
    if not source.is_file():
        raise StoreMissing(f"There is no backup at {source}. `recollect backup FILE` makes one.")
    with _open(source, now) as backup_db:
        _check_sound(backup_db)
        earlier = _put_aside(target, now)
        ensure_private_file(target)
        backup_db.backup_to(str(target), progress)
        # What is missing now is missing on purpose.
        commit_counter.reset_counter(backup_db, str(target))
        expected = _fingerprint(backup_db)
    with _open(target, now) as restored:
        if _fingerprint(restored) != expected:
            raise StoreCorrupt(path=target, reason="what was restored differs from the backup")
    return earlier


def _put_aside(target: Path, now: datetime) -> Path | None:
    if not target.exists():
        return None
    aside = _free_name(target.with_name(f"{target.name}.before-restore-{now:%Y%m%d-%H%M%S}"))
    try:
        with _open(target, now) as current:
            _check_sound(current)
            ensure_private_file(aside)
            current.backup_to(str(aside))
    except StoreCorrupt:
        # SQLite cannot copy it, and it is what a backup is for: it is kept as it is, with its log.
        for end in FILE_ENDINGS:
            part = target.with_name(target.name + end)
            if part.exists():
                part.replace(aside.with_name(aside.name + end))
    return aside


def _free_name(file: Path) -> Path:
    number = 1
    free = file
    while free.exists():
        number += 1
        free = file.with_name(f"{file.name}-{number}")
    return free


@contextmanager
def _open(file: Path, now: datetime) -> Iterator[SqliteDb]:
    db = open_sqlite(str(file), now, create=False)
    try:
        yield db
    finally:
        db.close()


def _check_sound(db: SqliteDb) -> None:
    integrity = db.pragma("integrity_check")
    if integrity != "ok":
        raise StoreCorrupt(path=db.path, reason=str(integrity))
    altered = [str(row["id"]) for row, sound in row_checksums.check_rows(db) if not sound]
    if altered:
        raise StoreCorrupt(path=db.path, reason=f"memories were altered: {', '.join(altered[:3])}")


def _fingerprint(db: Db) -> str:
    """One number over every memory: equal only if the same memories are in the same state."""
    digest = blake2b(digest_size=16)
    after = 0
    while page := db.rows("fingerprint_page", after=after, limit=_PAGE):
        for row in page:
            digest.update(repr(tuple(row.values())).encode())
        after = page[-1]["num"]
    return digest.hexdigest()
