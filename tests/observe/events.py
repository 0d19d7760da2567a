"""Events with defaults, so that a test shows only what matters to it."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from typing import Any

from recollect.model.event import Event, EventType, ToolAction

START = datetime(2026, 3, 4, 10, 0, tzinfo=UTC)
_numbers = itertools.count(1)


def an_event(kind: EventType, second: float = 0, **parts: Any) -> Event:
    values: dict[str, Any] = {"id": f"event-{next(_numbers)}", "session_id": "s1", "client": "claude-code"}
    return Event(type=kind, at=START + timedelta(seconds=second), **(values | parts))


def a_call(second: float, call_id: str = "", **parts: Any) -> Event:
    values = {"tool": "Bash", "action": ToolAction.RUN, "command": "make", "call_id": call_id}
    return an_event(EventType.TOOL_CALLED, second, **(values | parts))


def an_end(second: float, call_id: str = "", **parts: Any) -> Event:
    values = {"tool": "Bash", "action": ToolAction.RUN, "command": "make", "call_id": call_id}
    return an_event(EventType.TOOL_FINISHED, second, **(values | parts))
