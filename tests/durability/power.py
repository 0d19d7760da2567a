"""
A disk whose power can be cut, under the real SQLite: what was not synced may be lost, in part or torn.

Every write goes to the real file, so that the store works; beside it stands what the disk has promised to keep. A cut
takes that and adds to it, by chance, some of the sectors written since: none, some in any order, or all of them. A file
whose name was never synced may be gone, one whose removal was not may be back. The outcome is written to another
folder, so that one run can be cut many times and goes on.
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import apsw

SECTOR = 512
_NAME = "power"
_NEW_NAMES = apsw.SQLITE_OPEN_WAL | apsw.SQLITE_OPEN_MAIN_JOURNAL
# Shared memory is memory: it goes with the power, and is made anew.
_SHARED = re.compile(r"-shm$")


@dataclass(slots=True)
class _Kept:
    """One file as the disk has it: what is safe, and what was written since."""

    safe: bytearray = field(default_factory=bytearray)
    since: list[tuple[int, bytes] | int] = field(default_factory=list)  # a write, or a new length
    named: bool = False  # whether its name is safe


class Disk(apsw.VFS):
    """The file system while it stands in for the real one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files: dict[str, _Kept] = {}
        self.removed: dict[str, _Kept] = {}
        self.operations = 0
        self.syncs = 0
        self.before: Callable[[int, str], None] = lambda number, what: None
        super().__init__(_NAME, "unix", makedefault=True)

    def xOpen(self, name: apsw.URIFilename | str | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        if path and Path(path).parent == self.folder:
            if path not in self.files:
                new = not Path(path).exists()
                self.files[path] = _Kept() if new else _Kept(safe=bytearray(Path(path).read_bytes()))
            return _OnDisk(self, path, name, flags)
        return apsw.VFSFile("unix", name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        if not Path(filename).exists():  # SQLite does not mind; told as an exception it would surface
            return
        if Path(filename).parent == self.folder:
            self.step("delete", filename)
        super().xDelete(filename, syncdir)
        kept = self.files.pop(filename, None)
        if syncdir:
            self.names_are_safe()
        elif kept is not None:
            self.removed[filename] = kept

    def step(self, what: str, path: str) -> None:
        self.operations += 1
        self.before(self.operations, f"{what} {Path(path).name}")

    def names_are_safe(self) -> None:
        """The folder was synced."""
        self.removed.clear()
        for kept in self.files.values():
            kept.named = True

    def cut(self, chance: random.Random, into: Path) -> Path:
        """The power goes: what is left, in another folder."""
        into.mkdir()
        luck = chance.choice([0.0, 0.5, 0.9, 1.0])
        for path, kept in {**self.removed, **self.files}.items():
            # A name that was never synced may be gone; one whose removal was not may be back.
            unsure = not kept.named or path not in self.files
            if _SHARED.search(path) or (unsure and chance.random() < 0.5):
                continue
            (into / Path(path).name).write_bytes(_after(kept, chance, luck))
        return into


class _OnDisk(apsw.VFSFile):
    def __init__(self, disk: Disk, path: str, name: object, flags: list[int]) -> None:
        self._disk = disk
        self._path = path
        self._syncs_name = bool(flags[0] & _NEW_NAMES and flags[0] & apsw.SQLITE_OPEN_CREATE)
        super().__init__("unix", name, flags)  # type: ignore[arg-type]

    @property
    def _kept(self) -> _Kept:
        return self._disk.files.setdefault(self._path, _Kept())

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        self._disk.step("write", self._path)
        super().xWrite(data, offset)
        self._kept.since.append((offset, bytes(data)))

    def xLock(self, level: int) -> None:  # noqa: N802
        try:
            super().xLock(level)
        except (
            apsw.IOError
        ):  # who may only read tries for a lock at the end, and does not mind; an exception would surface
            raise apsw.BusyError("no lock for readers") from None

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        self._disk.step("truncate", self._path)
        super().xTruncate(newsize)
        self._kept.since.append(newsize)

    def xSync(self, flags: int) -> None:  # noqa: N802
        self._disk.step("sync", self._path)
        self._disk.syncs += 1
        kept = self._kept
        for change in kept.since:
            _apply(kept.safe, change)
        kept.since.clear()
        if self._syncs_name:  # as SQLite's own does for a log or journal it has made
            self._disk.names_are_safe()
            self._syncs_name = False


@contextmanager
def disk_with_power(folder: Path) -> Iterator[Disk]:
    """A disk in the place of the real one for the files of a folder; a folder that is synced keeps its names."""
    disk = Disk(folder)
    real = os.fsync

    def fsync(descriptor: int) -> None:
        if Path(f"/proc/self/fd/{descriptor}").resolve() == folder.resolve():
            disk.names_are_safe()
        real(descriptor)

    os.fsync = fsync
    try:
        yield disk
    finally:
        os.fsync = real
        disk.unregister()


def _after(kept: _Kept, chance: random.Random, luck: float) -> bytes:
    left = bytearray(kept.safe)
    for change in kept.since:
        if isinstance(change, int):
            if chance.random() < luck:
                _apply(left, change)
            continue
        offset, data = change
        for start in range(0, len(data), SECTOR):
            if chance.random() < luck:
                _apply(left, (offset + start, data[start : start + SECTOR]))
    return bytes(left)


def _apply(content: bytearray, change: tuple[int, bytes] | int) -> None:
    if isinstance(change, int):
        del content[change:]
        return
    offset, data = change
    if len(content) < offset:
        content.extend(bytes(offset - len(content)))
    content[offset : offset + len(data)] = data
