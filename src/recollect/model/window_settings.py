"""
The settings of a window: every number that shapes which part of a conversation goes to the model.

Each is a setting `window.NAME` too; `WINDOW_HELP` says what it is for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.errors import BadSetting
from recollect.model.value import dataclass

# Tools whose outputs later steps lean on as a whole: they are never compressed for their age alone.
CRITICAL_TOOLS = ("browser_*", "db_*", "*image*", "*screenshot*")
WINDOW_HELP: Mapping[str, str] = {
    "anchor_every_calls": "From how many tool calls on the task anchor is shown; 0 means never.",
    "anchor_goal_characters": "How much of the request the task anchor quotes.",
    "stale_after_messages": "How many messages old an output may be before it is compressed; 0 means none.",
    "stale_characters": "To how many characters an old output is compressed.",
    "critical_tools": "Tools whose outputs are not compressed for their age: globs with commas.",
    "edit_at_least_tokens": "How many tokens compressing must save, as it breaks the provider's cache; 0 means any.",
    "overflow_characters": "How long an output may be before it goes to a file and a preview stays.",
    "critical_overflow_characters": "The same for critical tools.",
    "preview_characters": "How much of such an output stays.",
    "critical_preview_characters": "The same for critical tools.",
    "overflow_together_factor": "How many times as long as one output all outputs of one step may be together.",
    "overflow_keep_files": "How many files of outputs are kept.",
    "overflow_keep_days": "How many days files of outputs are kept.",
    "summarise_above_tokens": "Above how many tokens old messages are replaced by a summary.",
    "summarise_keep_messages": "How many of the newest messages a summary leaves as they are.",
    "summary_characters": "How long a summary may be.",
    "summariser_tokens": "How much a summarising model is given at once.",
    "fallback_above_tokens": "Above how many tokens only the last messages stay.",
    "fallback_keep_messages": "How many messages stay then, at first.",
    "fallback_keep_least": "How many messages stay then at least.",
    "shrink_share": "The share by which a compaction must shrink the window to be tried again before it has grown.",
    "image_keep_iterations": "For how many iterations of the agent images stay; 0 means for none.",
    "image_tokens": "How many tokens an image counts for.",
    "cache_write_price": "The price of a token written to the provider's cache, in plain input tokens.",
    "cache_read_price": "The price of a token read from the provider's cache, in plain input tokens.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowSettings:
    """What a window may hold, and when it is edited. Sizes are characters or tokens, as their names say."""

    anchor_every_calls: int = 5
    anchor_goal_characters: int = 400
    stale_after_messages: int = 15
    stale_characters: int = 150
    critical_tools: tuple[str, ...] = CRITICAL_TOOLS
    edit_at_least_tokens: int = 3_000
    overflow_characters: int = 2_000
    critical_overflow_characters: int = 8_000
    preview_characters: int = 400
    critical_preview_characters: int = 4_000
    overflow_together_factor: int = 4
    overflow_keep_files: int = 2_000
    overflow_keep_days: int = 14
    summarise_above_tokens: int = 40_000
    summarise_keep_messages: int = 15
    summary_characters: int = 6_000
    summariser_tokens: int = 24_000
    fallback_above_tokens: int = 120_000
    fallback_keep_messages: int = 20
    fallback_keep_least: int = 10
    shrink_share: float = 0.1
    image_keep_iterations: int = 5
    image_tokens: int = 1_600
    cache_write_price: float = 1.25
    cache_read_price: float = 0.1

    def __post_init__(self) -> None:
        for name in AT_LEAST_ONE:
            if getattr(self, name) < 1:
                raise _refuse(name, getattr(self, name), "it is a number above 0")
        for name in _NOT_NEGATIVE:
            if getattr(self, name) < 0:
                raise _refuse(name, getattr(self, name), "it is not negative")
        if self.fallback_above_tokens < self.summarise_above_tokens:
            reason = "the fallback comes after summarising, so it is not below summarise_above_tokens"
            raise _refuse("fallback_above_tokens", self.fallback_above_tokens, reason)
        if self.fallback_keep_least > self.fallback_keep_messages:
            reason = "it is not above fallback_keep_messages"
            raise _refuse("fallback_keep_least", self.fallback_keep_least, reason)


def parse_window_settings(table: Mapping[str, Any]) -> WindowSettings:
    """Settings from a table of a file; a name that does not exist is refused."""
    known = set(WindowSettings.__slots__)
    for name, value in table.items():
        if name not in known:
            raise _refuse(name, value, f"there is no such setting; there are {', '.join(sorted(known))}")
    values: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in table.items()
    }
    for name, value in values.items():
        expected = type(getattr(WindowSettings(), name))
        allowed = (int, float) if expected is float else (expected,)
        if isinstance(value, bool) or not isinstance(value, allowed):
            raise _refuse(name, value, f"it is a {_NAMED[expected]}")
    return WindowSettings(**values)


_NAMED = {int: "whole number", float: "number", tuple: "list of names"}
AT_LEAST_ONE = (
    "anchor_goal_characters",
    "stale_characters",
    "overflow_characters",
    "critical_overflow_characters",
    "preview_characters",
    "critical_preview_characters",
    "overflow_together_factor",
    "overflow_keep_files",
    "overflow_keep_days",
    "summarise_above_tokens",
    "summarise_keep_messages",
    "summary_characters",
    "summariser_tokens",
    "fallback_above_tokens",
    "fallback_keep_messages",
    "fallback_keep_least",
    "image_tokens",
)
_NOT_NEGATIVE = (
    "anchor_every_calls",
    "stale_after_messages",
    "edit_at_least_tokens",
    "shrink_share",
    "image_keep_iterations",
    "cache_write_price",
    "cache_read_price",
)


def _refuse(name: str, value: object, reason: str) -> BadSetting:
    return BadSetting(name=f"window.{name}", value=value, origin="as given", reason=reason)
