"""A memory for AI agents. Public names load on first use, so that a hook that needs one module pays for one."""

from __future__ import annotations

# Not from typing: a hook loads this file at every event, and typing costs as much as all the rest it needs.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.api.recollect import Recollect as Recollect
    from recollect.errors import RecollectError as RecollectError
    from recollect.model.memory import AlreadyKnown as AlreadyKnown
    from recollect.model.memory import Memory as Memory
    from recollect.model.memory import MemoryDraft as MemoryDraft
    from recollect.model.memory import Refused as Refused
    from recollect.model.memory import Remembered as Remembered
    from recollect.model.query import Hit as Hit
    from recollect.model.query import Query as Query

__version__ = "0.1.0"

_VALUES = ("AlreadyKnown", "Memory", "MemoryDraft", "Refused", "Remembered")
_QUESTIONS = ("Hit", "Query")
__all__ = [
    "AlreadyKnown",
    "Hit",
    "Memory",
    "MemoryDraft",
    "Query",
    "Recollect",
    "RecollectError",
    "Refused",
    "Remembered",
    "__version__",
]


def __getattr__(name: str) -> object:
    """A public name, imported when it is first asked for."""
    if name == "Recollect":
        from recollect.api.recollect import Recollect

        return Recollect
    if name == "RecollectError":
        from recollect.errors import RecollectError

        return RecollectError
    if name in _VALUES:
        from recollect.model import memory

        return getattr(memory, name)
    if name in _QUESTIONS:
        from recollect.model import query

        return getattr(query, name)
    raise AttributeError(f"module 'recollect' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
