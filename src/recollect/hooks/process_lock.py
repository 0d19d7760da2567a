"""Taking turns between processes: a lock on a file, which ends with the process that holds it."""

from __future__ import annotations

import contextlib
import os
import time

from recollect.events.locks import lock, open_private

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_EVERY = 0.05


@contextlib.contextmanager
def its_turn(path: str, seconds: float) -> Iterator[None]:
    """Nobody else has this turn inside; waits for it so long at most, then goes on all the same."""
    file = open_private(path)
    try:
        until = time.monotonic() + seconds
        while not lock(file, wait=False) and time.monotonic() < until:
            time.sleep(_EVERY)
        yield
    finally:
        os.close(file)
