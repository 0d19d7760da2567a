"""Whole sessions told through the library, as a client would tell them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from recollect import Recollect
from recollect.model.event import EventType
from tests.conftest import Clock


def tell(memory: Recollect, clock: Clock, session: str, *acts: dict[str, Any], **started: Any) -> None:
    """A session from its beginning to its end: each act is a step, a text is a prompt of the person."""
    begin(memory, session, **started)
    go_on(memory, clock, session, *acts)
    memory.observer.record(EventType.SESSION_ENDED, session=session)
    clock.at += timedelta(hours=1)


def begin(memory: Recollect, session: str, **data: Any) -> None:
    memory.observer.record(EventType.SESSION_STARTED, session=session, data={"branch": "topic", **data})


def go_on(memory: Recollect, clock: Clock, session: str, *acts: dict[str, Any] | str) -> None:
    for number, act in enumerate(acts):
        clock.at += timedelta(seconds=5)
        if isinstance(act, str):
            memory.observer.record(EventType.PROMPT, session=session, text=act)
            continue
        parts = {name: value for name, value in act.items() if name not in ("edits", "denied")}
        data = {"edits": [_edit(one) for one in act.get("edits", ())]}
        call_id = f"{session}-{clock.at.timestamp()}-{number}"
        memory.observer.record(
            EventType.TOOL_FINISHED, session=session, call_id=call_id, data=data, **({"ok": True} | parts)
        )


def _edit(edit: Any) -> dict[str, str]:
    return {"file": edit.file, "before": edit.before, "after": edit.after}
