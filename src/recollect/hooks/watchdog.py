"""The deadline of a hook: whatever it waits for, an agent does not wait for it."""

from __future__ import annotations

import _thread
import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# A hook that works on a busy machine gets so many times what one gets that only waits.
_WHILE_WORKING = 4
_LOOKS_EVERY = 0.05
# Who uses less of the time between two looks than this is waiting: for a lock, a disk, another process.
_WORKS = 0.02


class Watchdog:
    """
    Ends this process, in peace, when it has waited for so long, or lived for four times as long.

    A thread of its own, because a signal would not be heard while SQLite waits for a lock. Nothing is lost by it: the
    inbox and the database both survive a process that ends anywhere, and the answer is written in one go.
    """

    def __init__(self, most_ms: int, when_late: Callable[[], None]) -> None:
        self._started = time.monotonic()
        self._waited = 0.0
        self._most = most_ms / 1000
        self._when_late = when_late
        _thread.start_new_thread(self._watch, ())

    def allow(self, most_ms: int) -> None:
        """From its start on, so many milliseconds of waiting."""
        self._most = most_ms / 1000

    def left(self) -> float:
        """The seconds of waiting that are left."""
        lived = time.monotonic() - self._started
        return min(self._most - self._waited, _WHILE_WORKING * self._most - lived)

    def _watch(self) -> None:
        looked, worked = time.monotonic(), time.process_time()
        while self.left() > 0:
            time.sleep(_LOOKS_EVERY)
            now, work = time.monotonic(), time.process_time()
            if work - worked < _WORKS * (now - looked):
                self._waited += now - looked
            looked, worked = now, work
        try:
            self._when_late()
        finally:
            os._exit(0)
