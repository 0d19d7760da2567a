"""Counts and lists for a person who looks through the memory."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple

from recollect.model.injection import Injection
from recollect.model.memory import Relation, RelationType
from recollect.model.session import SessionSummary
from recollect.store.db import Db
from recollect.store.tables.injections import injection_from_row
from recollect.store.tables.row_values import from_micros, to_micros
from recollect.store.tables.sessions import find_session

_DAY = 86_400_000_000
_AFTER_COLON = ";"


class ActiveCounts(NamedTuple):
    """Of what is in use: how many, how many are stale and stood by, and how sure they are on average."""

    active: int
    stale: int
    verified: int
    confidence: float


class IncomingRelation(NamedTuple):
    """A memory that bears on another one, and how."""

    memory_id: str
    relation: Relation


def read_active_counts(db: Db, project_id: str | None, *, every_project: bool) -> ActiveCounts:
    """Counts over what is in use in a project, or in all."""
    row = db.row("browse_counts", project_id=project_id, every_project=int(every_project))
    assert row is not None
    return ActiveCounts(row["active"], row["stale"], row["verified"], float(row["confidence"]))


def count_memories_by_day(
    db: Db, project_id: str | None, since: datetime, *, every_project: bool
) -> dict[datetime, int]:
    """How many memories were made on each day (of UTC) since a moment."""
    rows = db.rows(
        "browse_memory_days",
        project_id=project_id,
        every_project=int(every_project),
        since=to_micros(since),
        day=_DAY,
    )
    return {_start_of(row["day"]): row["memories"] for row in rows}


def count_injections_by_day(
    db: Db, project_id: str | None, since: datetime, *, every_project: bool
) -> dict[datetime, tuple[int, int, int]]:
    """What was told on each day since a moment: lines, tokens, and how many lines were used."""
    rows = db.rows(
        "browse_injection_days",
        project_id=project_id,
        every_project=int(every_project),
        since=to_micros(since),
        day=_DAY,
    )
    return {_start_of(row["day"]): (row["lines"], row["tokens"], row["used"]) for row in rows}


def list_session_summaries(
    db: Db, project_id: str | None, *, every_project: bool, limit: int
) -> list[SessionSummary]:
    """The newest sessions with what came of each."""
    rows = db.rows("browse_sessions", project_id=project_id, every_project=int(every_project), limit=limit)
    sessions = [(find_session(db, row["id"]), row) for row in rows]
    return [
        SessionSummary(
            session=session,
            learned=row["learned"],
            told=row["told"],
            tokens=row["tokens"],
            used=row["used"],
        )
        for session, row in sessions
        if session is not None
    ]


def count_sessions_since(db: Db, project_id: str | None, since: datetime, *, every_project: bool) -> int:
    """How many sessions were heard of since a moment."""
    row = db.row(
        "browse_sessions_since",
        project_id=project_id,
        every_project=int(every_project),
        since=to_micros(since),
    )
    return int(row["sessions"]) if row else 0


def list_subjects_of_type(
    db: Db, subject_type: str, project_id: str | None, *, every_project: bool, limit: int
) -> dict[str, int]:
    """The things of a type that memories are about, each with how many, the most known first."""
    rows = db.rows(
        "browse_subjects",
        low=f"{subject_type}:",
        high=f"{subject_type}{_AFTER_COLON}",
        project_id=project_id,
        every_project=int(every_project),
        limit=limit,
    )
    return {row["subject"].partition(":")[2]: row["memories"] for row in rows}


def list_methodologies(db: Db) -> list[str]:
    """The ways of working that memories belong to."""
    return [row["methodology"] for row in db.rows("browse_methodologies")]


def list_injections_of_memory(db: Db, memory_id: str, limit: int) -> list[Injection]:
    """Where a memory was told, the newest first."""
    return [injection_from_row(row) for row in db.rows("browse_injections", memory_id=memory_id, limit=limit)]


def list_relations_to(db: Db, memory_id: str, limit: int) -> list[IncomingRelation]:
    """Who bears on a memory."""
    return [
        IncomingRelation(
            row["id"],
            Relation(
                type=RelationType(row["type"]),
                memory_id=memory_id,
                confidence=row["confidence"],
                auto_extracted=bool(row["auto_extracted"]),
            ),
        )
        for row in db.rows("relations_to", id=memory_id, limit=limit)
    ]


def _start_of(day: int) -> datetime:
    return from_micros(day * _DAY).astimezone(UTC)
