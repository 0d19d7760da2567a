"""Sessions whose agent is gone without having said so: killed, crashed, or lost with its terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from recollect.events.client_process import is_gone
from recollect.model.event import Event, EventType
from recollect.model.session import Session
from recollect.store.db import Db
from recollect.store.tables import events, sessions

# The newest of those that nobody has said to be over; older ones are over by their silence.
_LOOKED_AT = 20
KILLED = "killed"


def find_killed_sessions(db: Db, *, but_not: str = "") -> list[Session]:
    """The sessions that are still open here and whose process has ended."""
    open_ones = (sessions.find_session(db, name) for name in sessions.list_unended_sessions(db, _LOOKED_AT))
    return [
        session
        for session in open_ones
        if session and session.id != but_not and (process := _find_process(db, session)) and is_gone(process)
    ]


def end_killed_sessions(db: Db, new_id: Callable[[datetime], str], *, but_not: str = "") -> list[str]:
    """Write down that they are over, as of when they were last heard of; their ids."""
    killed = find_killed_sessions(db, but_not=but_not)
    for session in killed:
        ended = Event(
            id=new_id(session.last_at),
            type=EventType.SESSION_ENDED,
            at=session.last_at,
            session_id=session.id,
            client=session.client,
            data={"reason": KILLED},
        )
        with db.transaction():
            events.save_event(db, ended, session.project_id)
            sessions.end_session(db, session.id)
    return [session.id for session in killed]


def was_killed(own_events: Sequence[Event]) -> bool:
    """Whether the last that is known of a session is that its process was gone."""
    last = next((one for one in reversed(own_events) if one.type is EventType.SESSION_ENDED), None)
    return last is not None and last.data.get("reason") == KILLED


def _find_process(db: Db, session: Session) -> Mapping[str, Any] | None:
    """The process of its last start: a session that goes on may have another one."""
    starts = events.list_events(db, session.id, EventType.SESSION_STARTED)
    process = starts[-1].data.get("process") if starts else None
    return process if isinstance(process, Mapping) else None
