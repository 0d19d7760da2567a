"""
The window: which part of a conversation goes to the model, usable alone on Anthropic- and OpenAI-shaped messages.

Loads no HTTP and no database.
"""

from __future__ import annotations

from recollect.conversation.overflow import OverflowStore
from recollect.conversation.pairing import find_orphans, repair
from recollect.conversation.report import (
    CacheBreak,
    WindowCompaction,
    WindowEdit,
    WindowReport,
    WindowView,
)
from recollect.conversation.window import Window
from recollect.model.window_settings import WindowSettings

__all__ = [
    "CacheBreak",
    "OverflowStore",
    "Window",
    "WindowCompaction",
    "WindowEdit",
    "WindowReport",
    "WindowSettings",
    "WindowView",
    "find_orphans",
    "repair",
]
