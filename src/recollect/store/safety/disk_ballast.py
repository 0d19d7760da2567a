"""
Disk ballast: a file beside the database that is given up on a full disk, so that something can be forgotten.

On a full disk even a deletion fails, because it must be written down first. The reserve is made with the store,
released when `forget` or `purge` meet a full disk, and made again when there is room.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from recollect.errors import StoreFull
from recollect.events.locks import open_own_file
from recollect.store.db import Db

SIZE = 512 * 1024
TO_OPEN = 64 * 1024
Answer = TypeVar("Answer")


def ballast_path(db_path: str) -> Path:
    """Where the reserve of a database lies."""
    return Path(f"{db_path}.reserve")


def ensure_ballast(db_path: str, size: int = SIZE) -> None:
    """See to it that there is a reserve; a disk without room for it goes without."""
    file = ballast_path(db_path)
    with suppress(OSError):
        if file.lstat().st_size >= size and not file.is_symlink():
            return
    with suppress(OSError):
        descriptor = open_own_file(file, os.O_APPEND)
        try:
            _fill(descriptor, size)
        finally:
            os.close(descriptor)


def _fill(descriptor: int, size: int) -> None:
    present_bytes = os.fstat(descriptor).st_size
    try:
        # Chance, not zeros: a file system that packs zeros would keep no room for them.
        if os.write(descriptor, os.urandom(size - present_bytes)) < size - present_bytes:
            raise OSError(errno.ENOSPC, "there was room for a part of it only")
    except OSError:  # no more than there was: what is full should not be filled to the last byte by us
        os.ftruncate(descriptor, present_bytes)


def release_ballast(db_path: str) -> bool:
    """Give the room back; whether there was any."""
    try:
        ballast_path(db_path).unlink()
    except OSError:
        return False
    return True


def run_with_ballast(db: Db, act: Callable[[], Answer]) -> Answer:
    """Do something that makes room in the end; if the disk is full, once more with the reserve released."""
    try:
        return act()
    except StoreFull:
        if not release_ballast(db.path):
            raise
        return act()
