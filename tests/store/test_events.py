"""Events and sessions as the store keeps them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from recollect.model.event import Event, EventType
from recollect.model.session import Session
from recollect.store.tables import events, sessions
from tests.builders import a_db

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


def test_an_event_is_kept_once() -> None:
    db = a_db()
    assert events.put(db, an_event(1), None)
    assert not events.put(db, an_event(1), None)
    assert events.of_session(db, "s1") == [an_event(1)]


def test_events_come_in_the_order_they_happened() -> None:
    db = a_db()
    for number in (3, 1, 2):
        events.put(db, an_event(number), None)
    events.put(db, an_event(4, session_id="s2"), None)
    events.put(db, an_event(5, type=EventType.ASSISTANT_TEXT), None)
    assert [event.id for event in events.of_session(db, "s1")] == ["e1", "e2", "e3", "e5"]
    assert [event.id for event in events.of_session(db, "s1", EventType.ASSISTANT_TEXT)] == ["e5"]
    assert [event.id for event in events.by_ids(db, ["e4", "gone", "e1"])] == ["e4", "e1"]


def test_what_is_known_of_a_session_grows_and_is_not_forgotten() -> None:
    db = a_db()
    begun = Session(id="s1", started_at=AT, last_at=AT, client="codex", branch="main")
    sessions.put(db, begun)
    later = AT + timedelta(hours=1)
    sessions.put(
        db, Session(id="s1", started_at=later, last_at=later, outcome="passed", tokens=9, ended_at=later)
    )
    assert sessions.by_id(db, "s1") == replace(
        begun, last_at=later, outcome="passed", tokens=9, ended_at=later
    )
    assert sessions.by_id(db, "s2") is None
