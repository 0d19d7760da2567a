"""
File contents as git names them: in a commit, in the index, on disk; and how far a file has drifted from a commit.
"""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from recollect.errors import RepositoryError
from recollect.events.bounded_read import read_bounded
from recollect.git.history import check_revision
from recollect.git.run import run_git, stream_fields

# A larger file is known to be there, not what stands in it.
MAX_BYTES = 16 * 1024 * 1024
# So many names fit on a command line everywhere.
_PATHS_PER_CALL = 200
_LOOKS_LIKE_TEXT = 8000
_MAX_UNTRACKED = 500


def hash_on_disk(file: Path) -> str | None:
    """The blob id of a file on disk; None without a file, empty if it is too large."""
    data = read_content(file)
    if data is not None:
        return blob_id(data)
    # Not Path.is_file: that one raises for a name no file system would take.
    return "" if os.path.isfile(file) else None  # noqa: PTH113


def is_there(file: Path | str) -> bool:
    """Whether the path exists, a broken link included."""
    return os.path.lexists(file)


def read_content(file: Path) -> bytes | None:
    """The content of a file, or the target of a link; None for anything else and for what is too large."""
    try:
        facts = file.lstat()
        if stat.S_ISLNK(facts.st_mode):
            return os.fsencode(file.readlink())
        return read_bounded(file, MAX_BYTES)
    except (OSError, ValueError):
        return None


def blob_id(data: bytes, algorithm: str = "sha1") -> str:
    """
    The blob id git gives this content.

    A text has its lines ended as git stores them when it tidies line ends, so that a checkout on Windows and one
    elsewhere have the same name. No filter program is run, so a file kept by one (LFS) goes by what lies on disk.
    """
    if b"\0" not in data[:_LOOKS_LIKE_TEXT]:
        data = data.replace(b"\r\n", b"\n")
    # Here alone: it loads OpenSSL, and who only asks whether a file is there should not wait for that.
    import hashlib

    return hashlib.new(algorithm, b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def blobs_in_commit(top: str, commit: str, paths: Iterable[str]) -> dict[str, str]:
    """The blobs of these paths in a commit; what it does not have is missing."""
    blobs: dict[str, str] = {}
    for names in _batch_paths(paths):
        for entry in stream_fields(["ls-tree", "-z", check_revision(commit)], top, paths=names):
            facts, _, path = entry.partition("\t")
            blobs[path] = facts.split()[2]
    return blobs


def list_folder(top: str, commit: str, folder: str) -> list[str]:
    """Every file of a folder in a commit."""
    return list(
        stream_fields(
            ["ls-tree", "-r", "-z", "--name-only", check_revision(commit)], top, paths=[f"{folder}/"]
        )
    )


def read_blob(top: str, blob: str) -> bytes | None:
    """The content of a blob; None if git has none, or a very large one."""
    try:
        text = run_git(["cat-file", "blob", check_revision(blob)], top, limit=MAX_BYTES)
    except RepositoryError:
        return None
    return text.encode("utf-8", "surrogateescape")


def list_changed_since(top: str, commit: str) -> list[str]:
    """Every file that is not as it was in a commit: changed or new, committed or not."""
    differing = stream_fields(["diff", "--name-only", "--no-renames", "-z", check_revision(commit)], top)
    return list(dict.fromkeys([*differing, *list_untracked(top, _MAX_UNTRACKED)]))


def list_tracked(top: str) -> Iterator[str]:
    """Every path git tracks."""
    return stream_fields(["ls-files", "-z"], top)


def list_untracked(top: str, most: int) -> list[str]:
    """Files that git neither tracks nor ignores, at most so many."""
    return list(islice(stream_fields(["ls-files", "-o", "--exclude-standard", "-z"], top), most))


def _batch_paths(paths: Iterable[str]) -> Iterator[list[str]]:
    names = iter(paths)
    while portion := list(islice(names, _PATHS_PER_CALL)):
        yield portion


class Drift(NamedTuple):
    """Commits that touched a file since then, and lines added or removed; 0 where it cannot be known."""

    commits: int
    lines: int


def measure_drift(top: str, commit: str, was: str, path: str) -> Drift:
    """Measure how the file at PATH on disk differs from WAS in COMMIT."""
    try:
        count = run_git(["rev-list", "--count", f"{check_revision(commit)}..HEAD"], top, paths={was, path})
        return Drift(int(count), _count_changed_lines(top, commit, was, path))
    except RepositoryError:
        return Drift(0, 0)


def _count_changed_lines(top: str, commit: str, was: str, path: str) -> int:
    now = read_content(Path(top, path))
    if now is None or b"\0" in now:
        return 0
    try:
        then = run_git(["cat-file", "blob", f"{commit}:{was}"], top).encode("utf-8", "surrogateescape")
    except RepositoryError:  # it was not committed yet when it was learned about
        return 0
    before, after = Counter(then.splitlines()), Counter(now.splitlines())
    return (before - after).total() + (after - before).total()
