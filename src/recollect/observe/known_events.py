"""
What a hook told and a transcript tells again.

Calls have ids, so both tell the same event. Words have none that both know: they are the same when they are
the same words, in the same session, at about the same time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from datetime import timedelta

from recollect.model.event import Event, EventType
from recollect.store.db import Db
from recollect.store.tables import events as event_rows
from recollect.store.tables import sessions

_ABOUT_THE_SAME_TIME = timedelta(minutes=2)


class Heard:
    """The events of sessions that are kept already."""

    def __init__(self, db: Db) -> None:
        self._db = db

    def without(self, events: list[Event]) -> list[Event]:
        """These events, without those that were heard before under another id."""
        ids = {event.id for event in events}
        heard: dict[Hashable, list[Event]] = defaultdict(list)
        for session_id in dict.fromkeys(event.session_id for event in events):
            if sessions.by_id(self._db, session_id) is None:
                continue
            for kept in event_rows.of_session(self._db, session_id):
                if kept.id not in ids:
                    heard[_says(kept)].append(kept)
        return (
            [event for event in events if not _is_among(heard.get(_says(event)), event)] if heard else events
        )


def _says(event: Event) -> Hashable:
    if event.type in (EventType.TOOL_CALLED, EventType.TOOL_FINISHED):
        return event.session_id, event.type, event.agent, event.tool, event.command, event.files
    if event.type in (EventType.SESSION_STARTED, EventType.COMPACTED):
        return event.session_id, event.type
    return event.session_id, event.type, event.agent, event.text


def _is_among(heard: list[Event] | None, event: Event) -> bool:
    for kept in heard or ():
        # Two calls that both have ids are two calls, however alike they are.
        if abs(kept.at - event.at) <= _ABOUT_THE_SAME_TIME and not (kept.call_id and event.call_id):
            heard.remove(kept)  # type: ignore[union-attr]  # there is one, or the loop would not run
            return True
    return False
