"""
Whether the work of a branch has reached the main branch: merged, rebased or squashed.

It has when its commits are there (a merge), when each of them has a twin there (a rebase, cherry-picks), or when one
commit there does what the whole branch does (a squash merge).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Literal

from recollect.git.history import check_revision, has_commit, is_ancestor, read_commits
from recollect.git.identity import DEFAULT_BRANCHES
from recollect.git.run import ask_git, run_git

MergeKind = Literal["contained", "same patches", "squashed"]

# A squash merge lies at most so many commits back.
_MAX_COMMITS = 1000
_MAX_COMPARED = 50
_NUMBERS = re.compile(r"^(?:@@ .* @@.*|index .*)$", re.MULTILINE)


def find_main_branch(top: str) -> str | None:
    """The ref of the main branch: main, else master, here before at origin, else what origin has checked out."""
    refs = run_git(["for-each-ref", "--format=%(refname)", *DEFAULT_BRANCHES], top).split("\n")
    return next((ref for ref in DEFAULT_BRANCHES if ref in refs), None)


def find_merge_kind(top: str, branch: str, main: str | None = None) -> MergeKind | None:
    """How the local BRANCH was merged into the main branch; None while it was not, or without a main branch."""
    tip, main = f"refs/heads/{branch}", main or find_main_branch(top)
    if main is None or main == tip or not has_commit(top, tip):
        return None
    if is_ancestor(top, tip, main):
        return "contained"
    base = (ask_git(["merge-base", tip, check_revision(main)], top) or "").strip()
    if not base:
        return None
    if not _skip_equal_patches(top, tip, main):
        return "same patches"
    return "squashed" if _is_squashed(top, base, tip, main) else None


def has_landed(top: str, branch: str, subjects: Sequence[str], since: datetime) -> bool:
    """
    Whether the work on BRANCH has reached the main branch, though the branch itself may be gone.

    A branch that has just begun is part of the main one too, and one that was deleted may have been given up. So then
    the main branch must tell of it since that moment: a merge that names it, or commits with all of these subjects.
    """
    main = find_main_branch(top)
    if main is None or main.rpartition("/")[2] == branch:
        return False
    kind = find_merge_kind(top, branch, main)
    if kind in ("same patches", "squashed"):
        return True
    if kind is None and has_commit(top, f"refs/heads/{branch}"):
        return False
    return _tells_of(_read_messages(top, main, since), branch, subjects)


def _read_messages(top: str, main: str, since: datetime) -> list[str]:
    when = f"--since={since.isoformat()}"
    log = ask_git(["log", "-z", "--format=%B", f"-n{_MAX_COMMITS}", when, check_revision(main)], top)
    return [message.strip() for message in (log or "").split("\0") if message.strip()]


def _tells_of(messages: Sequence[str], branch: str, subjects: Sequence[str]) -> bool:
    named = re.compile(
        rf"^Merge (?:remote-tracking )?(?:branch|pull request #\d+ from|in)\b.*(?<![\w-]){re.escape(branch)}(?![\w-])"
    )
    if any(named.match(message) for message in messages):
        return True
    # A squash merge writes the subjects it joins into its own message, one a line.
    lines = {line.strip().lstrip("*- ") for message in messages for line in message.splitlines()}
    whole = {re.sub(r" \(#\d+\)$", "", line) for line in lines}
    return bool(subjects) and all(subject.strip() in whole for subject in subjects)


def _skip_equal_patches(top: str, tip: str, main: str) -> str:
    question = [
        "rev-list",
        "--cherry-pick",
        "--right-only",
        "--no-merges",
        "--max-count=1",
        f"{main}...{tip}",
    ]
    return run_git(question, top).strip()


def _is_squashed(top: str, base: str, tip: str, main: str) -> bool:
    names = run_git(["diff-tree", "-r", "-z", "--no-renames", "--name-only", base, tip], top)
    touched = {name for name in names.split("\0") if name}
    if not touched:
        return False
    wanted = _read_patch(top, base, tip)
    return any(
        _read_patch(top, f"{sha}^", sha) == wanted for sha in _find_same_files(top, base, main, touched)
    )


def _find_same_files(top: str, base: str, main: str, touched: set[str]) -> Iterator[str]:
    """Commits of the main branch that touch exactly these files."""
    commits = read_commits(top, since=base, until=main, limit=_MAX_COMMITS)
    for number, commit in enumerate(commit for commit in commits if set(commit.files) == touched):
        if number == _MAX_COMPARED:
            return
        yield commit.sha


def _read_patch(top: str, before: str, after: str) -> str:
    """The changes in between without line numbers, which differ once others have changed the files."""
    return _NUMBERS.sub(
        "", run_git(["diff-tree", "-r", "-p", "--binary", "--no-renames", before, after], top)
    )
