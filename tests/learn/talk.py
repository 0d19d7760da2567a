"""Sessions with words in them, told in as few as a test needs."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from recollect import Recollect
from recollect.learn.findings import RuleFinding
from recollect.learn.listen import listen
from recollect.model.event import EventType
from recollect.model.session import WorkVerdict
from recollect.model.step import Steps
from recollect.observe.steps import build_steps
from tests.conftest import Clock
from tests.observe.events import an_event

Line = tuple[EventType, dict[str, Any]]


def person(text: str, **data: Any) -> Line:
    return EventType.PROMPT, {"text": text, "data": data}


def agent(text: str) -> Line:
    return EventType.ASSISTANT_TEXT, {"text": text}


def summary(text: str) -> Line:
    return EventType.COMPACTED, {"text": text}


def act(parts: dict[str, Any], **data: Any) -> Line:
    """A step, as `tests/observe/acts.py` makes them."""
    known = {name: value for name, value in parts.items() if name not in ("edits", "denied")}
    edits = [{"file": e.file, "before": e.before, "after": e.after} for e in parts.get("edits", ())]
    return EventType.TOOL_FINISHED, {"ok": True, **known, "data": {"edits": edits, **data}}


def session(*lines: Line) -> Steps:
    """These lines as the steps of one session."""
    return build_steps("s1", _events(lines))


def _events(lines: tuple[Line, ...]) -> Iterator[Any]:
    for number, (kind, parts) in enumerate(lines, start=1):
        call = {"call_id": f"call-{number}"} if kind is EventType.TOOL_FINISHED else {}
        yield an_event(kind, 5 * number, **call, **parts)


def heard(*lines: Line, verdict: WorkVerdict = WorkVerdict.PASSED) -> list[RuleFinding]:
    """What is heard in a session."""
    return listen(session(*lines), verdict)


def live(memory: Recollect, clock: Clock, name: str, *lines: Line) -> None:
    """The same told to a memory, from its beginning to its end."""
    memory.observer.record(EventType.SESSION_STARTED, session=name, data={"branch": "topic"})
    for number, (kind, parts) in enumerate(lines):
        clock.at += timedelta(seconds=5)
        call = (
            {"call_id": f"{name}-call-{number:04d}-of-a-session"} if kind is EventType.TOOL_FINISHED else {}
        )
        memory.observer.record(kind, session=name, **call, **parts)
    memory.observer.record(EventType.SESSION_ENDED, session=name)
    clock.at += timedelta(hours=1)
