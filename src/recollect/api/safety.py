"""The desk for keeping the store safe: snapshots, what is known to be missing, and how far the clock is believed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from recollect.api.wiring import Wiring
from recollect.lifecycle import clock_guard
from recollect.store.safety import snapshots


class Keeping:
    """What sees to it that nothing is lost."""

    def __init__(self, wiring: Wiring) -> None:
        self._wiring = wiring

    def snapshot(self) -> Path:
        """Keep a proved copy beside the database; the oldest above the number the settings name goes."""
        keep = self._wiring.settings.number("snapshots.keep")
        return snapshots.take(self._wiring.db, self._wiring.now(), keep=keep)

    def snapshot_is_due(self) -> bool:
        """Whether as many sessions as the settings name have passed since the last snapshot."""
        return snapshots.due(self._wiring.db, self._wiring.settings.number("snapshots.every"))

    def losses(self) -> Sequence[str]:
        """What is known to be missing, noticed when the store was opened; `recollect doctor --fix` deals with it."""
        return self._wiring.db.losses

    def clock(self) -> tuple[datetime, datetime]:
        """What the clock says, and the time that upkeep would go by: a leap of ten years is not believed at first."""
        now = self._wiring.now()
        return now, clock_guard.believed(clock_guard.read(self._wiring.db), now).at
