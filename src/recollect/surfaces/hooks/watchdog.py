"""The deadline of a hook: whatever it waits for, an agent does not wait for it."""

from __future__ import annotations

import _thread
import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class Watchdog:
    """
    Ends this process, in peace, when its time is up.

    A thread of its own, because a signal would not be heard while SQLite waits for a lock. Nothing is lost by it: the
    inbox and the database both survive a process that ends anywhere, and the answer is written in one go.
    """

    def __init__(self, most_ms: int, when_late: Callable[[], None]) -> None:
        self._started = time.monotonic()
        self._most_ms = most_ms
        self._when_late = when_late
        _thread.start_new_thread(self._watch, ())

    def allow(self, most_ms: int) -> None:
        """From its start on, so many milliseconds."""
        self._most_ms = most_ms

    def left(self) -> float:
        """The seconds that are left."""
        return self._started + self._most_ms / 1000 - time.monotonic()

    def _watch(self) -> None:
        while (left := self.left()) > 0:
            time.sleep(min(left, 0.05))
        try:
            self._when_late()
        finally:
            os._exit(0)
