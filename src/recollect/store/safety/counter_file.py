"""
The number of the last commit, kept outside the database: a small file beside it, `NAME.commits`.

SQLite does not tell when its log was deleted, cut short or damaged; it goes on from the commits it can still see. The
database counts its commits inside, this file repeats the count outside, and whoever opens the store compares.

What can be promised: the file is written after a commit is on disk, so it never leads. When a process is killed it lags
by at most the one commit that process had just made. It is forced to disk only now and then, since doing so at every
commit would double the price of a memory; so after a power cut it may lag by what the system had not written yet.
A lag hides nothing but itself: the count of missing commits is then a little too low.

Every process writes to a place of its own, chosen by its number, and the highest place counts: no lock is needed.
"""

from __future__ import annotations

import os
import re
import zlib
from contextlib import suppress
from pathlib import Path

from recollect.model.value import dataclass

_PLACES = 64
_WIDTH = 64
_SYNC_EVERY = 32
_ENTRY = re.compile(rb"([0-9a-f]{1,32}) (\d{1,20}) ([0-9a-f]{8})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mirrored:
    """What the mirror says: which store, and how many commits it has seen."""

    store: str
    commits: int


def file_of(db_path: str) -> Path:
    """Where the mirror of a database lies."""
    return Path(f"{db_path}.commits")


def read(db_path: str) -> Mirrored | None:
    """The highest count in the mirror; None if there is no mirror, or nothing legible in it."""
    try:
        content = file_of(db_path).read_bytes()
    except OSError:
        return None
    entries = (_entry(content[start : start + _WIDTH]) for start in range(0, len(content), _WIDTH))
    return max((entry for entry in entries if entry), key=lambda entry: entry.commits, default=None)


def reset(db_path: str, told: Mirrored) -> None:
    """Let the mirror say this and nothing else; in place, since others may have it open."""
    with suppress(OSError), _opened(file_of(db_path)) as file:
        file.write(0, _written(told) + b"\n" * (_WIDTH * (_PLACES - 1)))
        file.sync()


class Mirror:
    """The mirror as one process writes it. A mirror that cannot be written is no reason to fail a commit."""

    def __init__(self, db_path: str, store: str) -> None:
        self._path = file_of(db_path)
        self._store = store
        self._file: _File | None = None
        self._unsynced = 0

    def tell(self, commits: int) -> None:
        """That many commits are on disk now."""
        with suppress(OSError):
            if self._file is None:
                self._file = _opened(self._path)
            place = os.getpid() % _PLACES
            self._file.write(place * _WIDTH, _written(Mirrored(store=self._store, commits=commits)))
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


def _opened(path: Path) -> _File:
    file = _File(os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600))
    if path.stat().st_size < _PLACES * _WIDTH:  # its whole size at once: a full disk later cannot stop it
        file.write(path.stat().st_size, b"\n" * (_PLACES * _WIDTH - path.stat().st_size))
    return file


def _written(told: Mirrored) -> bytes:
    words = f"{told.store} {told.commits}".encode()
    return (words + f" {zlib.crc32(words):08x}".encode()).ljust(_WIDTH - 1) + b"\n"


def _entry(line: bytes) -> Mirrored | None:
    match = _ENTRY.match(line)
    if match is None or zlib.crc32(line[: match.end(2)]) != int(match[3], 16):
        return None
    return Mirrored(store=match[1].decode(), commits=int(match[2]))
