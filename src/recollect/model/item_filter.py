"""Filters on a value: equality, comparisons (`$gt` …), and paths into it (`user.name`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import eq, ge, gt, le, lt, ne
from typing import Any

_MISSING = object()
_OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    "$eq": eq,
    "$ne": ne,
    "$gt": gt,
    "$gte": ge,
    "$lt": lt,
    "$lte": le,
}


def passes_filter(value: Mapping[str, Any], filters: Mapping[str, Any]) -> bool:
    """Whether a value passes every condition. What it does not have equals nothing."""
    return all(_passes(_look_up(value, path), condition) for path, condition in filters.items())


def unknown_operators(filters: Mapping[str, Any]) -> list[str]:
    """The operators in a filter that do not exist."""
    return [
        name
        for condition in filters.values()
        if isinstance(condition, Mapping)
        for name in condition
        if str(name).startswith("$") and name not in _OPERATORS
    ]


def _look_up(value: Any, path: str) -> Any:
    """What stands under a key, or under a path of keys joined by dots."""
    if isinstance(value, Mapping):
        if path in value:
            return value[path]
        first, dot, rest = path.partition(".")
        if dot and first in value:
            return _look_up(value[first], rest)
    return _MISSING


def _passes(held: Any, condition: Any) -> bool:
    if isinstance(condition, Mapping) and condition and all(str(name).startswith("$") for name in condition):
        return all(_compare(held, name, wanted) for name, wanted in condition.items())
    return held is not _MISSING and _is_equal(held, condition)


def _compare(held: Any, name: str, wanted: Any) -> bool:
    if name == "$ne":
        return held is _MISSING or not _is_equal(held, wanted)
    if held is _MISSING:
        return False
    if name == "$eq":
        return _is_equal(held, wanted)
    try:
        return bool(_OPERATORS[name](held, wanted))
    except (TypeError, KeyError):
        # A number and a word have no order.
        return False


def _is_equal(held: Any, wanted: Any) -> bool:
    # True is 1 to Python, and not to whoever wrote JSON.
    return isinstance(held, bool) == isinstance(wanted, bool) and bool(held == wanted)
