"""Events and sessions as the store keeps them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from recollect.model.event import Event, EventType
from recollect.model.session import Session
from recollect.store.db import Db
from recollect.store.tables import events, sessions

AT = datetime(2026, 5, 8, 12, 0, tzinfo=UTC)


def an_event(number: int, **changes: object) -> Event:
    plain = Event(
        id=f"e{number}",
        type=EventType.PROMPT,
        at=AT + timedelta(seconds=number),
        session_id="s1",
        text=f"{number}",
    )
    return replace(plain, **changes)  # type: ignore[arg-type]


def test_an_event_is_kept_once(db: Db) -> None:
    assert events.save_event(db, an_event(1), None)
    assert not events.save_event(db, an_event(1), None)
    assert events.list_events(db, "s1") == [an_event(1)]


def test_events_come_in_the_order_they_happened(db: Db) -> None:
    for number in (3, 1, 2):
        events.save_event(db, an_event(number), None)
    events.save_event(db, an_event(4, session_id="s2"), None)
    events.save_event(db, an_event(5, type=EventType.ASSISTANT_TEXT), None)
    assert [event.id for event in events.list_events(db, "s1")] == ["e1", "e2", "e3", "e5"]
    assert [event.id for event in events.list_events(db, "s1", EventType.ASSISTANT_TEXT)] == ["e5"]
    assert [event.id for event in events.read_events(db, ["e4", "gone", "e1"])] == ["e4", "e1"]


def test_what_is_known_of_a_session_grows_and_is_not_forgotten(db: Db) -> None:
    begun = Session(id="s1", started_at=AT, last_at=AT, client="codex", branch="main")
    sessions.save_session(db, begun)
    later = AT + timedelta(hours=1)
    sessions.save_session(
        db, Session(id="s1", started_at=later, last_at=later, outcome="passed", tokens=9, ended_at=later)
    )
    assert sessions.find_session(db, "s1") == replace(
        begun, last_at=later, outcome="passed", tokens=9, ended_at=later
    )
    assert sessions.find_session(db, "s2") is None
