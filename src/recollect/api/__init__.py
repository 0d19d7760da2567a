"""
The engine: one object users hold (`recollect`), its desks, and the wiring behind them.

Names load on first use: a hook that only looks something up must not pay for all the rest.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.api.recollect import Details as Details
    from recollect.api.recollect import Recollect as Recollect
    from recollect.api.restore import rebuilt as rebuilt
    from recollect.api.restore import restore as restore

__all__ = ["Details", "Recollect", "rebuilt", "restore"]

_HOMES = {
    "Details": "recollect",
    "Recollect": "recollect",
    "rebuilt": "restore",
    "restore": "restore",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'recollect.api' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"recollect.api.{_HOMES[name]}"), name)
