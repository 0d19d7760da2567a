"""Direct events: what a program records about its work itself, cleaned like the events of a hook and stored at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from recollect.errors import BadInput
from recollect.events.event_dict import tool_event_id
from recollect.events.places import paths_of_folder
from recollect.events.sanitize import sanitize_event
from recollect.events.tool_actions import NAMED
from recollect.model.complexity import Complexity
from recollect.model.event import Event, EventType, ToolAction, event_from_json, event_to_json
from recollect.model.scope import parse_workref
from recollect.model.session import Session
from recollect.observe.folders import Folders
from recollect.observe.take_in import store_events
from recollect.store.db import Db
from recollect.store.tables import sessions


def make_event(
    kind: EventType | str,
    session_id: str,
    parts: Mapping[str, Any],
    *,
    now: datetime,
    new_id: Callable[[datetime], str],
    folder: str,
    excluded: Sequence[str] = (),
) -> Event:
    """One event, checked and cleaned. A call that has an id keeps it as its own, so told twice is told once."""
    if not session_id:
        raise BadInput(reason="an event belongs to a session; give its id")
    values = {"at": now, "folder": folder, **parts}
    # What a call named is no part of the event: cleaning uses it and lets it go.
    named = values.pop(NAMED, ())
    if values["at"].tzinfo is None:
        raise BadInput(reason="the time of an event needs a time zone")
    try:
        values["action"] = ToolAction(values["action"]) if values.get("action") else None
        values["files"] = tuple(values.get("files", ()))
        event = Event(
            type=EventType(kind), session_id=session_id, id=values.pop("id", "") or new_id(now), **values
        )
    except (TypeError, ValueError) as error:
        raise BadInput(reason=str(error)) from error
    form = {**event_to_json(event), NAMED: named}
    if event.call_id and "id" not in parts:
        form["id"] = tool_event_id(str(event.type), event.client, session_id, event.call_id)
    return event_from_json(sanitize_event(form, paths_of_folder(event.folder), excluded))


def store_event(db: Db, event: Event, folders: Folders) -> bool:
    """Store an event; False if it was here already."""
    return store_events(db, [event], folders).stored == 1


RecordEvent = Callable[..., Event]
VERDICTS = ("pass", "fail")
OUTCOMES = ("passed", "failed", "abandoned")


def record_verdict(
    record: RecordEvent, verdict: str, *, session: str, unit: str = "", why: str = "", by: str = ""
) -> Event:
    """The work of a session, or one unit of it, passed or failed."""
    if verdict not in VERDICTS:
        raise BadInput(reason=f"a verdict is pass or fail, not {verdict!r}")
    data: dict[str, Any] = {"verdict": verdict, "by": by}
    if unit:
        data["unit"] = str(parse_workref(unit))
    return record(EventType.VALIDATION, session=session, text=why, data=data)


def record_work_started(
    record: RecordEvent, ref: str, *, session: str, planned: int = 0, complexity: str = ""
) -> Event:
    """A unit of work begins."""
    if planned < 0:
        raise BadInput(reason=f"the planned steps are at least 0, not {planned}")
    if complexity and complexity not in set(Complexity):
        raise BadInput(reason=f"the complexity is {', '.join(Complexity)}, not {complexity!r}")
    data: dict[str, Any] = {"work": str(parse_workref(ref))}
    if planned:
        data["planned"] = planned
    if complexity:
        data["complexity"] = complexity
    return record(EventType.WORK_STARTED, session=session, data=data)


def record_dead_end(
    record: RecordEvent,
    tried: str,
    *,
    session: str,
    why: str = "",
    instead: str = "",
    files: Sequence[str] = (),
    by: str = "",
) -> Event:
    """An approach leads nowhere."""
    if not tried.strip():
        raise BadInput(reason="say what was tried")
    data = {name: text for name, text in (("why", why), ("instead", instead), ("by", by)) if text}
    return record(EventType.DEAD_END, session=session, text=tried, files=files, data=data)


def record_work_finished(
    record: RecordEvent, ref: str, *, session: str, outcome: str = "", why: str = ""
) -> Event:
    """A unit of work is finished; without an outcome its checks will tell."""
    if outcome and outcome not in OUTCOMES:
        raise BadInput(reason=f"an outcome is {', '.join(OUTCOMES)}, not {outcome!r}")
    data: dict[str, Any] = {"work": str(parse_workref(ref))}
    if outcome:
        data["outcome"] = outcome
    return record(EventType.WORK_FINISHED, session=session, text=why, data=data)


# Hooks tell of a call before it is made: a session that was silent for longer is not the one that asks.
MAX_SILENCE = timedelta(minutes=10)
_LOOKED_AT = 20


def find_open_session(db: Db, project_id: str | None, session_id: str | None, now: datetime) -> str | None:
    """
    The session that `named` names, or the one of this project that was heard of last, if it is still going on.

    A session that no hook has recorded does not count: what is noted in it would never be learned from.
    """
    named_session = sessions.find_session(db, session_id) if session_id else None
    if session_id and named_session is not None and named_session.ended_at is None:
        return session_id
    newest = (
        sessions.find_session(db, name)
        for name in sessions.list_newest_sessions(db, project_id, every_project=False, limit=_LOOKED_AT)
    )
    return next((session.id for session in newest if session and _is_open(session, project_id, now)), None)


def _is_open(session: Session, project_id: str | None, now: datetime) -> bool:
    is_here = session.project_id == project_id
    return is_here and session.ended_at is None and now - session.last_at <= MAX_SILENCE
