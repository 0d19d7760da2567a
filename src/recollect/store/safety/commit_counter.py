"""
Counting commits inside the database, and noticing at open that some are missing.

The number lies in `meta` and goes up by one in every transaction that changes something; `mirror.py` repeats it
outside. A loss that was noticed is noted in the store and told until `recollect doctor --fix` has dealt with it.
"""

from __future__ import annotations

import json
from datetime import datetime

from recollect.model.value import asdict, dataclass
from recollect.store.db import Db
from recollect.store.safety import counter_file
from recollect.store.safety.counter_file import Mirrored
from recollect.store.sqlite.driver import SqliteDb
from recollect.store.tables import meta

_LOSSES = "losses"


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """So many commits are gone after one that is still there; `missing` is 0 when only that much is known."""

    noticed_at: str
    after: int
    missing: int

    def told(self) -> str:
        """The loss as a sentence."""
        if not self.missing:
            return "the log or the file beside it belongs to another store"
        gone = "1 commit is" if self.missing == 1 else f"{self.missing} commits are"
        return f"{gone} missing after number {self.after}"


def watch(db: SqliteDb, mirrored: Mirrored | None, now: datetime) -> None:
    """
    Compare the count inside with the one outside, and count from now on.

    `mirrored` must have been read before the database: then it can only be lower, unless commits are missing.
    """
    store, counted = _told(db)
    loss = _loss(store, counted, mirrored, now)
    if not db.read_only:
        if loss is not None:
            _note(db, loss)
        db.commits = Counting(db, counter_file.Mirror(db.path, store))
        if loss is not None:
            counter_file.reset(db.path, Mirrored(store=store, commits=_told(db)[1]))
    told = [*noted(db), *([loss] if loss is not None and db.read_only else [])]
    db.losses = tuple(each.told() for each in told)


def noted(db: Db) -> list[Loss]:
    """The losses that were noticed and not dealt with yet."""
    return [Loss(**loss) for loss in json.loads(meta.get(db, _LOSSES) or "[]")]


def settle(db: SqliteDb) -> None:
    """What could be done about the losses was done: the store counts on from where it is."""
    meta.put(db, _LOSSES, "[]")
    reset(db, db.path)
    db.losses = ()


def reset(db: SqliteDb, db_path: str) -> None:
    """Let the mirror beside a file say what this store says, which was just put there."""
    store, counted = _told(db)
    counter_file.reset(db_path, Mirrored(store=store, commits=counted))


class Counting:
    """Goes up by one with every transaction of a connection that changed something."""

    def __init__(self, db: SqliteDb, beside: counter_file.Mirror) -> None:
        self._db = db
        self._beside = beside

    def count(self) -> int:
        """One more; part of the transaction that is about to be committed."""
        return int(self._db.rows("commit_count")[0]["value"])

    def committed(self, number: int) -> None:
        """That one is on disk now."""
        self._beside.tell(number)

    def close(self) -> None:
        """No more will come."""
        self._beside.close()


def _told(db: SqliteDb) -> tuple[str, int]:
    return meta.get(db, "store") or "", int(meta.get(db, "commits") or 0)


def _loss(store: str, counted: int, mirrored: Mirrored | None, now: datetime) -> Loss | None:
    if mirrored is None or (mirrored.store == store and mirrored.commits <= counted):
        return None
    missing = mirrored.commits - counted if mirrored.store == store else 0
    return Loss(noticed_at=now.isoformat(), after=counted, missing=missing)


def _note(db: SqliteDb, loss: Loss) -> None:
    with db.transaction():
        # Asked again inside the transaction: another process may have noted it while we waited.
        _, counted = _told(db)
        if counted != loss.after or any(other.after == loss.after for other in noted(db)):
            return
        meta.put(db, _LOSSES, json.dumps([asdict(each) for each in (*noted(db), loss)]))
        if loss.missing:
            # The count goes on above what is gone: the same number never stands for two commits.
            meta.put(db, "commits", str(loss.after + loss.missing))
