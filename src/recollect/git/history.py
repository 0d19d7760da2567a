"""Commits in one pass, newest first, each with its time, message and files. Merges are left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from recollect.errors import RepositoryError
from recollect.git.run import ask_git, stream_fields
from recollect.model.commit import Commit, CommitChange

MAX_COMMITS = 20_000

# A moved file of which two fifths were rewritten is about 60 % like itself; what was added to it on the way makes it
# less. Git's own 50 % would lose some of those; below 40 % files begin to match that share a licence and no more.
LIKENESS = "40%"
# -B looks also at files that stand where they stood but hold something else: two files that were swapped.
# The limit is said so that a repository's own `diff.renameLimit` says nothing.
FIND_RENAMES = (f"-M{LIKENESS}", "-B", "-l1000")

_FORMAT = "--format=%x01%H%x00%ct%x00%s%x00%b"
# A longer body is a log of something, not the reason for a change.
_MAX_BODY = 4_000


def read_commits(
    top: str,
    *,
    since: str = "",
    until: str = "HEAD",
    limit: int = MAX_COMMITS,
    renames: bool = False,
    paths: Iterable[str] = (),
) -> Iterator[Commit]:
    """
    The newest LIMIT commits that UNTIL has and SINCE has not; without SINCE, all that UNTIL has. A branch without a
    commit has none.

    A pass without RENAMES is several times as fast; it shows a rename as one file deleted and one added. To read on
    later, give the first commit of this pass as SINCE.
    """
    spell = f"{check_revision(since)}..{check_revision(until)}" if since else check_revision(until)
    how = FIND_RENAMES if renames else ("--no-renames",)
    args = ["log", "-z", "--no-merges", "--topo-order", "--name-status", *how, _FORMAT, f"-n{limit}", spell]
    try:
        yield from _parse_commits(stream_fields(args, top, paths=paths))
    except RepositoryError:
        # Asked only now: nearly every branch has a commit.
        if has_commit(top, until):
            raise


def check_revision(name: str) -> str:
    """NAME, if it can only be read as a commit: HEAD, a full ref or a hash. Anything else might be an option."""
    if name == "HEAD" or name.startswith("refs/") or (len(name) >= 4 and not name.strip("0123456789abcdef")):
        return name
    raise ValueError(f"{name!r} is no revision")


def has_commit(top: str, commit: str) -> bool:
    """Whether the repository has this commit; after a rewrite or in a shallow clone it may not."""
    return ask_git(["rev-parse", "-q", "--verify", f"{check_revision(commit)}^{{commit}}"], top) is not None


def has_parent(top: str, commit: str) -> bool:
    """Whether the commit before this one can be seen: not of a first commit, nor at the end of a shallow clone."""
    return ask_git(["rev-parse", "-q", "--verify", f"{check_revision(commit)}^"], top) is not None


def find_shallow_boundary(top: str) -> str:
    """The commit at which a shallow clone ends; nothing of a whole one."""
    if (ask_git(["rev-parse", "--is-shallow-repository"], top) or "").strip() != "true":
        return ""
    return (ask_git(["rev-list", "--max-parents=0", "-n1", "HEAD"], top) or "").strip()


def is_ancestor(top: str, commit: str, tip: str) -> bool:
    """Whether COMMIT is an ancestor of TIP; of a branch without a commit none is."""
    try:
        answer = ask_git(["merge-base", "--is-ancestor", check_revision(commit), check_revision(tip)], top)
    except RepositoryError:
        if has_commit(top, tip):
            raise
        return False
    return answer is not None


def parse_changes(fields: Iterator[str]) -> Iterator[CommitChange]:
    """Parse the output of `--name-status -z`."""
    for status in fields:
        yield _parse_change(status, fields)


def _parse_commits(fields: Iterator[str]) -> Iterator[Commit]:
    # Told apart by their place, never by their look: a file may be called anything.
    header = next(fields, "")
    while header:
        at, subject, body = next(fields), next(fields), next(fields)
        touched: list[CommitChange] = []
        following = ""
        for field in fields:
            if field.startswith("\x01"):
                following = field
                break
            touched.append(_parse_change(field.lstrip("\n"), fields))
        yield Commit(
            sha=header.lstrip("\n")[1:],
            at=datetime.fromtimestamp(int(at), UTC),
            subject=subject,
            body=body[:_MAX_BODY].strip(),
            changes=tuple(touched),
        )
        header = following


def _parse_change(status: str, fields: Iterator[str]) -> CommitChange:
    if status[0] in "RC":
        was, path = next(fields), next(fields)
        return CommitChange(status[0], path, was)
    return CommitChange(status[0], next(fields))
