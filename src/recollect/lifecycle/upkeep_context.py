"""What every upkeep job is given: database, kinds, the time, ids and the checkout."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path, PurePosixPath

from recollect.model.anchor import Checkout
from recollect.model.history import Act
from recollect.model.kinds import Kinds
from recollect.model.policy import EVENTS_KEPT_DAYS, SNAPSHOT_EVERY_SESSIONS, SNAPSHOTS_KEPT
from recollect.model.value import dataclass
from recollect.store.db import Db

# Who did it, when nobody did: time, or a rule.
UPKEEP = "recollect"


@dataclass(frozen=True, slots=True, kw_only=True)
class UpkeepContext:
    """Everything an act of upkeep may use. `exists` and `merged` are None where there is no project to ask."""

    db: Db
    kinds: Kinds
    now: datetime
    new_id: Callable[[datetime], str]
    project_id: str | None = None
    # Whether the project has a file of this path, and whether a branch of it is part of the main one.
    exists: Callable[[str], bool] | None = None
    merged: Callable[[str], bool] | None = None
    # The checkout whose files memories follow, asked for when a job needs it.
    checkout: Callable[[], Checkout | None] = lambda: None
    # So many sessions between two snapshots, and so many of them are kept.
    snapshots_every: int = SNAPSHOT_EVERY_SESSIONS
    snapshots_kept: int = SNAPSHOTS_KEPT
    # So long it is kept what agents were told; None is for ever.
    ledger_kept: timedelta | None = None
    # So long it is kept what people and agents said in sessions that were learned from.
    words_kept: timedelta = timedelta(days=EVENTS_KEPT_DAYS)
    # Whether the work of a branch, known by the subjects of its commits, has reached the main one since a moment.
    landed: Callable[[str, Sequence[str], datetime], bool] | None = None


def begin_upkeep(context: UpkeepContext, action: str, actor: str = UPKEEP, why: str = "") -> Act:
    """Somebody, or time, begins to do something."""
    by_person = actor not in ("agent", UPKEEP)
    return Act(
        id=context.new_id(context.now),
        at=context.now,
        actor=actor,
        action=action,
        why=why,
        by_person=by_person,
    )


def make_file_check(root: str | Path) -> Callable[[str], bool] | None:
    """Whether a project has a file of a path; None when the project itself is not there to be asked."""
    top = Path(root)
    if not top.is_dir():
        return None

    def exists(path: str) -> bool:
        # What lies outside cannot be told from here, so it is left alone.
        inside = PurePosixPath(path)
        if inside.is_absolute() or ".." in inside.parts:
            return True
        return os.path.lexists(top / inside)

    return exists
