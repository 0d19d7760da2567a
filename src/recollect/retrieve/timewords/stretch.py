"""What a rule gives, and how a period is made from its two ends."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

from recollect.model.period import Grain, Period, Yearly

DAY = timedelta(days=1)
SLACK = {
    Grain.MOMENT: timedelta(hours=2),
    Grain.DAY: DAY,
    Grain.WEEK: 2 * DAY,
    Grain.MONTH: 5 * DAY,
    Grain.SEASON: 14 * DAY,
    Grain.YEAR: 21 * DAY,
}


class Hit(NamedTuple):
    """A period, and the index of the word after those that name it."""

    period: Period
    after: int


def stretch(
    start: datetime,
    end: datetime,
    grain: Grain,
    *,
    slack: timedelta | None = None,
    yearly: Yearly | None = None,
) -> Period:
    slack = slack or SLACK.get(grain) or (end - start) / 2
    return Period(start=start, end=end, words="", grain=grain, slack=slack, yearly=yearly)


def midnight(at: date) -> datetime:
    return datetime(at.year, at.month, at.day, tzinfo=UTC)
