"""What still waits in an inbox, as far as a hook asks for it: events of one session that no reader has stored yet."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recollect.events.event_dict import Form


def of_session(waiting: bytes, session_id: str, types: Sequence[str]) -> Iterator[Form]:
    """The events of a session that have one of these types, in the order they were written."""
    named = json.dumps(session_id, ensure_ascii=False).encode("utf-8", "replace")
    marks = [f'"type":"{kind}"'.encode() for kind in types]
    # Nothing of it is read that cannot be meant: an inbox may hold a long day.
    for line in waiting.splitlines():
        if named in line and any(mark in line for mark in marks):
            event = _parsed(line)
            if event.get("session_id") == session_id and event.get("type") in types:
                yield event


def _parsed(line: bytes) -> Form:
    try:
        event = json.loads(line)
    except ValueError:  # a writer was killed in the middle of it
        return {}
    return event if isinstance(event, dict) else {}
