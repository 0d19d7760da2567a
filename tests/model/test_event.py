"""The event language: what is written is read back, and a later version's words do no harm."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from recollect.model.event import Event, EventType, ToolAction, event_from_json, event_to_json

AT = datetime(2026, 5, 8, 12, 0, tzinfo=UTC)
FULL = Event(
    id="01J0000000000000000000000A",
    type=EventType.TOOL_FINISHED,
    at=AT,
    session_id="s1",
    client="claude-code",
    folder="/home/alex/site",
    agent="a1",
    text="done",
    call_id="call-1",
    tool="Bash",
    action=ToolAction.RUN,
    files=("src/auth.py", "tests/test_auth.py"),
    command="pytest -q",
    ok=False,
    exit_code=1,
    output="1 failed",
    duration_ms=1200,
    data={"tokens": 17, "before": "aa"},
)


def test_an_event_survives_its_json_form() -> None:
    assert event_from_json(json.loads(json.dumps(event_to_json(FULL)))) == FULL


def test_what_says_nothing_is_left_out() -> None:
    bare = Event(id="x", type=EventType.PROMPT, at=AT, session_id="s1", text="hello")
    assert set(event_to_json(bare)) == {"id", "type", "at", "session_id", "text"}
    assert event_from_json(event_to_json(bare)) == bare


def test_a_failure_and_an_exit_status_of_zero_are_said() -> None:
    form = event_to_json(
        Event(id="x", type=EventType.TOOL_FINISHED, at=AT, session_id="s", ok=False, exit_code=0)
    )
    assert (form["ok"], form["exit_code"]) == (False, 0)


def test_words_of_a_later_version_become_unknown() -> None:
    form = event_to_json(FULL) | {"type": "dreamt", "action": "levitate", "mood": "good"}
    event = event_from_json(form)
    assert (event.type, event.action) == (EventType.UNKNOWN, ToolAction.OTHER)
