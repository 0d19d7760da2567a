"""
Whether the work of a branch has reached the main branch.

It has when its commits are there (a merge), when each of them has a twin there (a rebase, cherry-picks), or when one
commit there does what the whole branch does (a squash merge).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from recollect.git.history import commits, has_in_its_past, knows, revision
from recollect.git.identity import DEFAULT_BRANCHES
from recollect.git.run import ask, run

How = Literal["contained", "same patches", "squashed"]

# A squash merge lies at most so many commits back.
_MOST_LOOKED_AT = 1000
_MOST_COMPARED = 50
_NUMBERS = re.compile(r"^(?:@@ .* @@.*|index .*)$", re.MULTILINE)


def main_branch(top: str) -> str | None:
    """The ref of the main branch: main, else master, here before at origin, else what origin has checked out."""
    found = run(["for-each-ref", "--format=%(refname)", *DEFAULT_BRANCHES], top).split("\n")
    return next((ref for ref in DEFAULT_BRANCHES if ref in found), None)


def how_merged(top: str, branch: str, main: str | None = None) -> How | None:
    """How BRANCH, a local one by its name, came into the main branch; None while it has not, or if there is none."""
    tip, main = f"refs/heads/{branch}", main or main_branch(top)
    if main is None or main == tip or not knows(top, tip):
        return None
    if has_in_its_past(top, tip, main):
        return "contained"
    base = (ask(["merge-base", tip, revision(main)], top) or "").strip()
    if not base:
        return None
    if not _without_twin(top, tip, main):
        return "same patches"
    return "squashed" if _is_squashed(top, base, tip, main) else None


def _without_twin(top: str, tip: str, main: str) -> str:
    question = [
        "rev-list",
        "--cherry-pick",
        "--right-only",
        "--no-merges",
        "--max-count=1",
        f"{main}...{tip}",
    ]
    return run(question, top).strip()


def _is_squashed(top: str, base: str, tip: str, main: str) -> bool:
    names = run(["diff-tree", "-r", "-z", "--no-renames", "--name-only", base, tip], top)
    touched = {name for name in names.split("\0") if name}
    if not touched:
        return False
    wanted = _patch(top, base, tip)
    return any(_patch(top, f"{sha}^", sha) == wanted for sha in _alike(top, base, main, touched))


def _alike(top: str, base: str, main: str, touched: set[str]) -> Iterator[str]:
    """Commits of the main branch that touch exactly these files."""
    found = commits(top, since=base, until=main, limit=_MOST_LOOKED_AT)
    for number, commit in enumerate(commit for commit in found if set(commit.files) == touched):
        if number == _MOST_COMPARED:
            return
        yield commit.sha


def _patch(top: str, before: str, after: str) -> str:
    """What happened in between, without the places where it did: those differ once others have been at work."""
    return _NUMBERS.sub("", run(["diff-tree", "-r", "-p", "--binary", "--no-renames", before, after], top))
