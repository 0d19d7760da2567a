"""
The walls of the room in which clients run. Called first thing by the process inside, in namespaces of its own.

Nothing of this reaches the machine: mounts and the network are this process's own, and go with it.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import socket
import struct
from collections.abc import Iterable, Sequence
from pathlib import Path

_SIOCSIFFLAGS = 0x8914
_IFF_UP = 0x1
_READ_ONLY, _REMOUNT, _BIND, _MOVE, _RECURSIVE, _PRIVATE = 1, 32, 4096, 8192, 16384, 1 << 18
_KEPT_WAYS = os.ST_NOSUID | os.ST_NODEV | os.ST_NOEXEC | os.ST_NOATIME | os.ST_NODIRATIME
_RELATIVE_TIMES = 1 << 21
# Not files of anybody: they stay as they are.
_NO_FILES = frozenset(
    "proc sysfs cgroup cgroup2 devtmpfs devpts mqueue securityfs debugfs tracefs bpf".split()
)


def put_up(*, hide: Sequence[Path], keep: Sequence[Path], write: Sequence[Path]) -> None:
    """Only loopback; `hide` is empty but for what is kept; only `write`, and what was emptied, can be written."""
    _loopback_up()
    _mount("none", Path("/"), _PRIVATE | _RECURSIVE)
    _lock()
    for folder in _outermost(hide):
        _empty(folder, [*keep, *write])
    for folder in write:
        _mount(folder, folder, _BIND)
        _mount("none", folder, _REMOUNT | _BIND | _ways_of(folder))
    _mount("proc", Path("/proc"), 0, "proc")


def _loopback_up() -> None:
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", _IFF_UP))


def _lock() -> None:
    """Every disk becomes read-only."""
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        before, _, after = line.partition(" - ")
        device, place = before.split()[2], Path(before.split()[4].replace("\\040", " "))
        if after.split()[0] not in _NO_FILES and not place.is_relative_to("/dev") and _is_seen(place, device):
            _mount("none", place, _REMOUNT | _BIND | _READ_ONLY | _ways_of(place))


def _is_seen(place: Path, device: str) -> bool:
    """Whether the mount is what one finds there; another may have been put over it."""
    try:
        found = place.stat().st_dev
    except OSError:
        return False
    return device == f"{os.major(found)}:{os.minor(found)}"


def _ways_of(place: Path) -> int:
    """How it is mounted besides; who is not root may add to that but take nothing away."""
    ways = os.statvfs(place).f_flag
    return ways & _KEPT_WAYS | (_RELATIVE_TIMES if ways & os.ST_RELATIME else 0)


def _empty(folder: Path, keep: Iterable[Path]) -> None:
    """Put an empty folder in its place, with what is kept inside it at the same place as before."""
    # Built elsewhere and moved over: once the folder is covered, what is to be kept could no longer be named.
    fresh = Path("/mnt")
    _mount("tmpfs", fresh, 0, "tmpfs", "mode=1777")
    for kept in _outermost(kept for kept in keep if kept.is_relative_to(folder)):
        place = fresh / kept.relative_to(folder)
        place.mkdir(parents=True)
        _mount(kept, place, _BIND)
    _mount(fresh, folder, _MOVE)


def _outermost(folders: Iterable[Path]) -> list[Path]:
    found: list[Path] = []
    for folder in sorted(set(folders), key=lambda path: len(path.parts)):
        if not any(folder.is_relative_to(outer) for outer in found):
            found.append(folder)
    return found


def _mount(what: Path | str, place: Path, flags: int, kind: str = "", options: str = "") -> None:
    # The call itself, not the program: the program keeps a list of its own on a disk that is read-only by now.
    words = [str(word).encode() for word in (what, place, kind)]
    if ctypes.CDLL(None, use_errno=True).mount(*words, ctypes.c_ulong(flags), options.encode()):
        why = os.strerror(ctypes.get_errno())
        raise OSError(f"{place} could not be walled off: {why}")
