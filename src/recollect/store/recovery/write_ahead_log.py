"""The write-ahead log of a damaged store, read frame by frame: SQLite itself stops at the first that is bad."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

_MAGIC = (0x377F0682, 0x377F0683)
_HEADER = 32
_FRAME = 24
# What we make stores with, if neither file nor log can say it.
_USUAL_PAGE_SIZE = 4096
# No store of ours is larger than this many pages; a larger number is damage.
_MOST_PAGES = 1 << 28


def replay_frames(damaged: Path, logs: list[Path], target: Path) -> bool:
    """Write a copy of a store with every page of its logs put in, whatever the checksums say; False without any."""
    size = find_page_size(damaged, logs)
    frames = [frame for log in logs for frame in read_frames(log, size)]
    if not frames:
        return False
    shutil.copyfile(damaged, target)
    with target.open("r+b") as stream:
        for page, content in frames:
            stream.seek((page - 1) * size)
            stream.write(content)
    return True


def read_frames(log: Path, size: int) -> Iterator[tuple[int, bytes]]:
    """The pages of a log by number, in the order they were written."""
    content = log.read_bytes() if log.is_file() else b""
    starts = range(_HEADER, len(content) - _FRAME - size + 1, _FRAME + size)
    salt = _find_salt(content, starts)
    for at in starts:
        page = int.from_bytes(content[at : at + 4], "big")
        # Frames of an earlier round of the log carry other salts: they are older than what is in the file.
        if 0 < page < _MOST_PAGES and content[at + 8 : at + 16] == salt:
            yield page, content[at + _FRAME : at + _FRAME + size]


def find_page_size(damaged: Path, logs: list[Path]) -> int:
    """How large the pages are: as a log says, or the file, or as they usually are."""
    for log in logs:
        head = _read_head(log)
        size = int.from_bytes(head[8:12], "big") if int.from_bytes(head[:4], "big") in _MAGIC else 0
        if _is_page_size(size):
            return size
    size = int.from_bytes(_read_head(damaged)[16:18], "big")
    size = 65536 if size == 1 else size
    return size if _is_page_size(size) else _USUAL_PAGE_SIZE


def _find_salt(content: bytes, starts: range) -> bytes:
    """The mark of the newest round: the header's, or the first frame's where no frame has the header's."""
    salts = [content[at + 8 : at + 16] for at in starts]
    salt = content[16:24]
    return salt if salt in salts or not salts else salts[0]


def _read_head(file: Path) -> bytes:
    if not file.is_file():
        return b""
    with file.open("rb") as stream:
        return stream.read(_HEADER)


def _is_page_size(size: int) -> bool:
    return 512 <= size <= 65536 and size & (size - 1) == 0
