"""Commits in one pass, newest first, each with its time, its subject and its files. Merges are left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from recollect.git.run import ask, fields
from recollect.model.commit import Commit, FileChange

MOST_COMMITS = 20_000

# A moved file of which two fifths were rewritten is about 60 % like itself; what was added to it on the way makes it
# less. Git's own 50 % would lose some of those; below 40 % files begin to match that share a licence and no more.
LIKENESS = "40%"
# -B looks also at files that stand where they stood but hold something else: two files that were swapped.
# The limit is said so that a repository's own `diff.renameLimit` says nothing.
FIND_RENAMES = (f"-M{LIKENESS}", "-B", "-l1000")

_FORMAT = "--format=%x01%H%x00%ct%x00%s"


def commits(
    top: str,
    *,
    since: str = "",
    until: str = "HEAD",
    limit: int = MOST_COMMITS,
    renames: bool = False,
    paths: Iterable[str] = (),
) -> Iterator[Commit]:
    """
    The newest LIMIT commits that UNTIL has and SINCE has not; without SINCE, all that UNTIL has.

    A pass without RENAMES is several times as fast; it shows a rename as one file deleted and one added. To read on
    later, give the first commit of this pass as SINCE.
    """
    spell = f"{revision(since)}..{revision(until)}" if since else revision(until)
    how = FIND_RENAMES if renames else ("--no-renames",)
    args = ["log", "-z", "--no-merges", "--topo-order", "--name-status", *how, _FORMAT, f"-n{limit}", spell]
    yield from _read(fields(args, top, paths=paths))


def revision(name: str) -> str:
    """NAME, if it can only be read as a commit: HEAD, a full ref or a hash. Anything else might be an option."""
    if name == "HEAD" or name.startswith("refs/") or (len(name) >= 4 and not name.strip("0123456789abcdef")):
        return name
    raise ValueError(f"{name!r} is no revision")


def knows(top: str, commit: str) -> bool:
    """Whether the repository has this commit; a rewritten history or a shallow clone may not."""
    return ask(["rev-parse", "-q", "--verify", f"{revision(commit)}^{{commit}}"], top) is not None


def has_in_its_past(top: str, commit: str, tip: str) -> bool:
    """Whether TIP was built upon COMMIT."""
    return ask(["merge-base", "--is-ancestor", revision(commit), revision(tip)], top) is not None


def changes(found: Iterator[str]) -> Iterator[FileChange]:
    """What `--name-status -z` says, to its end."""
    for status in found:
        yield _change(status, found)


def _read(found: Iterator[str]) -> Iterator[Commit]:
    # Told apart by their place, never by their look: a file may be called anything.
    header = next(found, "")
    while header:
        at, subject = next(found), next(found)
        touched: list[FileChange] = []
        following = ""
        for field in found:
            if field.startswith("\x01"):
                following = field
                break
            touched.append(_change(field.lstrip("\n"), found))
        yield Commit(
            sha=header.lstrip("\n")[1:],
            at=datetime.fromtimestamp(int(at), UTC),
            subject=subject,
            changes=tuple(touched),
        )
        header = following


def _change(status: str, found: Iterator[str]) -> FileChange:
    if status[0] in "RC":
        was, path = next(found), next(found)
        return FileChange(status[0], path, was)
    return FileChange(status[0], next(found))
