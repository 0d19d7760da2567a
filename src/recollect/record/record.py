"""A hook's payload, written into the inbox: adapted, cleaned, cut, one line an event."""

from __future__ import annotations

import json
import time

from recollect.model.ids import id_at
from recollect.record.clients import events_of
from recollect.record.form import string
from recollect.record.inbox import MOST_BYTES, append
from recollect.record.places import place_of
from recollect.record.tidy import tidy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from recollect.record.form import Form, NewId, Payload


def record(
    inbox: str,
    client: str,
    payload: Payload,
    *,
    milliseconds: int,
    chance: Callable[[], int],
    root: str = "",
    most_bytes: int = MOST_BYTES,
) -> int:
    """
    Write down what a payload tells: the one call of a recording hook.

    `milliseconds` is the time since 1970, `chance` gives numbers of 80 bits. The answer is how many events are safe on
    disk; fewer than the payload told means that the inbox is full.
    """
    at = (
        time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(milliseconds // 1000))
        + f".{milliseconds % 1000:03d}+00:00"
    )
    lines = lines_of(client, payload, at, lambda: id_at(milliseconds, chance()), root=root)
    return append(inbox, lines, most_bytes=most_bytes)


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
