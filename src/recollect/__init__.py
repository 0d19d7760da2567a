"""A memory for AI agents. Public names load on first use, so that a hook that needs one module pays for one."""

from __future__ import annotations

# Not from typing: a hook loads this file at every event, and typing costs as much as all the rest it needs.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.api import Recollect as Recollect
    from recollect.errors import RecollectError as RecollectError
    from recollect.model.hit import Hit as Hit
    from recollect.model.memory import Memory as Memory
    from recollect.model.memory import MemoryDraft as MemoryDraft
    from recollect.model.outcome import AlreadyKnown as AlreadyKnown
    from recollect.model.outcome import Refused as Refused
    from recollect.model.outcome import Remembered as Remembered
    from recollect.model.query import Query as Query

__version__ = "0.1.0"

_HOMES = {
    "AlreadyKnown": "recollect.model.outcome",
    "Hit": "recollect.model.hit",
    "Memory": "recollect.model.memory",
    "MemoryDraft": "recollect.model.memory",
    "Query": "recollect.model.query",
    "Recollect": "recollect.api",
    "RecollectError": "recollect.errors",
    "Refused": "recollect.model.outcome",
    "Remembered": "recollect.model.outcome",
}
__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'recollect' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
