"""A hook's payload as the inbox keeps it: adapted, cleaned, cut, one line an event."""

from __future__ import annotations

import json

from recollect.clients.payloads import events_of
from recollect.events.event_dict import string
from recollect.events.places import place_of
from recollect.events.sanitize import tidy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.events.event_dict import Form, NewId, Payload


def lines_of(client: str, payload: Payload, now: str, new_id: NewId, *, root: str = "") -> list[str]:
    """What a payload tells, as lines of an inbox."""
    return [line_of(event) for event in forms_of(client, payload, now, new_id, root=root)]


def forms_of(client: str, payload: Payload, now: str, new_id: NewId, *, root: str = "") -> list[Form]:
    """What a payload tells, cleaned and cut."""
    return [
        tidy(event, place_of(string(event.get("folder")), root))
        for event in events_of(client, payload, now, new_id)
    ]


def line_of(event: Form) -> str:
    """An event as one line."""
    return json.dumps(event, ensure_ascii=False, separators=(",", ":"))
