"""Sessions: when each was first and last heard of."""

from __future__ import annotations

from recollect.store.db import Db


def newest(db: Db, project_id: str | None, *, every_project: bool, limit: int) -> list[str]:
    """The ids of the newest sessions."""
    rows = db.rows("sessions_recent", project_id=project_id, every_project=int(every_project), limit=limit)
    return [row["id"] for row in rows]
