"""What every client's payload reader does with an event: read it, pass over it, or keep an unknown one as it came."""

from __future__ import annotations

import json

from recollect.events.event_dict import make_event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from recollect.events.event_dict import EventDict, NewId, Payload

    # A payload, the time and a source of ids; the events it tells.
    PayloadReader = Callable[[Payload, str, NewId], list[EventDict]]

_MAX_RAW = 20_000


def read_by_event(
    readers: Mapping[str, PayloadReader],
    name: str,
    payload: Payload,
    at: str,
    new_id: NewId,
    *,
    nothing: Collection[str],
    common: Callable[[Payload], EventDict],
) -> list[EventDict]:
    """The events a payload tells; one that this version does not know (a newer client sends it) is kept, cut."""
    reader = readers.get(name)
    if reader is not None:
        return reader(payload, at, new_id)
    if name in nothing:
        return []
    where = {part: value for part, value in common(payload).items() if part != "agent"}
    raw = json.dumps(payload, ensure_ascii=False, default=str)[:_MAX_RAW]
    return [make_event("unknown", id=new_id(), at=at, **where, data={"event": name, "raw": raw})]
