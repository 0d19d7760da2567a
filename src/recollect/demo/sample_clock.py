"""The clock of the sample project: it is set back, and moves a little each time it is read."""

from __future__ import annotations

from datetime import datetime, timedelta


class SampleClock:
    """A clock that stands where it was set, and moves a little each time it is read."""

    def __init__(self, now: datetime) -> None:
        self._now = now
        self._at = now
        self._step = timedelta()

    def set(self, *, days: float, step: float = 0.001) -> None:
        """So many days before now; each look moves it by so many seconds."""
        self._at = self._now - timedelta(days=days)
        self._step = timedelta(seconds=step)

    def __call__(self) -> datetime:
        self._at = min(self._at + self._step, self._now)
        return self._at
