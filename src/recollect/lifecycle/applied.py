"""Noting what was put before an agent. It is no access: being shown unasked proves nothing about a memory."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from recollect.model.memory import Memory
from recollect.store import history
from recollect.store.sqlite import SqliteDb


def note_applied(db: SqliteDb, session_id: str, shown: Iterable[Memory], now: datetime) -> None:
    """These stood before the agent in a session; the review at its end shows them."""
    with db.transaction():
        for memory in shown:
            history.note_event(
                db,
                "injected",
                now,
                memory_id=memory.id,
                session_id=session_id,
                project_id=memory.project_id,
                data={},
            )
