"""Events of a program that speaks for itself: cleaned like those of a hook, and stored at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from recollect.errors import BadInput
from recollect.events.event_dict import tool_event_id
from recollect.events.places import place_of
from recollect.events.sanitize import tidy
from recollect.model.event import Event, EventType, ToolAction, event_from_json, event_to_json
from recollect.observe.folders import Folders
from recollect.observe.take_in import take_in
from recollect.store.db import Db


def event(
    kind: EventType | str,
    session_id: str,
    parts: Mapping[str, Any],
    *,
    now: datetime,
    new_id: Callable[[datetime], str],
    folder: str,
) -> Event:
    """One event, checked and cleaned. A call that has an id keeps it as its own, so told twice is told once."""
    if not session_id:
        raise BadInput(reason="an event belongs to a session; give its id")
    given = {"at": now, "folder": folder, **parts}
    if given["at"].tzinfo is None:
        raise BadInput(reason="the time of an event needs a time zone")
    try:
        given["action"] = ToolAction(given["action"]) if given.get("action") else None
        given["files"] = tuple(given.get("files", ()))
        made = Event(
            type=EventType(kind), session_id=session_id, id=given.pop("id", "") or new_id(now), **given
        )
    except (TypeError, ValueError) as error:
        raise BadInput(reason=str(error)) from error
    form = event_to_json(made)
    if made.call_id and "id" not in parts:
        form["id"] = tool_event_id(str(made.type), made.client, session_id, made.call_id)
    return event_from_json(tidy(form, place_of(made.folder)))


def keep(db: Db, said: Event, folders: Folders) -> bool:
    """Store an event; False if it was here already."""
    return take_in(db, [said], folders).stored == 1
