"""
The engine: one object users hold (`recollect`), its desks, and the wiring behind them.

Names load on first use: a hook that only looks something up must not pay for all the rest.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.engine.recollect import Details as Details
    from recollect.engine.recollect import Recollect as Recollect
    from recollect.engine.restoring import rebuilt as rebuilt
    from recollect.engine.restoring import restore as restore

__all__ = ["Details", "Recollect", "rebuilt", "restore"]

_HOMES = {
    "Details": "recollect",
    "Recollect": "recollect",
    "rebuilt": "restoring",
    "restore": "restoring",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'recollect.engine' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"recollect.engine.{_HOMES[name]}"), name)
