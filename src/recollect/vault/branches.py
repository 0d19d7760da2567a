"""
Notes under git: a merge that is not finished, and notes that only another branch has.

A branch that is checked out puts notes back to what they were and takes away those it never had. Neither is a person's
edit or deletion of a memory, and git knows which it was.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from recollect.errors import RepositoryError
from recollect.git.run import run_git
from recollect.vault.outline import follow_fence

_OURS = re.compile(r"<{7}(?: |\Z)")
_MIDDLE = re.compile(r"={7}\Z")
_THEIRS = re.compile(r">{7}(?: |\Z)")


def find_unmerged_line(text: str) -> int:
    """The line in which a merge begins that git could not finish; 0 if there is none. A sample in code is none."""
    if "<<<<<<<" not in text or ">>>>>>>" not in text:
        return 0
    begins, wanted, fence = 0, _OURS, ""
    for number, line in enumerate(text.split("\n"), start=1):
        line = line.rstrip("\r")
        if wanted is _OURS:
            fence = follow_fence(fence, line)
            if not fence and _OURS.match(line):
                begins, wanted = number, _MIDDLE
        elif wanted.match(line):
            if wanted is _THEIRS:
                return begins
            wanted = _THEIRS
    return 0


def describe_unmerged(text: str) -> str:
    """Why a note with an unfinished merge is left alone; empty if there is none."""
    line = find_unmerged_line(text)
    return (
        f"holds a merge that is not finished (line {line}); resolve it, then it is taken in" if line else ""
    )


def find_repository(folder: Path) -> Path | None:
    """The top of the working tree that a folder lies in, whether or not the folder is there just now."""
    return next((one for one in (folder, *folder.parents) if os.path.lexists(one / ".git")), None)


def is_as_committed(root: Path, path: str) -> bool:
    """Whether a note is just what the branch that is checked out has."""
    return bool(_ask(root, ["ls-files"], path)) and not _ask(root, ["status", "--porcelain"], path)


def is_of_another_branch(root: Path, path: str) -> bool:
    """Whether a note that is not there was never on the branch that is checked out, but is or was on another one."""
    return not _last_commit(root, "HEAD", path) and bool(_last_commit(root, "--all", path))


def _last_commit(root: Path, where: str, path: str) -> str:
    return _ask(root, ["log", "-1", "--format=%H", where], path)


def _ask(root: Path, words: list[str], path: str) -> str:
    """What git answers about a note; nothing outside a repository, or where it cannot say, as before a first commit."""
    top = find_repository(root)
    if top is None:
        return ""
    try:
        return run_git(words, str(top), paths=[(root / path).relative_to(top).as_posix()])
    except RepositoryError:
        return ""
