"""
The engine: one object users hold (`recollect`), its desks, and the wiring behind them.

Names load on first use: a hook that only looks something up must not pay for all the rest.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.engine.recollect import Details as Details
    from recollect.engine.recollect import Recollect as Recollect
    from recollect.engine.recollect import rebuilt as rebuilt
    from recollect.engine.recollect import restore as restore

__all__ = ["Details", "Recollect", "rebuilt", "restore"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'recollect.engine' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module("recollect.engine.recollect"), name)
