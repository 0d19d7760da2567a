"""What waits for a person: memories to review, pairs that contradict each other, and what a session was shown."""

from __future__ import annotations

from collections.abc import Iterator

from recollect.model.memory import Memory
from recollect.model.query import Filters
from recollect.store.db import Db
from recollect.store.tables.memories import filter_parameters, is_intact, memory_from_row

_PAGE_ROWS = 500


def list_waiting(db: Db, filters: Filters, limit: int) -> list[Memory]:
    """Memories that wait for a person and pass a filter, newest first."""
    return [
        memory_from_row(row)
        for row in db.rows("memories_waiting", **filter_parameters(filters), limit=limit)
        if is_intact(row)
    ]


def iterate_labelled(db: Db) -> Iterator[Memory]:
    """Every active memory with the label, a page at a time."""
    after = 0
    while page := db.rows("memories_labelled", after=after, limit=_PAGE_ROWS):
        yield from (memory_from_row(row) for row in page if is_intact(row))
        after = page[-1]["num"]


def list_applied(db: Db, session_id: str) -> list[Memory]:
    """What was put before the agent in a session."""
    return [memory_from_row(row) for row in db.rows("memories_applied", session_id=session_id)]


def count_waiting(db: Db, project_id: str | None) -> int:
    """How many memories of a project, or of none, wait for a person."""
    row = db.row("memories_waiting_count", project_id=project_id)
    return int(row["waiting"]) if row else 0


def list_conflicts(db: Db) -> list[tuple[str, str]]:
    """Pairs of ids that wait for somebody to say which holds: the newer, then the older; newest first."""
    return [(row["newer"], row["older"]) for row in db.rows("conflicts_waiting")]
