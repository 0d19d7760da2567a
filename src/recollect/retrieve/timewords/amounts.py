"""Lengths of time, and the times that lie so far away: two weeks ago, in half a year."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from recollect.model.period import Grain, Period, add_months
from recollect.retrieve.timewords.reading import DAY, TimeMatch, WordReader, make_period, midnight
from recollect.retrieve.timewords.tables import NUMBERS, UNITS

_VAGUE = {"couple": (2, 2), "few": (2, 4), "several": (3, 7)}
_SECONDS = {"second": 1, "minute": 60, "hour": 3_600}
MONTHS_LONG = {"month": 1, "quarter": 3, "year": 12, "decade": 120}
_HALVES = {"hour": (30, "minute"), "day": (12, "hour"), "month": (15, "day"), "year": (6, "month")}
# How exactly "N units ago" is meant: half the width, the least slack and the unit itself, in days.
_ABOUT = {
    "day": (Grain.DAY, 0, 1, 1),
    "week": (Grain.WEEK, 0, 3, 7),
    "month": (Grain.MONTH, 7, 10, 30),
    "quarter": (Grain.SEASON, 21, 20, 91),
    "year": (Grain.YEAR, 91, 90, 365),
    "decade": (Grain.YEAR, 730, 700, 3_652),
}


class Amount(NamedTuple):
    """So many units, from `low` to `high` where the words are vague."""

    low: int
    high: int
    unit: str
    after: int


def amount_at(reading: WordReader, i: int) -> Amount | None:
    """A length of time: two weeks, a couple of days, half a year, several months."""
    word = reading.word(i)
    if word == "half" and reading.next(i + 1) in ("a", "an"):
        half = _HALVES.get(reading.next(i + 2))
        return Amount(half[0], half[0], half[1], i + 3) if half else None
    if word == "a" and reading.next(i + 1) in ("couple", "few"):
        i += 1
        word = reading.word(i)
    if word in _VAGUE:
        low, high = _VAGUE[word]
        i += reading.next(i + 1) == "of"
    elif word.isdigit() and word.isascii() and len(word) <= 4:
        low = high = int(word)
    else:
        low = high = NUMBERS.get(word, 0)
    unit = UNITS.get(reading.next(i + 1))
    return Amount(low, high, unit, i + 2) if unit and high else None


def ago_at(reading: WordReader, i: int) -> TimeMatch | None:
    amount = amount_at(reading, i)
    if amount is None and reading.word(i).endswith("s") and reading.word(i) in UNITS:
        # "how many days ago" asks for the time instead of naming it.
        asks = (reading.word(i - 2), reading.word(i - 1)) == ("how", "many")
        amount = None if asks else Amount(2, 8, UNITS[reading.word(i)], i + 1)
    if amount and reading.is_future and reading.word(i - 1) == "in":
        return TimeMatch(about(moved_by(reading.now, amount.high, amount.unit), amount), amount.after)
    if amount is None or reading.next(amount.after) not in ("ago", "back"):
        return None
    if amount.low != amount.high:
        return TimeMatch(_between_amounts(reading, amount), amount.after + 1)
    return TimeMatch(about(moved_by(reading.now, -amount.high, amount.unit), amount), amount.after + 1)


def _between_amounts(reading: WordReader, amount: Amount) -> Period:
    start = moved_by(reading.now, -amount.high, amount.unit)
    end = moved_by(reading.now, -amount.low, amount.unit)
    if amount.unit not in _SECONDS:
        start, end = midnight(start), midnight(end) + DAY
    return make_period(start, end, Grain.FUZZY)


def about(point: datetime, amount: Amount) -> Period:
    """Around a point so far away: the farther it is, the less exactly the words are meant."""
    if amount.unit in _SECONDS:
        half = timedelta(seconds=_SECONDS[amount.unit] / 2)
        return make_period(
            point - half, point + half, Grain.MOMENT, slack=half * 2 * max(1.0, amount.high / 4)
        )
    grain, half_days, slack_days, unit_days = _ABOUT[amount.unit]
    day = midnight(point)
    slack = max(slack_days, 0.15 * unit_days * amount.high) * DAY
    return make_period(day - half_days * DAY, day + (half_days + 1) * DAY, grain, slack=slack)


def moved_by(at: datetime, count: int, unit: str) -> datetime:
    if unit in MONTHS_LONG:
        return add_months(at, count * MONTHS_LONG[unit])
    seconds = _SECONDS.get(unit) or {"day": 86_400, "week": 604_800}[unit]
    return at + timedelta(seconds=count * seconds)
