"""
Files as a store needs them: private, names on disk, room to write; and whether they lie on a network.

A write-ahead log needs memory that all its users share and locks that hold at once. File systems that come over a
wire (and most that run in user space) promise neither, so there the store does without the log.
"""

from __future__ import annotations

import errno
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

from recollect.errors import StoreFull, StoreReadOnly
from recollect.events.locks import sync_folder

# The index of a log takes 32 KB; with less room nothing can be opened.
_MIN_FREE_BYTES = 64 * 1024


def ensure_private_file(file: Path) -> None:
    """A file of this name is there, for its owner alone if it is new."""
    try:
        new_folders = [folder for folder in file.parents if not folder.exists()]
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not file.exists():
            os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
            for folder in (file.parent, *(new.parent for new in new_folders)):
                sync_folder(folder)
    except FileExistsError:
        if not file.exists():  # a folder on the way is a file
            raise StoreReadOnly(path=file, reason=f"{file.parent} is not a folder") from None
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StoreFull(path=file) from error
        raise StoreReadOnly(path=file, reason=error.strerror or str(error)) from error


def has_room(file: Path) -> bool:
    """Whether the disk that holds a file has room for more; where the system does not say, it has."""
    if not hasattr(os, "statvfs"):
        return True
    try:
        disk = os.statvfs(file.parent)
    except OSError:
        return True
    return disk.f_bavail * disk.f_frsize >= _MIN_FREE_BYTES


def is_on_read_only_mount(file: Path) -> bool:
    """Whether the whole file system may only be read: not by us alone, but by anybody."""
    if not hasattr(os, "statvfs"):
        return False
    try:
        return bool(os.statvfs(file.parent).f_flag & os.ST_RDONLY)
    except OSError:
        return False


# What the kernels call file systems that more than one machine may have open.
_NETWORK = frozenset(
    "9p acfs afpfs afs beegfs ceph cifs coda davfs davfs2 drvfs gfs gfs2 glusterfs gpfs lustre ncpfs nfs nfs4 "
    "ocfs2 orangefs panfs prl_fs pvfs2 smb2 smb3 smbfs vboxsf virtiofs vmhgfs webdav wekafs".split()
)
# In user space, but over a disk of this machine.
_LOCAL_FUSE = frozenset(
    {"fuseblk", "fuse.ecryptfs", "fuse.encfs", "fuse.gocryptfs", "fuse.ntfs-3g", "fuse.exfat"}
)
_ESCAPED = re.compile(r"\\([0-7]{3})")
_REMOTE_DRIVE = 4
# Where macOS keeps the name in what statfs fills in.
_MAC_NAME = slice(72, 88)

MountTable = Callable[[], str]


def find_network(file: Path, mounts: MountTable | None = None) -> str:
    """The name of the network file system that holds this file; empty for one of this machine, or if unknown."""
    kind = find_file_system(file, mounts)
    local = kind in _LOCAL_FUSE or not (kind in _NETWORK or kind.startswith("fuse"))
    return "" if local else kind


def find_file_system(file: Path, mounts: MountTable | None = None) -> str:
    """What the system calls the file system that holds this file; empty if it does not say."""
    place = _find_existing(file)
    try:
        if mounts is not None or sys.platform.startswith("linux"):
            return _by_mount_table(place, (mounts or _read_mountinfo)())
        if sys.platform == "darwin":
            return _by_statfs(place)
        if sys.platform == "win32":
            return _by_drive(place)
    except (OSError, ValueError, AttributeError):  # a sandbox may hide it; then we know nothing against it
        pass
    return ""


def _find_existing(file: Path) -> Path:
    """The nearest folder on the way that is there already, without links."""
    real = Path(os.path.realpath(file))
    return next((place for place in (real, *real.parents) if place.exists()), real)


def _read_mountinfo() -> str:
    return Path("/proc/self/mountinfo").read_text("utf-8", "surrogateescape")


def _by_mount_table(place: Path, table: str) -> str:
    best = (0, "")
    for line in table.splitlines():
        before, dash, after = line.partition(" - ")
        words = before.split(" ")
        if not dash or len(words) < 5:
            continue
        point = Path(_ESCAPED.sub(lambda match: chr(int(match[1], 8)), words[4]))
        # The last of several mounts on one point lies on top.
        if place.is_relative_to(point) and len(point.parts) >= best[0]:
            best = (len(point.parts), after.split(" ")[0])
    return best[1]


def _by_statfs(place: Path) -> str:
    # Here alone: on Linux, where most hooks run, nobody needs it.
    import ctypes

    filled = ctypes.create_string_buffer(4096)
    if ctypes.CDLL(None, use_errno=True).statfs(os.fsencode(place), filled) != 0:
        return ""
    return filled.raw[_MAC_NAME].split(b"\0")[0].decode("ascii", "replace")


def _by_drive(place: Path) -> str:
    if place.drive.startswith("\\\\"):
        return "smbfs"
    import ctypes

    ask = getattr(ctypes, "windll").kernel32.GetDriveTypeW  # noqa: B009 - there only on Windows
    return "smbfs" if ask(place.anchor) == _REMOTE_DRIVE else ""


def has_commit_count(file: Path) -> bool:
    """Whether a count of commits lies beside a file: then it is a store of ours, whatever became of its first bytes."""
    return file.with_name(f"{file.name}.commits").exists()


# The byte of the log's index that whoever writes has locked, as SQLite's file format says.
_WRITE_LOCK = "120"


def find_lock_holder(file: Path) -> str:
    """The process that is writing to a database, by number and name, where the system tells; else nothing."""
    try:
        inode = str(file.with_name(f"{file.name}-shm").stat().st_ino)
        locks = [line.split() for line in Path("/proc/locks").read_text("ascii").splitlines()]
        pid = next(
            words[4]
            for words in locks
            if "->" not in words
            and words[3] == "WRITE"
            and words[5].endswith(f":{inode}")
            and words[6] == _WRITE_LOCK
        )
        return f"process {pid} ({Path('/proc', pid, 'comm').read_text('utf-8').strip()})"
    except (OSError, ValueError, StopIteration, IndexError):
        return ""
