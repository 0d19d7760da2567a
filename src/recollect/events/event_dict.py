"""
Events in the form they are written in.

A hook runs at every step of an agent, and loading the `Event` class costs more than all its work. So the
recording side speaks in forms, plain dictionaries as `event_to_json` writes them; whoever reads the inbox
makes events of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from recollect.model.ids import blake2b, id_of_digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    EventDict = dict[str, Any]
    Payload = Mapping[str, Any]
    NewId = Callable[[], str]

# Ids this long come from a random source, so a copy of a session repeats them; short ones are numbers that start again.
_WORLDWIDE = 20


def make_event(kind: str, *, id: str, at: str, session_id: str, **rest: Any) -> EventDict:
    """One event; what says nothing is left out."""
    event: EventDict = {"id": id, "type": kind, "at": at, "session_id": session_id}
    for name, value in rest.items():
        if value is not None and value != "" and value != () and value != [] and value != {}:
            event[name] = value
    return event


def format_time(microseconds: int) -> str:
    """
    A moment since 1970 as events carry it.

    Not in milliseconds: a quick client tells two things within one, and their order is what they mean.
    """
    seconds, rest = divmod(microseconds, 1_000_000)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{rest:06d}+00:00"


def derive_id(*parts: str) -> str:
    """The same id for the same facts, whoever tells them: a hook, a transcript, a copy of that transcript."""
    return id_of_digest(blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=16).digest())


def tool_event_id(kind: str, client: str, session_id: str, call_id: str) -> str:
    """The id of a call's beginning or end."""
    return derive_id(kind, client, "" if len(call_id) >= _WORLDWIDE else session_id, call_id)


def extract_text(value: object) -> str:
    """What a tool gave back, as text: a string, blocks of text, or anything else a program may answer with."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(part for part in map(extract_text, value) if part)
    if isinstance(value, dict):
        for name in ("text", "content", "output", "result"):
            if isinstance(value.get(name), str | list):
                return extract_text(value[name])
    return ""


def as_mapping(value: object) -> Mapping[str, Any]:
    """A dictionary, or an empty one where a client changed its mind."""
    return value if isinstance(value, dict) else {}


def as_text(value: object) -> str:
    """A text, or an empty one where a client changed its mind."""
    return value if isinstance(value, str) else ""


def as_whole_number(value: object) -> int | None:
    """A number, if that is what it is."""
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
