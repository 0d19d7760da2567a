"""Which session an agent's call belongs to, when it comes by another way than the hooks."""

from __future__ import annotations

from datetime import datetime, timedelta

from recollect.model.session import Session
from recollect.store.db import Db
from recollect.store.tables import sessions

# Hooks tell of a call before it is made: a session that was silent for longer is not the one that asks.
HEARD_WITHIN = timedelta(minutes=10)
_LOOKED_AT = 20


def open_session(db: Db, project_id: str | None, named: str | None, now: datetime) -> str | None:
    """
    The session that `named` names, or the one of this project that was heard of last, if it is still going on.

    A session that no hook has recorded does not count: what is noted in it would never be learned from.
    """
    found = sessions.by_id(db, named) if named else None
    if named and found is not None and found.ended_at is None:
        return named
    newest = (
        sessions.by_id(db, name)
        for name in sessions.newest(db, project_id, every_project=False, limit=_LOOKED_AT)
    )
    return next((one.id for one in newest if one and _is_open(one, project_id, now)), None)


def _is_open(session: Session, project_id: str | None, now: datetime) -> bool:
    is_here = session.project_id == project_id
    return is_here and session.ended_at is None and now - session.last_at <= HEARD_WITHIN
