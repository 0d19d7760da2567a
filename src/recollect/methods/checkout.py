"""The files of a checkout as a methodology may read them: few, small, and never outside the folder."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from recollect.events.bounded_read import read_beginning

MAX_BYTES = 256 * 1024
MAX_NAMES = 500


class CheckoutReader:
    """
    A folder to read from; each file is read once, so that all answers show one moment.

    A repository may come from a stranger: links that lead out of it are not followed.
    """

    def __init__(self, root: str | Path) -> None:
        self._root = Path(os.path.realpath(root))
        self._texts: dict[str, str] = {}
        self._names: dict[str, Sequence[str]] = {}

    def text(self, path: str) -> str:
        """What stands in a file, up to a bound; empty if there is none to read."""
        if path not in self._texts:
            self._texts[path] = _read_text(self._root, path)
        return self._texts[path]

    def names(self, pattern: str) -> Sequence[str]:
        """The files a glob names, in order, at most so many."""
        if pattern not in self._names:
            self._names[pattern] = _names(self._root, pattern)
        return self._names[pattern]


def _read_text(root: Path, path: str) -> str:
    try:
        file = Path(os.path.realpath(root / path))
        return read_beginning(file, MAX_BYTES).decode("utf-8", "replace") if file.is_relative_to(root) else ""
    except (OSError, ValueError):
        return ""


def _names(root: Path, pattern: str) -> Sequence[str]:
    if ".." in pattern.split("/"):
        return ()
    try:
        paths = islice(root.glob(pattern), MAX_NAMES)
        return sorted(path.relative_to(root).as_posix() for path in paths if path.is_file())
    except (OSError, ValueError, NotImplementedError):
        return ()
