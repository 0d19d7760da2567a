"""The engine: one object users hold (`recollect`), its desks, and the wiring behind them."""

from recollect.engine.recollect import Details, Recollect, rebuilt, restore

__all__ = ["Details", "Recollect", "rebuilt", "restore"]
