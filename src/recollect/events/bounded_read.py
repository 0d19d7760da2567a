"""
Bounded reading: the content of a regular file up to a size, for every file that a stranger may have placed.

A checkout may hold a link to a device that never ends, a pipe that never answers, or a text that is nested a hundred
thousand deep. None of them is waited for, none fills the memory, and each is refused with words that follow its name.
"""

from __future__ import annotations

import errno
import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# A project's settings are a stranger's, the user's are their own and may be long.
MAX_SETTINGS_BYTES = 65_536
MAX_OWN_SETTINGS_BYTES = 4_000_000
# What is nested deeper is no file that a person wrote, and many programs cannot walk through it.
MAX_DEPTH = 100
_MAX_DOTS = 500
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_NOCTTY", 0)
)
_NO_LINKS = getattr(os, "O_NOFOLLOW", 0)
_PIECE = 1 << 16


class UnreadableFile(OSError):
    """A file that is not read, and why, in words that follow its name."""

    def __init__(self, reason: str) -> None:
        super().__init__(errno.EINVAL, reason)

    def __str__(self) -> str:
        return str(self.strerror)


def open_regular(path: str | os.PathLike[str], *, follow: bool = False) -> int:
    """A regular file, open to be read; a pipe, a device, a folder and, unless they are followed, links are refused."""
    # Looked at before: to open some devices is to use them, and not every system can be told to follow no link.
    _check_regular(os.stat(path, follow_symlinks=follow).st_mode)  # noqa: PTH116
    try:
        descriptor = os.open(path, _FLAGS | (0 if follow else _NO_LINKS))
    except OSError as error:
        if error.errno == errno.ELOOP:
            _check_regular(stat.S_IFLNK)
        raise
    try:
        _check_regular(os.fstat(descriptor).st_mode)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def read_bounded(path: str | os.PathLike[str], most: int, *, follow: bool = False) -> bytes:
    """All of a regular file; one with more than so many bytes is refused."""
    descriptor = open_regular(path, follow=follow)
    try:
        return read_all(descriptor, most)
    finally:
        os.close(descriptor)


def read_beginning(path: str | os.PathLike[str], most: int, *, follow: bool = False) -> bytes:
    """The first bytes of a regular file, at most so many."""
    descriptor = open_regular(path, follow=follow)
    try:
        return read_up_to(descriptor, most)
    finally:
        os.close(descriptor)


def read_all(descriptor: int, most: int) -> bytes:
    """The rest of an open file; one with more than so many bytes is refused."""
    size = os.fstat(descriptor).st_size
    if size > most:
        raise UnreadableFile(f"has {size:,} bytes; at most {most:,} are read")
    content = read_up_to(descriptor, most + 1)
    if len(content) > most:
        raise UnreadableFile(f"grows beyond {most:,} bytes")
    return content


def parse_toml(content: bytes) -> dict[str, Any]:
    """The table of a TOML file; whatever is wrong with it is a ValueError."""
    # A name of so many parts takes the library longer than anybody waits.
    if any(line.count(b".") > _MAX_DOTS for line in content.splitlines()):
        raise ValueError(f"a line of it has more than {_MAX_DOTS} dots")
    # Most people have no such file, and then it is not worth loading.
    import tomllib

    table: dict[str, Any] = _parse(content, tomllib.loads)
    return table


def parse_json(content: bytes) -> Any:
    """The value of a JSON file; whatever is wrong with it is a ValueError."""
    import json

    return _parse(content, json.loads)


def _parse(content: bytes, parse: Callable[[str], Any]) -> Any:
    try:
        value = parse(content.decode("utf-8"))
    except RecursionError:
        raise ValueError(f"it is nested more than {MAX_DEPTH} deep") from None
    check_depth(value)
    return value


def check_depth(value: object) -> None:
    """Refuse a value of tables and lists that is nested too deep; a ValueError says so."""
    layer = [value]
    for _ in range(MAX_DEPTH):
        layer = [inner for outer in layer for inner in _list_inner(outer) if isinstance(inner, (dict, list))]
        if not layer:
            return
    raise ValueError(f"it is nested more than {MAX_DEPTH} deep")


def _list_inner(value: object) -> list[object]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def _check_regular(mode: int) -> None:
    if stat.S_ISLNK(mode):
        raise UnreadableFile("is a link, and links are not followed")
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(mode):
        raise UnreadableFile("is no regular file")


def read_up_to(descriptor: int, most: int) -> bytes:
    """The next bytes of an open file, at most so many."""
    pieces: list[bytes] = []
    left = most
    while left > 0 and (piece := os.read(descriptor, min(left, _PIECE))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)
