"""The engine: one object users hold (`recollect`), its desks, and the wiring behind them."""

from recollect.engine.recollect import Details, Rebuilt, Recollect, rebuilt, restore

__all__ = ["Details", "Rebuilt", "Recollect", "rebuilt", "restore"]
