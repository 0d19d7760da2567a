"""Sessions: when each was first and last heard of, and what is known of it."""

from __future__ import annotations

from recollect.model.session import Session
from recollect.store.db import Db, Row
from recollect.store.tables.row_values import from_micros, to_micros


def put(db: Db, session: Session) -> None:
    """Keep what is known of a session; what this value does not say stays as it was."""
    db.run(
        "session_put",
        id=session.id,
        project_id=session.project_id,
        started_at=to_micros(session.started_at),
        last_at=to_micros(session.last_at),
        client=session.client,
        branch=session.branch,
        phase=session.phase,
        work=session.work,
        outcome=session.outcome,
        tokens=session.tokens,
        parent_id=session.parent_id,
        ended_at=to_micros(session.ended_at) if session.ended_at else None,
    )


def by_id(db: Db, session_id: str) -> Session | None:
    """What is known of a session."""
    row = db.row("session_by_id", id=session_id)
    return _session(row) if row else None


def worked(db: Db, session_id: str, *, work: str = "", phase: str = "") -> None:
    """What a session worked on, and in which phase it is; an empty text leaves it as it was."""
    db.run("session_worked", id=session_id, work=work, phase=phase)


def count(db: Db) -> int:
    """How many sessions there have been."""
    row = db.row("sessions_count")
    return int(row["sessions"]) if row else 0


def newest(db: Db, project_id: str | None, *, every_project: bool, limit: int) -> list[str]:
    """The ids of the newest sessions."""
    rows = db.rows("sessions_recent", project_id=project_id, every_project=int(every_project), limit=limit)
    return [row["id"] for row in rows]


def left_open(db: Db, project_id: str | None, client: str, limit: int = 20) -> list[str]:
    """Sessions of a client that nobody has said to be over, the newest first."""
    rows = db.rows("sessions_left_open", project_id=project_id, client=client, limit=limit)
    return [row["id"] for row in rows]


def end(db: Db, session_id: str) -> None:
    """A session was over when it was last heard of."""
    db.run("session_end", id=session_id)


def _session(row: Row) -> Session:
    return Session(
        id=row["id"],
        project_id=row["project_id"],
        started_at=from_micros(row["started_at"]),
        last_at=from_micros(row["last_at"]),
        client=row["client"],
        branch=row["branch"],
        phase=row["phase"],
        work=row["work"],
        outcome=row["outcome"],
        tokens=row["tokens"],
        parent_id=row["parent_id"],
        ended_at=from_micros(row["ended_at"]) if row["ended_at"] is not None else None,
    )
