"""The trails of work that passed: one bounded row each."""

from __future__ import annotations

import json
from datetime import datetime

from recollect.model.signal import SequencePart
from recollect.model.trail import Trail
from recollect.store.db import Db, Row
from recollect.store.tables.row_values import from_micros, to_micros


def put(db: Db, trail: Trail) -> None:
    """Keep a trail as it is now."""
    parts = [[part.action, part.where, part.exact, part.event_id] for part in trail.parts]
    db.run(
        "trail_put",
        session_id=trail.session_id,
        work=trail.work,
        project_id=trail.project_id,
        at=to_micros(trail.at),
        task=trail.task,
        parts=json.dumps(parts, ensure_ascii=False, separators=(",", ":")),
    )


def between(db: Db, project_id: str | None, since: datetime, until: datetime, limit: int) -> list[Trail]:
    """The newest trails of a project between two moments, the newest first."""
    rows = db.rows(
        "trails_between",
        project_id=project_id,
        since=to_micros(since),
        until=to_micros(until),
        limit=limit,
    )
    return [_trail(row) for row in rows]


def drop_old(db: Db, before: datetime, limit: int) -> int:
    """Remove trails older than this; how many."""
    return db.run("trails_drop", before=to_micros(before), limit=limit)


def _trail(row: Row) -> Trail:
    return Trail(
        session_id=row["session_id"],
        work=row["work"],
        project_id=row["project_id"],
        at=from_micros(row["at"]),
        task=row["task"],
        parts=tuple(
            SequencePart(action=action, where=where, exact=exact, event_id=event_id)
            for action, where, exact, event_id in json.loads(row["parts"])
        ),
    )
