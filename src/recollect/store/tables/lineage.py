"""Lineage: what memories were derived from, and what a session prompted, read and left."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import NamedTuple

from recollect.model.event import Event, event_from_json
from recollect.model.memory import MemoryState
from recollect.model.provenance import Channel, Source
from recollect.model.source_name import SourceName
from recollect.store.db import Db, Row
from recollect.store.tables.row_values import json_list, to_micros

# A chain of derivations longer than this is a circle or an attack.
MAX_DEPTH = 64


class Ancestor(NamedTuple):
    """What a memory was derived from, as far as its standing goes."""

    id: str
    channel: Channel
    source: Source
    state: MemoryState
    verified: bool
    has_events: bool


def find_ancestors(db: Db, memory_id: str) -> list[Ancestor]:
    """The memory itself and what it was derived from, over any depth; a person's yes ends the line."""
    return [
        Ancestor(
            row["id"],
            Channel(row["channel"]),
            Source(row["source"]),
            MemoryState(row["state"]),
            bool(row["verified"]),
            bool(row["has_events"]),
        )
        for row in db.rows("memory_ancestors", id=memory_id)
    ]


def find_descendants(db: Db, memory_ids: Iterable[str]) -> dict[str, int]:
    """The ids of what was derived from memories, with how far away each is, nearest first."""
    rows = db.rows("memory_descendants", ids=json_list(memory_ids), most=MAX_DEPTH)
    return {row["id"]: row["depth"] for row in rows}


def list_ids_from_source(
    db: Db, source: SourceName, project_id: str | None, *, every_project: bool
) -> list[str]:
    """The ids of what came from a source and is not forgotten yet, oldest first."""
    parameters: dict[str, object] = {
        "name": source.name,
        "project_id": project_id,
        "every_project": int(every_project),
    }
    return [row["id"] for row in _FROM[source.kind](db, parameters)]


def list_outputs(db: Db, session_id: str, limit: int) -> list[Event]:
    """The last things that tools gave back in a session, newest first."""
    rows = db.rows("session_outputs", session_id=session_id, limit=limit)
    return [event_from_json(json.loads(row["data"])) for row in rows]


def count_notes_left(
    db: Db, channel: Channel, session_id: str | None, *, since: datetime, newest: int
) -> int:
    """How many memories a session left by one way; without a session, how many came so since a moment."""
    if session_id:
        row = db.row("notes_of_session", session_id=session_id, channel=channel)
    else:
        row = db.row("notes_without_session", channel=channel, since=to_micros(since), newest=newest)
    return int(row["notes"]) if row else 0


_FROM: dict[str, Callable[[Db, dict[str, object]], list[Row]]] = {
    "channel": lambda db, here: db.rows("from_channel", **here),
    "source": lambda db, here: db.rows("from_source", **here),
    "session": lambda db, here: db.rows("from_session", **here),
    "event": lambda db, here: db.rows("from_event", **here),
    "tool": lambda db, here: db.rows("from_tool", **here),
    "file": lambda db, here: db.rows("from_file", **here),
    "url": lambda db, here: db.rows("from_url", **here),
}
