"""Files that several processes write to: opened so that each may append, and locked while one does."""

from __future__ import annotations

import os
import sys


def open_private(path: str) -> int:
    """The file of this name, open to be appended to and readable by its owner alone; made with its folder if new."""
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    try:
        return os.open(path, flags, 0o600)
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path) or ".", 0o700, exist_ok=True)  # noqa: PTH103, PTH120
        return os.open(path, flags, 0o600)


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
