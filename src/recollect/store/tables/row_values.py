"""Converting between rows and values: times and lists as the tables keep them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
# Made once: `json.dumps` with options of its own makes an encoder per call, and a write needs six.
_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def to_micros(at: datetime) -> int:
    """A moment as the tables keep it."""
    return (at - _EPOCH) // _MICROSECOND


def from_micros(micros: int) -> datetime:
    """The moment a table holds."""
    return _EPOCH + timedelta(microseconds=micros)


def json_text(value: object) -> str:
    """A value as a column of JSON."""
    return _JSON.encode(value)


def json_list(items: Iterable[object]) -> str:
    """A list as a parameter or a column."""
    values = [str(item) for item in items]
    return _JSON.encode(values) if values else "[]"  # most hold nothing


def json_list_or_none(items: Iterable[object]) -> str | None:
    """A list as a filter; an empty one filters nothing."""
    values = list(items)
    return json_list(values) if values else None
