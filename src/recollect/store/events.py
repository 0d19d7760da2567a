"""What agents did: every event once, in the order it happened."""

from __future__ import annotations

import json
from collections.abc import Iterable

from recollect.model.event import Event, EventType, event_from_json, event_to_json
from recollect.store.db import Db
from recollect.store.rows import to_micros


def put(db: Db, event: Event, project_id: str | None) -> bool:
    """Keep an event; False if it was here already."""
    form = event_to_json(event)
    return bool(
        db.run(
            "event_put",
            id=event.id,
            at=to_micros(event.at),
            type=event.type,
            session_id=event.session_id,
            project_id=project_id,
            data=json.dumps(form, ensure_ascii=False, separators=(",", ":")),
        )
    )


def of_session(db: Db, session_id: str, only: EventType | None = None) -> list[Event]:
    """What agents did in a session, in the order it happened."""
    if only is None:
        rows = db.rows("events_of_session", session_id=session_id)
    else:
        rows = db.rows("events_of_session_by_type", session_id=session_id, type=only)
    return [_event(row["data"]) for row in rows]


def by_ids(db: Db, event_ids: Iterable[str]) -> list[Event]:
    """The events with these ids, as far as they are still kept."""
    rows = (db.row("event_by_id", id=event_id) for event_id in event_ids)
    return [_event(row["data"]) for row in rows if row is not None]


def _event(data: str) -> Event:
    return event_from_json(json.loads(data))
