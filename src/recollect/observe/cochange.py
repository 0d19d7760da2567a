"""Co-change: which files are changed together, learned from the git history and from every session."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta

from recollect.errors import RepositoryError
from recollect.events.excluded import find_excluded
from recollect.git import history
from recollect.model.cochange import ChangeOccasion, Ties
from recollect.model.commit import Commit
from recollect.model.event import ToolAction
from recollect.model.path_kinds import is_handwritten
from recollect.model.project import storable
from recollect.model.step import Steps
from recollect.model.value import dataclass
from recollect.store.db import Db
from recollect.store.tables import cochange

# A history is read from here on: what lies further back has faded to nothing.
MAX_COMMITS = 5_000
_TOUCHING = frozenset({ToolAction.READ, ToolAction.EDIT, ToolAction.CREATE})


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryLearned:
    """How many commits were learned from, how many files are known now, and whether it began anew."""

    commits: int
    files: int
    anew: bool = False
    # False where git lacks the content of a file, as in a partial clone: then a moved file is one gone and one new.
    renames: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class CochangedFile:
    """A file that goes with others. `first` says which side comes first: 1 the given file, -1 this one, 0 neither."""

    path: str
    score: float
    # How much of what the given files were touched with is this one, between 0 and 1.
    weight: float
    commits: int
    sessions: int
    apart: timedelta
    first: int
    last_at: datetime | None


def learn_history(
    db: Db,
    root: str,
    project_id: str,
    progress: Callable[[int, int], None] = lambda done, total: None,
    *,
    excluded: Sequence[str] = (),
) -> HistoryLearned:
    """
    Learn from every commit that was not learned from yet, the oldest first.

    A history that was rewritten, or of which more can be seen than before, is learned anew.
    """
    newest, _, oldest = cochange.read_newest_commit(db, project_id).partition(" ")
    # A shallow clone that was deepened: what came before the oldest commit can be read now.
    anew = bool(oldest) and history.has_parent(root, oldest)
    anew = anew or (
        bool(newest) and not (history.has_commit(root, newest) and history.is_ancestor(root, newest, "HEAD"))
    )
    since = "" if anew else newest
    commits, renames = _read_commits(root, since)
    if not commits:
        return HistoryLearned(commits=0, files=len(cochange.read_all_ties(db, project_id).files))
    with db.transaction():
        if anew:
            cochange.forget_ties(db, project_id)
        ties = cochange.read_all_ties(db, project_id)
        before = set(ties.files)
        for number, commit in enumerate(reversed(commits), start=1):
            _learn_commit(ties, commit, excluded)
            progress(number, len(commits))
        learned = commits[0].sha
        if boundary := history.find_shallow_boundary(root):
            learned = f"{learned} {boundary}"
        cochange.save_ties(db, project_id, ties, commit_sha=learned, gone=before - set(ties.files))
    return HistoryLearned(commits=len(commits), files=len(ties.files), anew=anew, renames=renames)


def learn_steps(db: Db, project_id: str, steps: Steps) -> None:
    """A session was an occasion too: the files it read or changed, and when it first did."""
    first_at: dict[str, datetime] = {}
    for step in steps.steps:
        if step.action in _TOUCHING and step.ok is not False:
            for path in step.files:
                if is_handwritten(path):
                    first_at.setdefault(path, step.at)
    if len(first_at) < 2:
        return
    ties = cochange.read_ties_around(db, project_id, first_at)
    ties.learn(ChangeOccasion(files=tuple(first_at), at=max(first_at.values()), first_at=first_at))
    cochange.save_occasion(db, project_id, ties, first_at)


def list_cochanged(db: Db, project_id: str, paths: Sequence[str], limit: int) -> list[CochangedFile]:
    """What goes with these files, best first."""
    ties = cochange.read_ties_around(db, project_id, paths)
    candidates = [_to_cochanged(ties, paths, path, score) for path, score in ties.near(paths, limit)]
    # What is merely touched often, or called alike, was never seen together with them.
    return [candidate for candidate in candidates if candidate.commits or candidate.sessions]


def _read_commits(root: str, since: str) -> tuple[list[Commit], bool]:
    """The commits, and whether renames could be found: that takes the files' content, the rest only their names."""
    try:
        return list(history.read_commits(root, since=since, limit=MAX_COMMITS, renames=True)), True
    except RepositoryError:
        return list(history.read_commits(root, since=since, limit=MAX_COMMITS)), False


def _learn_commit(ties: Ties, commit: Commit, excluded: Sequence[str]) -> None:
    for change in commit.changes:
        if change.status == "R" and storable(change.was) in ties.files:
            ties.move(storable(change.was), storable(change.path))
    touched = _handwritten_paths(
        change.path
        for change in commit.changes
        if change.status != "D" and not find_excluded([change.path], excluded)
    )
    ties.learn(ChangeOccasion(files=touched, at=commit.at))
    for change in commit.changes:
        if change.status == "D":
            ties.remove(storable(change.path))


def _handwritten_paths(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(storable(path) for path in paths if is_handwritten(path))


def _to_cochanged(ties: Ties, paths: Sequence[str], path: str, score: float) -> CochangedFile:
    # Told of the given file it is tied to most.
    nearest = max(paths, key=lambda seed: ties.strength(seed, path))
    tie = ties.between(nearest, path)
    return CochangedFile(
        path=path,
        score=score,
        weight=ties.strength(nearest, path),
        commits=tie.votes.commits,
        sessions=tie.votes.sessions,
        apart=tie.average_apart,
        first=tie.direction,
        last_at=tie.votes.last_at,
    )
