"""The files of a checkout as a methodology may read them: few, small, and never outside the folder."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

MOST_BYTES = 256 * 1024
MOST_NAMES = 500


class CheckoutFiles:
    """A folder to read from. A repository may come from a stranger: links that lead out of it are not followed."""

    def __init__(self, root: str | Path) -> None:
        self._root = Path(os.path.realpath(root))

    def text(self, path: str) -> str:
        """What stands in a file, up to a bound; empty if there is none to read."""
        try:
            file = Path(os.path.realpath(self._root / path))
            # Nothing else is opened: a pipe would never answer, a device never end.
            if not file.is_relative_to(self._root) or not stat.S_ISREG(file.stat().st_mode):
                return ""
            with file.open("rb") as stream:
                return stream.read(MOST_BYTES).decode("utf-8", "replace")
        except (OSError, ValueError):
            return ""

    def names(self, pattern: str) -> Sequence[str]:
        """The files a glob names, in order, at most so many."""
        if ".." in pattern.split("/"):
            return ()
        try:
            found = islice(self._root.glob(pattern), MOST_NAMES)
            return sorted(path.relative_to(self._root).as_posix() for path in found if path.is_file())
        except (OSError, ValueError):
            return ()
