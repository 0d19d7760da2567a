"""The phase a session is in just now, from what happened last in it; kept with the session."""

from __future__ import annotations

from recollect.errors import NotFound
from recollect.model.phase import Phase
from recollect.observe.methodology import FindWay
from recollect.observe.steps import steps_of
from recollect.store.db import Db
from recollect.store.tables import events, sessions

# What happened before that tells nothing about now.
LOOKED_AT = 300


def phase_now(db: Db, session_id: str, way_of: FindWay) -> Phase | None:
    """The phase of a session; None while nothing has happened in it."""
    session = sessions.by_id(db, session_id)
    if session is None:
        raise NotFound(what="session", name=session_id)
    told = events.newest_of_session(db, session_id, LOOKED_AT)
    way = way_of(session, told, steps_of(session_id, told))
    phase = way.phase if way else None
    if phase and str(phase) != session.phase and not db.read_only:
        with db.transaction():
            sessions.worked(db, session_id, phase=str(phase))
    return phase
