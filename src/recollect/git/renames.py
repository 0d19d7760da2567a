"""
Where files went: along the commits between two points of history, and in the working tree.

History is followed commit by commit, so that a file edited at every move is still found; where that leads nowhere (a
squash merge tells no steps, a rewritten history has others) the two ends are compared as well. From one branch to
another the way goes back to where they parted and forward from there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from recollect.errors import RepositoryError
from recollect.git.files import content, in_commit, untracked
from recollect.git.history import FIND_RENAMES, LIKENESS, changes, commits, knows, revision
from recollect.git.run import ask, fields, run
from recollect.model.commit import FileChange
from recollect.model.value import dataclass

# Beyond so many commits only the two ends are compared.
MOST_STEPS = 2000
_MOST_UNTRACKED = 500
# Two branches may each have a new file of the same make; only one that is hardly changed is the other.
_SURELY_ALIKE = "80%"
_LEAST_LIKE = int(LIKENESS.rstrip("%")) / 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Followed:
    """Where files stand in a commit: under which path; or only on the other branch they were known on."""

    at: dict[str, str]
    elsewhere: frozenset[str]
    # Every path that was touched on the way, by its name at the end.
    touched: frozenset[str]


def followed(top: str, since: str, until: str, paths: Collection[str]) -> Followed:
    """Where files that stood at PATHS in SINCE stand in UNTIL. A path that is in none of the answers is gone."""
    if since == until:
        here = in_commit(top, until, paths)
        return Followed(
            at={path: path for path in paths if path in here}, elsewhere=frozenset(), touched=frozenset()
        )
    if not knows(top, since):
        return Followed(at={}, elsewhere=frozenset(), touched=frozenset())
    walk = _walked(top, since, until, paths)
    standing = in_commit(top, until, {*walk.at.values(), *walk.unborn})
    at = {path: place for path, place in walk.at.items() if place in standing}
    at |= {path: path for path in walk.unborn if path in standing}
    lost = {path for path in paths if path not in at}
    ends = _between_ends(top, since, until, LIKENESS) if lost - walk.unborn or not walk.touched else ()
    at |= _jumped(ends, lost - walk.unborn)
    if unborn := lost & walk.unborn:
        at |= _jumped(_between_ends(top, since, until, _SURELY_ALIKE), unborn)
    return Followed(
        at=at,
        elsewhere=frozenset(walk.unborn - at.keys()),
        touched=walk.touched | {change.path for change in ends},
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Uncommitted:
    """What nobody has committed yet: files that stand elsewhere, and files that are gone."""

    moved: dict[str, str]
    deleted: frozenset[str]


def uncommitted(top: str, paths: Collection[str]) -> Uncommitted:
    """
    What the working tree did to PATHS of HEAD: staged or not, added to git or not.

    A file that is in neither answer and not on disk was never put there: the checkout is sparse.
    """
    moved: dict[str, str] = {}
    deleted: set[str] = set()
    for change in changes(fields(["diff", "--name-status", "-z", *FIND_RENAMES, "HEAD"], top)):
        if change.status == "R" and change.was in paths:
            moved[change.was] = change.path
        elif change.status == "D" and change.path in paths:
            deleted.add(change.path)
    found = _found_untracked(top, deleted) if deleted else {}
    return Uncommitted(moved=moved | found, deleted=frozenset(deleted - found.keys()))


def likeness(one: bytes, other: bytes) -> float:
    """How much of the longer of two contents stands in both, line by line, from 0 to 1; as git counts it."""
    if one == other:
        return 1.0
    shared = Counter(one.splitlines(keepends=True)) & Counter(other.splitlines(keepends=True))
    return sum(len(line) * times for line, times in shared.items()) / max(len(one), len(other))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Walk:
    at: dict[str, str]
    # Born on the branch we came from, after it parted from the one we go to.
    unborn: frozenset[str]
    touched: frozenset[str]


def _walked(top: str, since: str, until: str, paths: Collection[str]) -> _Walk:
    base = (ask(["merge-base", revision(since), revision(until)], top) or "").strip()
    back = _steps(top, base, since) if base and base != since else []
    forward = _steps(top, base, until) if base else None
    if back is None or forward is None:
        return _Walk(at={path: path for path in paths}, unborn=frozenset(), touched=frozenset())
    where = {path: {path} for path in paths}
    unborn: set[str] = set()
    for step in back:
        unborn |= _taken(
            where, {change.path: change.was for change in step if change.status == "R"}, _added(step)
        )
    for step in reversed(forward):
        _taken(where, {change.was: change.path for change in step if change.status == "R"}, ())
    touched = frozenset(change.path for step in forward for change in step)
    at = {origin: place for place, origins in where.items() for origin in origins}
    return _Walk(at=at, unborn=frozenset(unborn), touched=touched)


def _steps(top: str, since: str, until: str) -> list[tuple[FileChange, ...]] | None:
    """What each commit between did, newest first; None if they are too many to follow."""
    found = [
        commit.changes
        for commit in commits(top, since=since, until=until, limit=MOST_STEPS + 1, renames=True)
    ]
    return found if len(found) <= MOST_STEPS else None


def _added(step: Iterable[FileChange]) -> list[str]:
    return [change.path for change in step if change.status == "A"]


def _taken(where: dict[str, set[str]], moves: dict[str, str], ended: Iterable[str]) -> set[str]:
    """Take a step, all its moves at once, for two files may have changed places; who is not there any more."""
    origins = {new: where.pop(old) for old, new in moves.items() if old in where}
    lost = {origin for path in ended if path in where for origin in where.pop(path)}
    for path, found in origins.items():
        where.setdefault(path, set()).update(found)
    return lost


def _between_ends(top: str, since: str, until: str, alike: str) -> tuple[FileChange, ...]:
    how = (f"-M{alike}", *FIND_RENAMES[1:])
    args = ["diff-tree", "-r", "-z", "--name-status", *how, revision(since), revision(until)]
    return tuple(changes(fields(args, top)))


def _jumped(ends: Iterable[FileChange], paths: Collection[str]) -> dict[str, str]:
    return {change.was: change.path for change in ends if change.status == "R" and change.was in paths}


def _found_untracked(top: str, deleted: Iterable[str]) -> dict[str, str]:
    """Files that git misses, found again among those it does not know; the likest of each, none of them twice."""
    strangers = {path: data for path in untracked(top, _MOST_UNTRACKED) if (data := content(Path(top, path)))}
    likest = sorted(
        (
            (likeness(was, data), Path(path).name == Path(old).name, old, path)
            for old, was in _contents(top, deleted)
            for path, data in strangers.items()
            if len(was) * _LEAST_LIKE <= len(data) <= len(was) / _LEAST_LIKE
        ),
        reverse=True,
    )
    found: dict[str, str] = {}
    for like, _, old, path in likest:
        if like >= _LEAST_LIKE and old not in found and path not in found.values():
            found[old] = path
    return found


def _contents(top: str, paths: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    for path, blob in in_commit(top, "HEAD", paths).items():
        try:
            yield path, run(["cat-file", "blob", blob], top).encode("utf-8", "surrogateescape")
        except RepositoryError:  # too large, or kept elsewhere by a partial clone
            continue
