"""
The commit counter: counting commits inside the database and in a small file beside it, to notice when some are missing.

SQLite does not tell when its log was deleted, cut short or damaged; it goes on from the commits it can still see. The
number lies in `meta` and goes up by one in every transaction that changes something. The file `NAME.commits` repeats it
outside, and whoever opens the store compares. A loss is noted in the store and reported until
`recollect doctor --fix` has dealt with it.

What can be promised: the file is written after a commit is on disk, so it never leads. When a process is killed it lags
by at most the one commit that process had just made. It is forced to disk only now and then, since doing so at every
commit would double the price of a memory; so after a power cut it may lag by what the system had not written yet.
A lag hides nothing but itself: the count of missing commits is then a little too low.

Every process writes to a place of its own, chosen by its number, and the highest place counts: no lock is needed.
"""

from __future__ import annotations

import json
import os
import re
import zlib
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from recollect.events.bounded_read import read_beginning
from recollect.events.gate_words import drop_gate_words
from recollect.events.locks import open_own_file
from recollect.model.value import asdict, dataclass
from recollect.store.db import Db
from recollect.store.safety import snapshots
from recollect.store.sqlite.driver import SqliteDb
from recollect.store.tables import meta

_PLACES = 64
_WIDTH = 64
_SYNC_EVERY = 32
_ENTRY = re.compile(rb"([0-9a-f]{1,32}) (\d{1,20}) ([0-9a-f]{8})")


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitRecord:
    """What the mirror says: which store, and how many commits it has seen."""

    store: str
    commits: int


def counter_path(db_path: str) -> Path:
    """Where the mirror of a database lies."""
    return Path(f"{db_path}.commits")


def read_counter(db_path: str) -> CommitRecord | None:
    """The highest count in the mirror; None if there is no mirror, or nothing legible in it."""
    try:
        content = read_beginning(counter_path(db_path), _PLACES * _WIDTH)
    except OSError:
        return None
    entries = (_parse_entry(content[start : start + _WIDTH]) for start in range(0, len(content), _WIDTH))
    return max((entry for entry in entries if entry), key=lambda entry: entry.commits, default=None)


def is_illegible(db_path: str) -> bool:
    """Whether there is a mirror with something in it that cannot be read."""
    try:
        return bool(read_beginning(counter_path(db_path), _PLACES * _WIDTH).strip())
    except OSError:
        return False


def write_counter(db_path: str, record: CommitRecord) -> None:
    """Let the mirror say this and nothing else; in place, since others may have it open."""
    with suppress(OSError), _open_file(counter_path(db_path)) as file:
        file.write(0, _format_entry(record) + b"\n" * (_WIDTH * (_PLACES - 1)))
        file.sync()


class CounterFile:
    """The mirror as one process writes it. A mirror that cannot be written is no reason to fail a commit."""

    def __init__(self, db_path: str, store: str) -> None:
        self._path = counter_path(db_path)
        self._store = store
        self._file: _File | None = None
        self._unsynced = 0

    def tell(self, commits: int) -> None:
        """That many commits are on disk now."""
        with suppress(OSError):
            if self._file is None:
                self._file = _open_file(self._path)
            place = os.getpid() % _PLACES
            self._file.write(place * _WIDTH, _format_entry(CommitRecord(store=self._store, commits=commits)))
            self._unsynced += 1
            if self._unsynced >= _SYNC_EVERY:
                self._file.sync()
                self._unsynced = 0

    def close(self) -> None:
        """Give the file back."""
        if self._file is not None:
            self._file.close()
            self._file = None


class _File:
    """A file of fixed size, written in place."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def write(self, offset: int, data: bytes) -> None:
        os.lseek(self._descriptor, offset, os.SEEK_SET)
        os.write(self._descriptor, data)

    def sync(self) -> None:
        os.fsync(self._descriptor)

    def close(self) -> None:
        with suppress(OSError):
            os.close(self._descriptor)

    def __enter__(self) -> _File:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _open_file(path: Path) -> _File:
    descriptor = open_own_file(path)
    file, size = _File(descriptor), os.fstat(descriptor).st_size
    if size < _PLACES * _WIDTH:  # its whole size at once: a full disk later cannot stop it
        file.write(size, b"\n" * (_PLACES * _WIDTH - size))
    return file


def _format_entry(record: CommitRecord) -> bytes:
    words = f"{record.store} {record.commits}".encode()
    return (words + f" {zlib.crc32(words):08x}".encode()).ljust(_WIDTH - 1) + b"\n"


def _parse_entry(line: bytes) -> CommitRecord | None:
    match = _ENTRY.match(line)
    if match is None or zlib.crc32(line[: match.end(2)]) != int(match[3], 16):
        return None
    return CommitRecord(store=match[1].decode(), commits=int(match[2]))


_LOSSES = "losses"


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """So many commits are gone after one that is still there; `missing` is 0 when only that much is known."""

    noticed_at: str
    after: int
    missing: int

    def describe(self) -> str:
        """The loss as a sentence."""
        if not self.missing:
            return "the log or the file beside it belongs to another store"
        commits_gone = "1 commit is" if self.missing == 1 else f"{self.missing} commits are"
        return f"{commits_gone} missing after number {self.after}"


def watch_commits(db: SqliteDb, mirrored: CommitRecord | None, now: datetime) -> None:
    """
    Compare the count inside with the one outside, and count from now on.

    `mirrored` must have been read before the database: then it can only be lower, unless commits are missing.
    """
    store, counted = _read_count(db)
    loss = _find_loss(store, counted, mirrored, now)
    if loss is not None and not db.network:
        snapshots.keep_log(db.path, counted)
    if not db.read_only:
        if loss is not None:
            _note_loss(db, loss)
        db.commits = CommitCounter(db, CounterFile(db.path, store))
        if loss is not None:
            write_counter(db.path, CommitRecord(store=store, commits=_read_count(db)[1]))
    losses = [*list_losses(db), *([loss] if loss is not None and db.read_only else [])]
    db.losses = tuple(each.describe() for each in losses)


def list_losses(db: Db) -> list[Loss]:
    """The losses that were noticed and not dealt with yet."""
    return [Loss(**loss) for loss in json.loads(meta.read_meta(db, _LOSSES) or "[]")]


def settle_losses(db: SqliteDb) -> None:
    """What could be done about the losses was done: the store counts on from where it is."""
    meta.save_meta(db, _LOSSES, "[]")
    reset_counter(db, db.path)
    db.losses = ()


def reset_counter(db: SqliteDb, db_path: str) -> None:
    """Let the mirror beside a file say what this store says, which was just put there."""
    store, counted = _read_count(db)
    write_counter(db_path, CommitRecord(store=store, commits=counted))


class CommitCounter:
    """Goes up by one with every transaction of a connection that changed something."""

    def __init__(self, db: SqliteDb, beside: CounterFile) -> None:
        self._db = db
        self._beside = beside

    def count(self) -> int:
        """One more; part of the transaction that is about to be committed."""
        return int(self._db.rows("commit_count")[0]["value"])

    def committed(self, number: int) -> None:
        """That one is on disk now."""
        self._beside.tell(number)
        # What hooks may speak of has changed, perhaps.
        drop_gate_words(self._db.path)

    def close(self) -> None:
        """No more will come."""
        self._beside.close()


def _read_count(db: SqliteDb) -> tuple[str, int]:
    return meta.read_meta(db, "store") or "", int(meta.read_meta(db, "commits") or 0)


def _find_loss(store: str, counted: int, mirrored: CommitRecord | None, now: datetime) -> Loss | None:
    if mirrored is None or (mirrored.store == store and mirrored.commits <= counted):
        return None
    missing = mirrored.commits - counted if mirrored.store == store else 0
    return Loss(noticed_at=now.isoformat(), after=counted, missing=missing)


def _note_loss(db: SqliteDb, loss: Loss) -> None:
    with db.transaction():
        # Asked again inside the transaction: another process may have noted it while we waited.
        _, counted = _read_count(db)
        if counted != loss.after or any(other.after == loss.after for other in list_losses(db)):
            return
        meta.save_meta(db, _LOSSES, json.dumps([asdict(each) for each in (*list_losses(db), loss)]))
        if loss.missing:
            # The count goes on above what is gone: the same number never stands for two commits.
            meta.save_meta(db, "commits", str(loss.after + loss.missing))
