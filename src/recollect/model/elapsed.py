"""
How much time has passed, as far as it can be believed.

A machine's clock may jump: back to 1970 after a dead battery, ten years ahead after a wrong setting. Whoever lets
memories age, go stale or expire by the calendar asks here for the time, so that one wrong clock does not empty a store.

The rule: time never runs backwards, and a leap of more than `LEAP` since the store was last used is believed only when
the store has been used on `DAYS_TO_BELIEVE` different days since. Until then it is as late as the last use before the
leap. Coming back after two years thus costs nothing for two days; then everything ages as it should.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

LEAP = timedelta(days=400)
DAYS_TO_BELIEVE = 3


def believed_now(now: datetime, used: Iterable[datetime]) -> datetime:
    """The moment up to which time has surely passed, given moments at which the store was in use."""
    moments = sorted({*used, now})
    if moments[-1] > now:  # the clock was ahead and is back: what lies after now is not evidence
        moments = [moment for moment in moments if moment <= now]
    while True:
        start = _last_leap(moments)
        if start == 0 or len({moment.date() for moment in moments[start:]}) >= DAYS_TO_BELIEVE:
            return moments[-1]
        moments = moments[:start]


def elapsed_days(since: datetime, now: datetime) -> float:
    """Days between two moments; never negative. `now` should come from `believed_now`."""
    return max(0.0, (now - since) / timedelta(days=1))


def _last_leap(moments: list[datetime]) -> int:
    """The place of the first moment after the last leap; 0 if there is none."""
    pairs = range(len(moments) - 1, 0, -1)
    return next((place for place in pairs if moments[place] - moments[place - 1] > LEAP), 0)
