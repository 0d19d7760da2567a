"""
The library: `Recollect`, the object users hold, and its sub-APIs (`memory.code`, `memory.reviews`, `memory.admin`
…). It wires the rooms below together and decides nothing about memories.

Names load on first use: a hook that only looks something up must not pay for all the rest.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.api.recollect import Recollect as Recollect
    from recollect.api.safety import rebuild_store as rebuild_store
    from recollect.api.safety import restore as restore

__all__ = ["Recollect", "rebuild_store", "restore"]


def __getattr__(name: str) -> object:
    """A public name, imported when it is first asked for."""
    if name == "Recollect":
        from recollect.api.recollect import Recollect

        return Recollect
    if name in __all__:
        from recollect.api import safety

        return getattr(safety, name)
    raise AttributeError(f"module 'recollect.api' has no attribute {name!r}")
