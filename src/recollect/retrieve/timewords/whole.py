"""A time named by itself: the rules that read one, in their order."""

from __future__ import annotations

from recollect.retrieve.timewords.amounts import ago_at
from recollect.retrieve.timewords.calendar import calendar_at, decade_at, year_at
from recollect.retrieve.timewords.deictic import day_word_at, deictic_at, fuzzy_at, weekday_at
from recollect.retrieve.timewords.figures import stamp_at
from recollect.retrieve.timewords.reading import Reading
from recollect.retrieve.timewords.stretch import Hit


def whole_at(reading: Reading, i: int) -> Hit | None:
    for rule in (
        stamp_at,
        ago_at,
        weekday_at,
        calendar_at,
        year_at,
        decade_at,
        deictic_at,
        day_word_at,
        fuzzy_at,
    ):
        hit = rule(reading, i)
        if hit is not None:
            return hit
    return None
