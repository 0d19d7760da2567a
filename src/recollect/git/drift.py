"""How far a file has come from what it was."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import NamedTuple

from recollect.errors import RepositoryError
from recollect.git.files import content
from recollect.git.history import revision
from recollect.git.run import run


class Drift(NamedTuple):
    """Commits that touched a file since, and lines that came or went; 0 where nobody can tell."""

    commits: int
    lines: int


def drift(top: str, commit: str, was: str, path: str) -> Drift:
    """How far the file at PATH on disk is from what stood at WAS in COMMIT."""
    try:
        count = run(["rev-list", "--count", f"{revision(commit)}..HEAD"], top, paths={was, path})
        return Drift(int(count), _lines(top, commit, was, path))
    except RepositoryError:
        return Drift(0, 0)


def _lines(top: str, commit: str, was: str, path: str) -> int:
    now = content(Path(top, path))
    if now is None or b"\0" in now:
        return 0
    try:
        then = run(["cat-file", "blob", f"{commit}:{was}"], top).encode("utf-8", "surrogateescape")
    except RepositoryError:  # it was not committed yet when it was learned about
        return 0
    before, after = Counter(then.splitlines()), Counter(now.splitlines())
    return (before - after).total() + (after - before).total()
