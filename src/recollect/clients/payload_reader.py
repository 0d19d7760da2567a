"""What every client's adapter does with a payload: tell it, pass over it, or keep as it came what is not known."""

from __future__ import annotations

import json

from recollect.events.event_dict import form

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from recollect.events.event_dict import Form, NewId, Payload

    # One event's payload, the time and a source of ids; what it tells.
    Teller = Callable[[Payload, str, NewId], list[Form]]

_MOST = 20_000


def told_by(
    tellers: Mapping[str, Teller],
    name: str,
    payload: Payload,
    at: str,
    new_id: NewId,
    *,
    nothing: Collection[str],
    common: Callable[[Payload], Form],
) -> list[Form]:
    """What a payload of this name tells; what a newer client says and this version does not know is kept, cut."""
    teller = tellers.get(name)
    if teller is not None:
        return teller(payload, at, new_id)
    if name in nothing:
        return []
    where = {part: value for part, value in common(payload).items() if part != "agent"}
    said = json.dumps(payload, ensure_ascii=False, default=str)[:_MOST]
    return [form("unknown", id=new_id(), at=at, **where, data={"event": name, "raw": said})]
