"""A token bucket for each key: so many requests a second on average, so many at once."""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable

from recollect.errors import TooManyRequests

# So many are remembered; who is forgotten begins anew with a full bucket.
_MAX_BUCKETS = 10_000


class RateLimit:
    """Takes one from a bucket for each request, and refuses when it is empty."""

    def __init__(self, per_second: float, burst: int, timer: Callable[[], float] = time.monotonic) -> None:
        self._per_second = per_second
        self._burst = burst
        self._timer = timer
        self._buckets: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def check(self, who: Hashable) -> None:
        """Refuse the request of somebody who has had too many."""
        if not self._per_second:
            return
        with self._lock:
            now = self._timer()
            left, at = self._buckets.pop(who, (float(self._burst), now))
            left = min(self._burst, left + (now - at) * self._per_second)
            self._buckets[who] = (max(left - 1, 0.0) if left >= 1 else left, now)
            while len(self._buckets) > _MAX_BUCKETS:
                self._buckets.popitem(last=False)
        if left < 1:
            raise TooManyRequests(seconds=math.ceil((1 - left) / self._per_second))
