"""What stands in a file, as git names it: in a commit, in the index, and on disk."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from recollect.errors import RepositoryError
from recollect.git.history import revision
from recollect.git.run import fields, run

# A larger file is known to be there, not what stands in it.
MOST_BYTES = 16 * 1024 * 1024
# So many names fit on a command line everywhere.
_AT_ONCE = 200
_LOOKS_LIKE_TEXT = 8000
_MOST_UNTRACKED = 500


def on_disk(file: Path) -> str | None:
    """The blob of a file as it lies there; None if there is no file, empty if it is too large to look at."""
    data = content(file)
    if data is not None:
        return blob(data)
    # Not Path.is_file: that one raises for a name no file system would take.
    return "" if os.path.isfile(file) else None  # noqa: PTH113


def is_there(file: Path | str) -> bool:
    """Whether anything has this name, a link that leads nowhere included."""
    return os.path.lexists(file)


def content(file: Path) -> bytes | None:
    """What stands in a file, or where a link points; None without one, and for what is no file or too large."""
    try:
        facts = file.lstat()
        if stat.S_ISLNK(facts.st_mode):
            return os.fsencode(file.readlink())
        # Nothing else is opened: a pipe would never answer, a device never end.
        if not stat.S_ISREG(facts.st_mode) or facts.st_size > MOST_BYTES:
            return None
        return file.read_bytes()
    except (OSError, ValueError):
        return None


def blob(data: bytes, algorithm: str = "sha1") -> str:
    """
    The name git gives to this content.

    A text has its lines ended as git stores them when it tidies line ends, so that a checkout on Windows and one
    elsewhere have the same name. No filter program is run, so a file kept by one (LFS) goes by what lies on disk.
    """
    if b"\0" not in data[:_LOOKS_LIKE_TEXT]:
        data = data.replace(b"\r\n", b"\n")
    # Here alone: it loads OpenSSL, and who only asks whether a file is there should not wait for that.
    import hashlib

    return hashlib.new(algorithm, b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def in_commit(top: str, commit: str, paths: Iterable[str]) -> dict[str, str]:
    """The blobs of these paths in a commit; what it does not have is missing."""
    found: dict[str, str] = {}
    for names in _portions(paths):
        for entry in fields(["ls-tree", "-z", revision(commit)], top, paths=names):
            facts, _, path = entry.partition("\t")
            found[path] = facts.split()[2]
    return found


def below(top: str, commit: str, folder: str) -> list[str]:
    """Every file of a folder in a commit."""
    return list(fields(["ls-tree", "-r", "-z", "--name-only", revision(commit)], top, paths=[f"{folder}/"]))


def stored(top: str, blob: str) -> bytes | None:
    """The content git keeps under this name; None if it has none, or a very large one."""
    try:
        text = run(["cat-file", "blob", revision(blob)], top, limit=MOST_BYTES)
    except RepositoryError:
        return None
    return text.encode("utf-8", "surrogateescape")


def changed_since(top: str, commit: str) -> list[str]:
    """Every file that is not as it was in a commit: changed or new, committed or not."""
    differing = fields(["diff", "--name-only", "--no-renames", "-z", revision(commit)], top)
    return list(dict.fromkeys([*differing, *untracked(top, _MOST_UNTRACKED)]))


def tracked(top: str) -> Iterator[str]:
    """Every path git tracks."""
    return fields(["ls-files", "-z"], top)


def untracked(top: str, most: int) -> list[str]:
    """Files that git neither tracks nor ignores, at most so many."""
    return list(islice(fields(["ls-files", "-o", "--exclude-standard", "-z"], top), most))


def _portions(paths: Iterable[str]) -> Iterator[list[str]]:
    names = iter(paths)
    while portion := list(islice(names, _AT_ONCE)):
        yield portion
