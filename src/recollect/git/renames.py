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
from recollect.git.files import blobs_in_commit, list_untracked, read_content
from recollect.git.history import (
    FIND_RENAMES,
    LIKENESS,
    check_revision,
    has_commit,
    parse_changes,
    read_commits,
)
from recollect.git.run import ask_git, run_git, stream_fields
from recollect.model.commit import CommitChange
from recollect.model.value import dataclass

# Beyond so many commits only the two ends are compared.
MAX_STEPS = 2000
_MAX_UNTRACKED = 500
# Two branches may each have a new file of the same make; only one that is hardly changed is the other.
_SURE_SIMILARITY = "80%"
_MIN_SIMILARITY = int(LIKENESS.rstrip("%")) / 100


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowedPaths:
    """Where files are in a commit: their paths, or that they exist only on another branch."""

    at: dict[str, str]
    elsewhere: frozenset[str]
    # Every path that was touched on the way, by its name at the end.
    touched: frozenset[str]


def follow_paths(top: str, since: str, until: str, paths: Collection[str]) -> FollowedPaths:
    """Where files that stood at PATHS in SINCE stand in UNTIL. A path that is in none of the answers is gone."""
    if since == until:
        blobs_here = blobs_in_commit(top, until, paths)
        return FollowedPaths(
            at={path: path for path in paths if path in blobs_here},
            elsewhere=frozenset(),
            touched=frozenset(),
        )
    if not has_commit(top, since):
        return FollowedPaths(at={}, elsewhere=frozenset(), touched=frozenset())
    walk = _walk_commits(top, since, until, paths)
    standing = blobs_in_commit(top, until, {*walk.at.values(), *walk.unborn})
    at = {path: place for path, place in walk.at.items() if place in standing}
    at |= {path: path for path in walk.unborn if path in standing}
    lost = {path for path in paths if path not in at}
    ends = _diff_ends(top, since, until, LIKENESS) if lost - walk.unborn or not walk.touched else ()
    at |= _apply_diff(ends, lost - walk.unborn)
    if unborn := lost & walk.unborn:
        at |= _apply_diff(_diff_ends(top, since, until, _SURE_SIMILARITY), unborn)
    return FollowedPaths(
        at=at,
        elsewhere=frozenset(walk.unborn - at.keys()),
        touched=walk.touched | {change.path for change in ends},
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Uncommitted:
    """Uncommitted changes: files that were moved, and files that are gone."""

    moved: dict[str, str]
    deleted: frozenset[str]


def find_uncommitted(top: str, paths: Collection[str]) -> Uncommitted:
    """
    What the working tree did to PATHS of HEAD, staged or not, tracked or not.

    A file that is in neither answer and not on disk was never put there: the checkout is sparse.
    """
    moved: dict[str, str] = {}
    deleted: set[str] = set()
    for change in parse_changes(stream_fields(["diff", "--name-status", "-z", *FIND_RENAMES, "HEAD"], top)):
        if change.status == "R" and change.was in paths:
            moved[change.was] = change.path
        elif change.status == "D" and change.path in paths:
            deleted.add(change.path)
    moved_to = _match_untracked(top, deleted) if deleted else {}
    return Uncommitted(moved=moved | moved_to, deleted=frozenset(deleted - moved_to.keys()))


def line_similarity(one: bytes, other: bytes) -> float:
    """Share of lines that two contents have in common, 0 to 1, as git counts it."""
    if one == other:
        return 1.0
    shared = Counter(one.splitlines(keepends=True)) & Counter(other.splitlines(keepends=True))
    return sum(len(line) * times for line, times in shared.items()) / max(len(one), len(other))


@dataclass(frozen=True, slots=True, kw_only=True)
class _PathWalk:
    at: dict[str, str]
    # Born on the branch we came from, after it parted from the one we go to.
    unborn: frozenset[str]
    touched: frozenset[str]


def _walk_commits(top: str, since: str, until: str, paths: Collection[str]) -> _PathWalk:
    base = (ask_git(["merge-base", check_revision(since), check_revision(until)], top) or "").strip()
    back = _read_steps(top, base, since) if base and base != since else []
    forward = _read_steps(top, base, until) if base else None
    if back is None or forward is None:
        return _PathWalk(at={path: path for path in paths}, unborn=frozenset(), touched=frozenset())
    where = {path: {path} for path in paths}
    unborn: set[str] = set()
    for step in back:
        unborn |= _apply_moves(
            where, {change.path: change.was for change in step if change.status == "R"}, _list_added(step)
        )
    for step in reversed(forward):
        _apply_moves(where, {change.was: change.path for change in step if change.status == "R"}, ())
    touched = frozenset(change.path for step in forward for change in step)
    at = {origin: place for place, origins in where.items() for origin in origins}
    return _PathWalk(at=at, unborn=frozenset(unborn), touched=touched)


def _read_steps(top: str, since: str, until: str) -> list[tuple[CommitChange, ...]] | None:
    """What each commit between did, newest first; None if they are too many to follow."""
    steps = [
        commit.changes
        for commit in read_commits(top, since=since, until=until, limit=MAX_STEPS + 1, renames=True)
    ]
    return steps if len(steps) <= MAX_STEPS else None


def _list_added(step: Iterable[CommitChange]) -> list[str]:
    return [change.path for change in step if change.status == "A"]


def _apply_moves(where: dict[str, set[str]], moves: dict[str, str], ended: Iterable[str]) -> set[str]:
    """Take a step, all its moves at once, for two files may have changed places; who is not there any more."""
    origins = {new: where.pop(old) for old, new in moves.items() if old in where}
    lost = {origin for path in ended if path in where for origin in where.pop(path)}
    for path, sources in origins.items():
        where.setdefault(path, set()).update(sources)
    return lost


def _diff_ends(top: str, since: str, until: str, alike: str) -> tuple[CommitChange, ...]:
    how = (f"-M{alike}", *FIND_RENAMES[1:])
    args = ["diff-tree", "-r", "-z", "--name-status", *how, check_revision(since), check_revision(until)]
    return tuple(parse_changes(stream_fields(args, top)))


def _apply_diff(ends: Iterable[CommitChange], paths: Collection[str]) -> dict[str, str]:
    return {change.was: change.path for change in ends if change.status == "R" and change.was in paths}


def _match_untracked(top: str, deleted: Iterable[str]) -> dict[str, str]:
    """Match deleted files with untracked ones, the most similar first, none twice."""
    strangers = {
        path: data for path in list_untracked(top, _MAX_UNTRACKED) if (data := read_content(Path(top, path)))
    }
    likest = sorted(
        (
            (line_similarity(was, data), Path(path).name == Path(old).name, old, path)
            for old, was in _contents(top, deleted)
            for path, data in strangers.items()
            if len(was) * _MIN_SIMILARITY <= len(data) <= len(was) / _MIN_SIMILARITY
        ),
        reverse=True,
    )
    matches: dict[str, str] = {}
    for like, _, old, path in likest:
        if like >= _MIN_SIMILARITY and old not in matches and path not in matches.values():
            matches[old] = path
    return matches


def _contents(top: str, paths: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    for path, blob in blobs_in_commit(top, "HEAD", paths).items():
        try:
            yield path, run_git(["cat-file", "blob", blob], top).encode("utf-8", "surrogateescape")
        except RepositoryError:  # too large, or kept elsewhere by a partial clone
            continue
