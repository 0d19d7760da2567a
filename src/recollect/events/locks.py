"""Files that several processes write to: opened so that each may append, locked while one does, their names on disk."""

from __future__ import annotations

import errno
import os
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

_POLL_SECONDS = 0.05
_OWN_FLAGS = (
    os.O_RDWR
    | os.O_CREAT
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_BINARY", 0)
)


def open_private(path: str) -> int:
    """The file of this name, open to be appended to and readable by its owner alone; made with its folder if new."""
    try:
        return open_own_file(path, os.O_APPEND)
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path) or ".", 0o700, exist_ok=True)  # noqa: PTH103, PTH120
        return open_own_file(path, os.O_APPEND)


def open_own_file(path: str | os.PathLike[str], more_flags: int = 0) -> int:
    """
    A regular file of ours, open to be read and written, made for its owner alone if new.

    A link in its place was planted by somebody, and a pipe too: neither is opened.
    """
    if os.path.islink(path):  # noqa: PTH114 - not every system can be told to follow no link
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), os.fspath(path))
    descriptor = os.open(path, _OWN_FLAGS | more_flags, 0o600)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise OSError(errno.EINVAL, "is no regular file", os.fspath(path))


if sys.platform == "win32":
    import msvcrt

    # Locks there are for bytes; one far behind the end is nobody's data.
    _LOCKED_BYTE = 1 << 40

    def lock(file: int, *, wait: bool) -> bool:
        """Lock an open file for this process; False if another has it, and we do not wait."""
        os.lseek(file, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(file, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            os.lseek(file, 0, os.SEEK_SET)
        return True

else:
    import fcntl

    def lock(file: int, *, wait: bool) -> bool:
        """Lock an open file for this process; False if another has it, and we do not wait."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except OSError:
            return False
        return True


def lock_within(file: int, seconds: float) -> bool:
    """Lock an open file for this process; False if another still has it after so many seconds."""
    until = time.monotonic() + seconds
    while not lock(file, wait=False):
        if time.monotonic() >= until:
            return False
        time.sleep(_POLL_SECONDS)
    return True


@contextmanager
def process_lock(path: str, seconds: float) -> Iterator[None]:
    """
    Hold a lock on a file, which ends with the process; no other process is inside.

    It is waited for so many seconds at most, then the work goes on all the same.
    """
    file = open_private(path)
    try:
        lock_within(file, seconds)
        yield
    finally:
        os.close(file)


def sync_folder(folder: str | os.PathLike[str]) -> None:
    """Put the names in a folder on disk: a file whose name is lost with the power is lost too."""
    # Elsewhere a folder cannot be opened for this, and its names are kept with its files.
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # a file system that does not know the question
            raise
    finally:
        os.close(descriptor)
