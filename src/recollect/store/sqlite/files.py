"""Files and folders as a store needs them: private, with their names on disk, and with room to write."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from recollect.errors import StoreFull, StoreReadOnly

# The index of a log takes 32 KB; with less room nothing can be opened.
_LEAST = 64 * 1024


def make_private(file: Path) -> None:
    """A file of this name is there, for its owner alone if it is new."""
    try:
        made = [folder for folder in file.parents if not folder.exists()]
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not file.exists():
            os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
            for folder in (file.parent, *(new.parent for new in made)):
                sync_folder(folder)
    except FileExistsError:
        if not file.exists():  # a folder on the way is a file
            raise StoreReadOnly(path=file, reason=f"{file.parent} is not a folder") from None
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StoreFull(path=file) from error
        raise StoreReadOnly(path=file, reason=error.strerror or str(error)) from error


def sync_folder(folder: Path) -> None:
    """Put the names in a folder on disk: a file whose name is lost with the power is lost too."""
    if (
        os.name != "posix"
    ):  # elsewhere a folder cannot be opened for this, and its names are kept with its files
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # a file system that does not know the question
            raise
    finally:
        os.close(descriptor)


def has_room(file: Path) -> bool:
    """Whether the disk that holds a file has room for more; where the system does not say, it has."""
    if not hasattr(os, "statvfs"):
        return True
    try:
        found = os.statvfs(file.parent)
    except OSError:
        return True
    return found.f_bavail * found.f_frsize >= _LEAST


def on_read_only_mount(file: Path) -> bool:
    """Whether the whole file system may only be read: not by us alone, but by anybody."""
    if not hasattr(os, "statvfs"):
        return False
    try:
        return bool(os.statvfs(file.parent).f_flag & os.ST_RDONLY)
    except OSError:
        return False
