"""Sessions: when each was first and last heard of, what is known of it, and how far its transcript was read."""

from __future__ import annotations

from recollect.model.session import Session
from recollect.model.value import dataclass
from recollect.store.db import Db, Row
from recollect.store.tables.row_values import from_micros, to_micros


def save_session(db: Db, session: Session) -> None:
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
        owner=find_person(db),
    )


def find_person(db: Db) -> str | None:
    """Whose new sessions are, where several people share a store."""
    return db.viewer.person if db.viewer else None


def find_session(db: Db, session_id: str) -> Session | None:
    """What is known of a session."""
    row = db.row("session_by_id", id=session_id)
    return _session_from_row(row) if row else None


def record_work(db: Db, session_id: str, *, work: str = "", phase: str = "") -> None:
    """What a session worked on, and in which phase it is; an empty text leaves it as it was."""
    db.run("session_worked", id=session_id, work=work, phase=phase)


def count_sessions(db: Db) -> int:
    """How many sessions there have been."""
    row = db.row("sessions_count")
    return int(row["sessions"]) if row else 0


def list_newest_sessions(db: Db, project_id: str | None, *, every_project: bool, limit: int) -> list[str]:
    """The ids of the newest sessions."""
    rows = db.rows("sessions_recent", project_id=project_id, every_project=int(every_project), limit=limit)
    return [row["id"] for row in rows]


def list_open_sessions(db: Db, project_id: str | None, client: str, limit: int = 20) -> list[str]:
    """Sessions of a client that nobody has said to be over, the newest first."""
    rows = db.rows("sessions_left_open", project_id=project_id, client=client, limit=limit)
    return [row["id"] for row in rows]


def list_unended_sessions(db: Db, limit: int) -> list[str]:
    """Sessions of any client and project that nobody has said to be over, the newest first; no subagents."""
    return [row["id"] for row in db.rows("sessions_unended", limit=limit)]


def end_session(db: Db, session_id: str) -> None:
    """A session was over when it was last heard of."""
    db.run("session_end", id=session_id)


def _session_from_row(row: Row) -> Session:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptState:
    """A file as it was when it was read, and how far."""

    size: int
    # Nanoseconds, as the file system says.
    modified_at: int
    read_to: int


def find_transcript_state(db: Db, path: str) -> TranscriptState | None:
    """How far a file was read; None for one never seen."""
    row = db.row("transcript_state", path=path)
    return (
        TranscriptState(size=row["size"], modified_at=row["modified_at"], read_to=row["read_to"])
        if row
        else None
    )


def save_transcript_state(db: Db, path: str, client: str, state: TranscriptState, session_id: str) -> None:
    """A file was read so far."""
    db.run(
        "transcript_read",
        path=path,
        client=client,
        size=state.size,
        modified_at=state.modified_at,
        read_to=state.read_to,
        session_id=session_id,
    )
