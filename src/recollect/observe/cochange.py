"""Which files go together: learned from the history of the repository, and from every session as it is learned from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta

from recollect.git import history
from recollect.model.cochange import Occasion, Ties
from recollect.model.commit import Commit
from recollect.model.event import ToolAction
from recollect.model.handwritten import is_handwritten
from recollect.model.project import storable
from recollect.model.step import Steps
from recollect.model.value import dataclass
from recollect.store.db import Db
from recollect.store.tables import cochange

# A history is read from here on: what lies further back has faded to nothing.
MOST_COMMITS = 5_000
_TOUCHING = frozenset({ToolAction.READ, ToolAction.EDIT, ToolAction.CREATE})


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryLearned:
    """How many commits were learned from, how many files are known now, and whether it began anew."""

    commits: int
    files: int
    anew: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Together:
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
    db: Db, root: str, project_id: str, progress: Callable[[int, int], None] = lambda done, total: None
) -> HistoryLearned:
    """Learn from every commit that was not learned from yet, the oldest first. A rewritten history is learned anew."""
    newest = cochange.newest_commit(db, project_id)
    anew = bool(newest) and not (
        history.knows(root, newest) and history.has_in_its_past(root, newest, "HEAD")
    )
    since = "" if anew else newest
    commits = list(history.commits(root, since=since, limit=MOST_COMMITS, renames=True))
    if not commits:
        return HistoryLearned(commits=0, files=len(cochange.whole(db, project_id).files))
    with db.transaction():
        if anew:
            cochange.forget(db, project_id)
        found = cochange.whole(db, project_id)
        before = set(found.files)
        for number, commit in enumerate(reversed(commits), start=1):
            _learn(found, commit)
            progress(number, len(commits))
        cochange.put(db, project_id, found, commit_sha=commits[0].sha, gone=before - set(found.files))
    return HistoryLearned(commits=len(commits), files=len(found.files), anew=anew)


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
    found = cochange.around(db, project_id, first_at)
    found.learn(Occasion(files=tuple(first_at), at=max(first_at.values()), first_at=first_at))
    cochange.put_occasion(db, project_id, found, first_at)


def together(db: Db, project_id: str, paths: Sequence[str], limit: int) -> list[Together]:
    """What goes with these files, best first."""
    found = cochange.around(db, project_id, paths)
    told = [_told(found, paths, path, score) for path, score in found.near(paths, limit)]
    # What is merely touched often, or called alike, was never seen together with them.
    return [one for one in told if one.commits or one.sessions]


def _learn(found: Ties, commit: Commit) -> None:
    for change in commit.changes:
        if change.status == "R" and storable(change.was) in found.files:
            found.move(storable(change.was), storable(change.path))
    touched = _kept(change.path for change in commit.changes if change.status != "D")
    found.learn(Occasion(files=touched, at=commit.at))
    for change in commit.changes:
        if change.status == "D":
            found.remove(storable(change.path))


def _kept(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(storable(path) for path in paths if is_handwritten(path))


def _told(found: Ties, paths: Sequence[str], path: str, score: float) -> Together:
    # Told of the given file it is tied to most.
    nearest = max(paths, key=lambda given: found.strength(given, path))
    tie = found.between(nearest, path)
    return Together(
        path=path,
        score=score,
        weight=found.strength(nearest, path),
        commits=tie.votes.commits,
        sessions=tie.votes.sessions,
        apart=tie.average_apart,
        first=tie.direction,
        last_at=tie.votes.last_at,
    )
