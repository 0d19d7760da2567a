"""Redaction of messages: secrets are taken out of every text of a JSON value before it is stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.events.redact import redact

# Signed by the provider: changed, they would be refused, so one that holds a secret is left out whole.
_SIGNED = ("thinking", "redacted_thinking")
# A value longer than this is a text of its own, whatever its key is called.
_MAX_NAMED = 400


def redact_values(value: Any) -> tuple[Any, int]:
    """The value without secrets, and how many were taken out. A key such as `password` makes its text a secret."""
    if isinstance(value, str):
        redacted = redact(value)
        return redacted.text, len(redacted.kinds)
    if isinstance(value, Mapping):
        return _redact_mapping(value)
    if isinstance(value, list | tuple):
        return _redact_list(value)
    return value, 0


def _redact_mapping(table: Mapping[str, Any]) -> tuple[dict[str, Any], int]:
    values: dict[str, Any] = {}
    count = 0
    for key, value in table.items():
        values[key], secrets = redact_values(value)
        if not secrets and isinstance(value, str):
            values[key], secrets = _redact_named(str(key), value)
        count += secrets
    return values, count


def _redact_named(key: str, value: str) -> tuple[str, int]:
    """The value of a key, looked at together with the key's name."""
    if not value or len(value) > _MAX_NAMED or "\n" in value:
        return value, 0
    named = redact(f"{key}={value}")
    return (named.text.partition("=")[2], len(named.kinds)) if named.kinds else (value, 0)


def _redact_list(items: list[Any] | tuple[Any, ...]) -> tuple[list[Any], int]:
    values: list[Any] = []
    count = 0
    for item in items:
        value, secrets = redact_values(item)
        count += secrets
        if not (secrets and isinstance(item, Mapping) and item.get("type") in _SIGNED):
            values.append(value)
    return values, count
