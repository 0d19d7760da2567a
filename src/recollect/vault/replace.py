"""
Replacing a note so that nobody's words are lost: whole or not at all, and what was there is looked at afterwards.

Between the last look at a file and the moment a new one takes its place somebody may write to it. So the two change
places in one step, where the system can do that, and what comes out is compared with what was expected. A program that
had the old file open may still write to it: that one is looked at again a little later (`Displaced`).
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

from recollect.errors import BadInput
from recollect.events.locks import sync_folder
from recollect.model.value import dataclass
from recollect.vault.files import read_open

# So begin and end the names of files that are about to become notes.
TEMPORARY = (".recollect-", ".tmp")
_EXCHANGE = 2
_AT_FDCWD = -100
_BUSY_SECONDS = 0.05
_MAX_TRIES = 20
_SETTLING_SECONDS = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Displaced:
    """A file that gave way, still open: what it held then, to see later whether somebody wrote to it after all."""

    descriptor: int
    content: bytes

    def written_since(self) -> bytes | None:
        """What was written to it since, if anything."""
        now = settled(self.descriptor, self.content)
        return now if now != self.content else None

    def close(self) -> None:
        """Let it go."""
        os.close(self.descriptor)


def create_file(place: Path, content: bytes) -> os.stat_result | None:
    """Put a new file in place, whole, and say what the system says of it; None if one of that name is there already."""
    temporary, status = _write_beside(place, content)
    try:
        if sys.platform == "win32":
            os.rename(temporary, place)  # noqa: PTH104  # refuses to replace, where Path.rename promises nothing
        else:
            os.link(temporary, place)
            temporary.unlink()
    except FileExistsError:
        temporary.unlink()
        return None
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP):
            raise
        # A file system without hard links.
        if place.exists():
            temporary.unlink()
            return None
        temporary.replace(place)
    sync_folder(place.parent)
    return status


def replace_file(place: Path, content: bytes) -> tuple[os.stat_result, Displaced]:
    """Put a file in the place of another; what was there comes back open, as it was when it gave way."""
    temporary, status = _write_beside(place, content)
    swap = _swapping()
    if swap is not None and swap(temporary, place):
        descriptor = _open(temporary)
        temporary.unlink()
    else:
        descriptor = _open(place)
        _take_place(temporary, place)
    sync_folder(place.parent)
    return status, Displaced(descriptor=descriptor, content=settled(descriptor, None))


def settled(descriptor: int, before: bytes | None) -> bytes:
    """The content of an open file that nobody is in the middle of writing: an empty one is looked at again."""
    content = read_open(descriptor)
    for _ in range(_MAX_TRIES):
        is_cut = not content or (before is not None and content != before and before.startswith(content))
        if not is_cut:
            break
        time.sleep(_SETTLING_SECONDS)
        again = read_open(descriptor)
        if again == content:
            break
        content = again
    return content


def is_temporary(name: str) -> bool:
    """Whether a file of this name was about to become a note."""
    return name.startswith(TEMPORARY[0]) and name.endswith(TEMPORARY[1])


def _write_beside(place: Path, content: bytes) -> tuple[Path, os.stat_result]:
    place.parent.mkdir(parents=True, exist_ok=True)
    temporary = place.with_name(f"{TEMPORARY[0]}{os.urandom(8).hex()}{TEMPORARY[1]}")
    try:
        mode = place.stat().st_mode & 0o777
    except OSError:
        mode = 0o666
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(descriptor)
        # Of this very file: by the time it could be looked up by name, somebody may have put another there.
        return temporary, os.fstat(descriptor)


def _open(place: Path) -> int:
    return os.open(place, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))


def _take_place(temporary: Path, place: Path) -> None:
    for left in range(_MAX_TRIES, -1, -1):
        try:
            temporary.replace(place)
            return
        except PermissionError:  # Windows: another program has it open just now
            if not left:
                temporary.unlink(missing_ok=True)
                raise BadInput(reason=f"{place.name} is held open by another program; try again") from None
            time.sleep(_BUSY_SECONDS)


@cache
def _swapping() -> Callable[[Path, Path], bool] | None:
    """How two files change places on this system; None where it has no such call."""
    if sys.platform == "win32":
        return None
    library = ctypes.CDLL(None, use_errno=True)
    if sys.platform == "darwin":
        call = getattr(library, "renamex_np", None)
        return call and (lambda one, other: _done(call(os.fsencode(one), os.fsencode(other), _EXCHANGE)))
    call = getattr(library, "renameat2", None)
    return call and (
        lambda one, other: _done(
            call(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), ctypes.c_uint(_EXCHANGE))
        )
    )


def _done(result: int) -> bool:
    """Whether the exchange was made; a file system that cannot do it is no error."""
    if result == 0:
        return True
    number = ctypes.get_errno()
    if number in (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOENT):
        return False
    raise OSError(number, os.strerror(number))
