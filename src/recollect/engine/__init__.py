"""The engine: one object users hold (`recollect`), its desks, and the wiring behind them."""

from recollect.engine.recollect import Details, Recollect, restore

__all__ = ["Details", "Recollect", "restore"]
