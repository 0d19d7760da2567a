"""Describes changes of a memory in words, one line each; for `history`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from recollect.model.history import MemoryChange
from recollect.model.ids import SHORT_LENGTH

# What happened, in words; an action that is not here says its own name.
HAPPENED = MappingProxyType(
    {
        "remember": "remembered",
        "import": "imported",
        "learn": "learned",
        "withdraw": "withdrawn",
        "close": "closed",
        "supersede": "superseded",
        "edit": "edited",
        "forget": "forgotten",
        "pin": "pinned",
        "unpin": "unpinned",
        "reinforce": "said again",
        "decay": "aged",
        "propagate": "moved along",
        "useful": "found useful",
        "noise": "found in the way",
        "wrong": "called wrong",
        "outdated": "called outdated",
        "recipe failed": "followed and failed",
        "recipe worked": "followed and worked",
        "settle": "settled",
        "prune": "pruned",
        "revive": "revived",
        "undo": "undone",
        "confirm": "confirmed",
        "auto-confirm": "confirmed by rule",
        "correct": "corrected",
        "flag": "flagged",
        "reject": "rejected",
        "stale": "gone stale",
        "moved": "followed its file",
        "fresh": "its file is back",
    }
)
# What follows from the rest, or is bookkeeping of ageing.
_NOT_SHOWN = frozenset({"citation", "base_confidence", "reinforced_at"})
_NAMES = {
    "needs_review": "needs review",
    "stale_at": "stale since",
    "stale_why": "because",
    "half_life_days": "half-life in days",
}


def describe_change(change: MemoryChange, *, with_id: bool) -> str:
    """One change as one line."""
    happened = HAPPENED.get(change.action, change.action)
    name = f"{change.memory_id[:SHORT_LENGTH]}  " if with_id else ""
    parts = [_describe_field(change, part) for part in change.after if part not in _NOT_SHOWN]
    why = f"  ({change.why})" if change.why else ""
    undone = "  [undone]" if change.undone else ""
    return f"{change.at:%Y-%m-%d %H:%M}  {name}{happened} by {change.actor}: {'; '.join(parts)}{why}{undone}"


def _describe_field(change: MemoryChange, name: str) -> str:
    before, after = change.before.get(name), change.after[name]
    label = _NAMES.get(name, name)
    if isinstance(after, list) and isinstance(before, list):
        return _describe_list_change(label, before, after)
    if before is None or before == "":
        return f"{label} {_plain_value(after)}"
    return f"{label} {_plain_value(before)} → {_plain_value(after)}"


def _describe_list_change(label: str, before: list[Any], after: list[Any]) -> str:
    came = [_plain_value(item) for item in after if item not in before]
    went = [_plain_value(item) for item in before if item not in after]
    if len(came) == len(went) == 1:
        return f"{label} {went[0]} → {came[0]}"
    listed = (*(f"-{item}" for item in went), *(f"+{item}" for item in came))
    return f"{label} {' '.join(listed) or 'in another order'}"


def _plain_value(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.2f}"
    if isinstance(value, Mapping):
        return (
            _plain_relation(value)
            if "type" in value
            else ", ".join(f"{k}={_plain_value(v)}" for k, v in value.items())
        )
    if isinstance(value, list):
        return ", ".join(map(_plain_value, value))
    return str(value)


def _plain_relation(value: Mapping[str, Any]) -> str:
    return f"{value['type']} {str(value.get('memory_id') or value.get('path'))[:SHORT_LENGTH]}"
