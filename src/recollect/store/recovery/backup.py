"""Copies of the whole database, made by the backup API and proved by comparing; a copied file may be torn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from recollect.errors import BadInput, StoreCorrupt, StoreMissing
from recollect.model.digest import blake2b
from recollect.store.db import Db
from recollect.store.open import open_sqlite
from recollect.store.safety import commit_counter
from recollect.store.safety.snapshots import ENDS
from recollect.store.sqlite.driver import SqliteDb
from recollect.store.sqlite.files import make_private, sync_folder
from recollect.store.tables import row_checksums

Progress = Callable[[int, int], None]
_PAGE = 1000


def backup(db: Db, target: Path, now: datetime, progress: Progress | None = None) -> Path:
    """Copy the database to a new file and compare the two; a file that is there already stays as it is."""
    if target.exists():
        raise BadInput(reason=f"{target} is there already; name a new file for the backup")
    partial = target.with_name(target.name + ".partial")
    make_private(partial)
    try:
        db.backup_to(str(partial), progress)
        with _opened(partial, now) as copy:
            _sound(copy)
            taken = _fingerprint(copy)
        partial.replace(target)
        sync_folder(target.parent)
    finally:
        for end in ENDS:
            partial.with_name(partial.name + end).unlink(missing_ok=True)
    with _opened(target, now) as copy:
        if _fingerprint(copy) != taken:
            raise StoreCorrupt(path=target, reason="the backup differs from what was copied")
    return target


def restore(source: Path, target: Path, now: datetime, progress: Progress | None = None) -> Path | None:
    """Put a backup in the place of the database. What was there is kept beside it; its name is returned."""
    if not source.is_file():
        raise StoreMissing(f"There is no backup at {source}. `recollect backup FILE` makes one.")
    with _opened(source, now) as wanted:
        _sound(wanted)
        kept = _put_aside(target, now)
        make_private(target)
        wanted.backup_to(str(target), progress)
        # What is missing now is missing on purpose.
        commit_counter.reset(wanted, str(target))
        expected = _fingerprint(wanted)
    with _opened(target, now) as restored:
        if _fingerprint(restored) != expected:
            raise StoreCorrupt(path=target, reason="what was restored differs from the backup")
    return kept


def _put_aside(target: Path, now: datetime) -> Path | None:
    if not target.exists():
        return None
    kept = _free_name(target.with_name(f"{target.name}.before-restore-{now:%Y%m%d-%H%M%S}"))
    try:
        with _opened(target, now) as current:
            _sound(current)
            make_private(kept)
            current.backup_to(str(kept))
    except StoreCorrupt:
        # SQLite cannot copy it, and it is what a backup is for: it is kept as it is, with its log.
        for end in ENDS:
            part = target.with_name(target.name + end)
            if part.exists():
                part.replace(kept.with_name(kept.name + end))
    return kept


def _free_name(file: Path) -> Path:
    taken = 1
    free = file
    while free.exists():
        taken += 1
        free = file.with_name(f"{file.name}-{taken}")
    return free


@contextmanager
def _opened(file: Path, now: datetime) -> Iterator[SqliteDb]:
    db = open_sqlite(str(file), now, create=False)
    try:
        yield db
    finally:
        db.close()


def _sound(db: SqliteDb) -> None:
    said = db.pragma("integrity_check")
    if said != "ok":
        raise StoreCorrupt(path=db.path, reason=str(said))
    altered = [str(row["id"]) for row, sound in row_checksums.checked(db) if not sound]
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
