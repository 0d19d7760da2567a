"""Sessions into what foresight knows: each as far as it went, in place of what was kept of it before."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.model.event import Event
from recollect.model.session import Session
from recollect.predict_files.past_sessions import past_of
from recollect.store.db import Db
from recollect.store.tables import events as event_rows
from recollect.store.tables import file_visits, sessions

# Older sessions of a project are let go: what they touched has been touched since, or is of no more use.
MOST_SESSIONS = 400


def keep(db: Db, session: Session, told: Sequence[Event]) -> None:
    """Keep what a session tells foresight up to now."""
    if session.project_id is None:
        return
    past = past_of(session, told)
    with db.transaction():
        file_visits.put(db, past, session.last_at)
        file_visits.keep_newest(db, session.project_id, MOST_SESSIONS)


def catch_up(db: Db, limit: int = 20) -> int:
    """Read the sessions that went on since they were read, the newest first; how many."""
    due = file_visits.behind(db, limit)
    for session_id in due:
        session = sessions.by_id(db, session_id)
        if session is not None:
            keep(db, session, event_rows.of_session(db, session_id))
    return len(due)
