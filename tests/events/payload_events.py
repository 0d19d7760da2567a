"""Payloads of the shapes that clients send, with values of our own, and what they become."""

from __future__ import annotations

import itertools
import json
from functools import cache
from pathlib import Path
from typing import Any

from recollect.hooks.hook_context import read_events
from recollect.model.event import Event, event_from_json

NOW = "2026-03-04T10:00:00.000+00:00"
FOLDER = Path(__file__).parent / "payloads"


@cache
def payloads(client: str) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads(
        (FOLDER / f"{client.replace('-', '_')}.json").read_text("utf-8")
    )
    return found


def told(client: str, name: str, **changes: Any) -> list[Event]:
    """The events a payload becomes, cleaned."""
    numbers = itertools.count(1)
    payload = payloads(client)[name] | changes
    forms = read_events(client, payload, NOW, lambda: f"new-{next(numbers)}")
    return [event_from_json(form) for form in forms]


def one(client: str, name: str, **changes: Any) -> Event:
    (event,) = told(client, name, **changes)
    return event
