"""The write-ahead log of a damaged store, read frame by frame: SQLite itself stops at the first that is bad."""

from __future__ import annotations

import shutil
from pathlib import Path

_MAGIC = (0x377F0682, 0x377F0683)
_HEADER = 32
_FRAME = 24
# No store of ours is larger than this many pages; a larger number is damage.
_MOST_PAGES = 1 << 28


def replay_frames(damaged: Path, target: Path) -> bool:
    """Write a copy of a store with every page of its log put in, whatever the checksums say; False without a log."""
    log = damaged.with_name(damaged.name + "-wal")
    if not log.is_file() or log.stat().st_size <= _HEADER + _FRAME:
        return False
    frames = log.read_bytes()
    size = _find_page_size(frames, damaged)
    if not size:
        return False
    shutil.copyfile(damaged, target)
    salt = frames[16:24]
    with target.open("r+b") as stream:
        for at in range(_HEADER, len(frames) - _FRAME - size + 1, _FRAME + size):
            page = int.from_bytes(frames[at : at + 4], "big")
            # Frames of an earlier round of the log carry other salts: they are older than what is in the file.
            if 0 < page < _MOST_PAGES and frames[at + 8 : at + 16] == salt:
                stream.seek((page - 1) * size)
                stream.write(frames[at + _FRAME : at + _FRAME + size])
    return True


def _find_page_size(frames: bytes, damaged: Path) -> int:
    size = int.from_bytes(frames[8:12], "big") if int.from_bytes(frames[:4], "big") in _MAGIC else 0
    if not _is_page_size(size):
        with damaged.open("rb") as stream:
            size = int.from_bytes(stream.read(18)[16:18], "big")
        size = 65536 if size == 1 else size
    return size if _is_page_size(size) else 0


def _is_page_size(size: int) -> bool:
    return 512 <= size <= 65536 and size & (size - 1) == 0
