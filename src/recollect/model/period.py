"""Periods and events that a question names, and how close a moment is to them."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from recollect.model.value import dataclass

# A question that names no year may mean any, but most often the latest one.
OTHER_YEAR_SHARE = 0.8


class Grain(StrEnum):
    """How exactly the words name the time."""

    MOMENT = "moment"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    SEASON = "season"
    YEAR = "year"
    FUZZY = "fuzzy"


class AnchorRelation(StrEnum):
    """How a time lies to an event."""

    BEFORE = "before"
    AFTER = "after"
    DURING = "during"
    AROUND = "around"
    SINCE = "since"
    UNTIL = "until"


@dataclass(frozen=True, slots=True, kw_only=True)
class Yearly:
    """A stretch that comes back every year.

    It begins on a day of a month, on the first `weekday` on or after that day, or `easter_days` after
    Easter Sunday; it lasts `days`, or to the beginning of the month `months` later.
    """

    month: int = 1
    day: int = 1
    days: int = 1
    months: int = 0
    weekday: int | None = None
    easter_days: int | None = None

    def span(self, year: int) -> tuple[datetime, datetime]:
        start = self._start(year)
        if self.months:
            return start, add_months(start.replace(day=1), self.months)
        return start, start + timedelta(days=self.days)

    def _start(self, year: int) -> datetime:
        if self.easter_days is not None:
            return _easter(year) + timedelta(days=self.easter_days)
        start = datetime(year, self.month, min(self.day, days_in_month(year, self.month)), tzinfo=UTC)
        if self.weekday is None:
            return start
        return start + timedelta(days=(self.weekday - start.weekday()) % 7)


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """A stretch of time a question speaks of: from start (inclusive) to end (exclusive); None = open.

    `slack` is the distance outside at which closeness has fallen to one half. `yearly` is set when the
    words name no year: start and end are then the likeliest instance of it.
    """

    start: datetime | None
    end: datetime | None
    words: str
    grain: Grain
    slack: timedelta
    yearly: Yearly | None = None

    def __post_init__(self) -> None:
        if self.start is not None and self.end is not None and self.start > self.end:
            raise ValueError(f"A period cannot end ({self.end}) before it starts ({self.start}).")
        if self.slack <= timedelta(0):
            raise ValueError("The slack of a period must be longer than nothing.")


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeAnchor:
    """An event a question dates itself by: "before the release"."""

    relation: AnchorRelation
    words: str


def closeness(period: Period, at: datetime) -> float:
    """How well a moment fits a period: 1 inside, halved for every slack of distance outside.

    The same stretch of another year counts a little less when the words named no year.
    """
    score = _nearness(period.start, period.end, period.slack, at)
    if period.yearly is None or score == 1.0:
        return score
    years = (year for year in range(at.year - 1, at.year + 2) if 1 <= year < 9999)
    others = (_nearness(*period.yearly.span(year), period.slack, at) for year in years)
    return max(score, OTHER_YEAR_SHARE * max(others, default=0.0))


def _nearness(start: datetime | None, end: datetime | None, slack: timedelta, at: datetime) -> float:
    if start is not None and at < start:
        distance = start - at
    elif end is not None and at >= end:
        distance = at - end
    else:
        return 1.0
    # Past sixty halvings nothing is left, and a far larger power would underflow.
    return math.exp2(-min(distance / slack, 60.0))


def add_months(at: datetime, months: int) -> datetime:
    """The same day some months on, or the last day of that month where it is shorter."""
    count = at.year * 12 + at.month - 1 + months
    year, month = divmod(count, 12)
    return at.replace(year=year, month=month + 1, day=min(at.day, days_in_month(year, month + 1)))


def days_in_month(year: int, month: int) -> int:
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31


def _easter(year: int) -> datetime:
    """Easter Sunday by the anonymous Gregorian rule."""
    golden = year % 19
    century, rest = divmod(year, 100)
    leaps, skipped = divmod(century, 4)
    moon = (19 * golden + century - leaps - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    weekday = (32 + 2 * skipped + 2 * (rest // 4) - moon - rest % 4) % 7
    late = (golden + 11 * moon + 22 * weekday) // 451
    month, day = divmod(moon + weekday - 7 * late + 114, 31)
    return datetime(year, month, day + 1, tzinfo=UTC)
