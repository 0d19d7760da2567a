"""What waits for a person, and what a session was given to read."""

from __future__ import annotations

from collections.abc import Iterator

from recollect.model.memory import Memory
from recollect.model.query import Filters
from recollect.store.db import Db
from recollect.store.tables.memories import filter_parameters, memory_of

_PAGE = 500


def waiting(db: Db, filters: Filters, limit: int) -> list[Memory]:
    """Memories that wait for a person and pass a filter, newest first."""
    return [memory_of(row) for row in db.rows("memories_waiting", **filter_parameters(filters), limit=limit)]


def labelled(db: Db) -> Iterator[Memory]:
    """Every active memory with the label, a page at a time."""
    after = 0
    while page := db.rows("memories_labelled", after=after, limit=_PAGE):
        yield from (memory_of(row) for row in page)
        after = page[-1]["num"]


def applied(db: Db, session_id: str) -> list[Memory]:
    """What was put before the agent in a session."""
    return [memory_of(row) for row in db.rows("memories_applied", session_id=session_id)]


def waiting_count(db: Db, project_id: str | None) -> int:
    """How many memories of a project, or of none, wait for a person."""
    row = db.row("memories_waiting_count", project_id=project_id)
    return int(row["waiting"]) if row else 0
