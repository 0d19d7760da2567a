"""What agents did: every event is kept once, in the order it happened."""

from __future__ import annotations

import json
from collections.abc import Iterable

from recollect.model.event import Event, EventType, event_from_json, event_to_json
from recollect.store.db import Db
from recollect.store.tables.row_values import json_list, to_micros


def save_event(db: Db, event: Event, project_id: str | None) -> bool:
    """Keep an event; False if it was here already."""
    return bool(db.run("event_put", **_event_to_row(event, project_id)))


def save_events(db: Db, events: Iterable[tuple[Event, str | None]]) -> None:
    """Keep many events, each with its project; what was here already stays as it is."""
    db.run_many("event_put", (_event_to_row(event, project_id) for event, project_id in events))


def find_known_ids(db: Db, event_ids: Iterable[str]) -> set[str]:
    """Which of these are here already."""
    return {row["id"] for row in db.rows("events_known", ids=json_list(event_ids))}


def find_session_of(db: Db, event_id: str) -> str | None:
    """The session an event is kept under."""
    row = db.row("event_session", id=event_id)
    return row["session_id"] if row else None


def list_newest_events(db: Db, session_id: str, limit: int) -> list[Event]:
    """What happened last in a session, in the order it happened."""
    rows = db.rows("events_newest", session_id=session_id, limit=limit)
    return [_event_from_text(row["data"]) for row in reversed(rows)]


def count_unknown_events(db: Db) -> int:
    """How many events are kept that this version has no name for."""
    row = db.row("events_unknown")
    return int(row["found"]) if row else 0


def list_events(db: Db, session_id: str, only: EventType | None = None) -> list[Event]:
    """What agents did in a session, in the order it happened."""
    if only is None:
        rows = db.rows("events_of_session", session_id=session_id)
    else:
        rows = db.rows("events_of_session_by_type", session_id=session_id, type=only)
    return [_event_from_text(row["data"]) for row in rows]


def find_last_event(db: Db, session_id: str) -> Event | None:
    """The last thing an agent did in a session."""
    row = db.row("event_last", session_id=session_id)
    return _event_from_text(row["data"]) if row else None


def list_changed_files(db: Db, session_id: str, limit: int = 20) -> list[str]:
    """The files that a session changed, the last one first."""
    return [row["file"] for row in db.rows("files_changed", session_id=session_id, limit=limit)]


def read_events(db: Db, event_ids: Iterable[str]) -> list[Event]:
    """The events with these ids, as far as they are still kept."""
    rows = (db.row("event_by_id", id=event_id) for event_id in event_ids)
    return [_event_from_text(row["data"]) for row in rows if row is not None]


def _event_to_row(event: Event, project_id: str | None) -> dict[str, object]:
    return {
        "id": event.id,
        "at": to_micros(event.at),
        "type": str(event.type),
        "session_id": event.session_id,
        "project_id": project_id,
        "data": json.dumps(event_to_json(event), ensure_ascii=False, separators=(",", ":")),
    }


def _event_from_text(data: str) -> Event:
    return event_from_json(json.loads(data))
