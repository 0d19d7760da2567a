"""One time: named by itself, as a part of another time, or as so long before or after one."""

from __future__ import annotations

from datetime import datetime

from recollect.model.period import Grain, Period, Yearly, add_months
from recollect.model.value import replace
from recollect.retrieve.timewords.amounts import Amount, about, ago_at, amount_at, moved_by
from recollect.retrieve.timewords.calendar import (
    calendar_at,
    decade_at,
    stamp_at,
    year_at,
    year_number,
    year_period,
)
from recollect.retrieve.timewords.deictic import calendar_unit, day_word_at, deictic_at, fuzzy_at, weekday_at
from recollect.retrieve.timewords.reading import DAY, SLACK, TimeMatch, WordReader, make_period
from recollect.retrieve.timewords.tables import COUNTED, ORDINALS, THIRDS, THIRDS_OF, THIS, UNITS, WEEKDAYS


def single_at(reading: WordReader, i: int) -> TimeMatch | None:
    return _offset(reading, i) or _part(reading, i) or whole_at(reading, i)


def _offset(reading: WordReader, i: int) -> TimeMatch | None:
    """So long before or after another time: the day before yesterday, two weeks before 11 August."""
    amount = amount_at(reading, i)
    unit = UNITS.get(reading.word(i), "")
    after = amount.after if amount else i + 1
    side = reading.next(after)
    if side not in ("before", "after") or not (amount or unit):
        return None
    if side == "before" and reading.next(after + 1) == "last" and reading.is_last(after + 2) and not amount:
        return TimeMatch(calendar_unit(reading, unit, -2), after + 2)
    hit = whole_at(reading, after + 1)
    if hit is None or hit.period.start is None or hit.period.end is None:
        return None
    sign = -1 if side == "before" else 1
    if amount:
        point = moved_by(hit.period.start, sign * amount.high, amount.unit)
        return TimeMatch(about(point, amount), hit.after)
    edge = hit.period.start if sign < 0 else hit.period.end
    start, end = sorted((edge, moved_by(edge, sign, unit)))
    return TimeMatch(make_period(start, end, Grain.WEEK if unit == "week" else Grain.DAY), hit.after)


def _part(reading: WordReader, i: int) -> TimeMatch | None:
    """A part of a longer stretch: early May, the end of 2022, the second week of November."""
    word, then = reading.word(i), reading.next(i + 1)
    if word in ("earlier", "later"):
        return _part_to_now(reading, i)
    if word in THIRDS and (then == "of") == (word in THIRDS_OF):
        hit = _outer(reading, i + 2 if then in ("of", "in") else i + 1)
        return TimeMatch(_cut(hit.period, THIRDS[word], 3), hit.after) if hit else None
    if word == "week" and then == "of":
        return _week_around(reading, i + 2)
    if word in ("first", "last") and (several := amount_at(reading, i + 1)):
        return _some(reading, word, several)
    number = -1 if word == "last" else ORDINALS.get(word)
    if number is None or reading.next(i + 2) not in ("of", "in"):
        return None
    hit = _outer(reading, i + 3)
    period = _nth(hit.period, number, then) if hit else None
    return TimeMatch(period, hit.after) if hit and period else None


def _part_to_now(reading: WordReader, i: int) -> TimeMatch | None:
    hit = whole_at(reading, i + 1) if reading.next(i + 1) in THIS | {"today"} else None
    if hit is None or hit.period.start is None or not hit.period.start <= reading.now:
        return None
    if reading.word(i) == "earlier":
        return TimeMatch(replace(hit.period, end=reading.now, yearly=None), hit.after)
    return TimeMatch(replace(hit.period, start=reading.now, yearly=None), hit.after)


def _week_around(reading: WordReader, i: int) -> TimeMatch | None:
    hit = calendar_at(reading, i + 1 if reading.next(i) == "the" else i)
    if hit is None or hit.period.start is None or hit.period.grain is not Grain.DAY:
        return None
    monday = hit.period.start - hit.period.start.weekday() * DAY
    return TimeMatch(_inner(hit.period, monday, monday + 7 * DAY), hit.after)


def _some(reading: WordReader, word: str, amount: Amount) -> TimeMatch | None:
    """The first three months of 2022, the last two weeks of May."""
    hit = _outer(reading, amount.after + 1) if reading.next(amount.after) in ("of", "in") else None
    if hit is None or hit.period.start is None or hit.period.end is None:
        return None
    start, end = hit.period.start, hit.period.end
    if word == "first":
        end = min(end, moved_by(start, amount.high, amount.unit))
    else:
        start = max(start, moved_by(end, -amount.high, amount.unit))
    return TimeMatch(_inner(hit.period, start, end), hit.after)


def _outer(reading: WordReader, i: int) -> TimeMatch | None:
    """The stretch a part is cut from; "the year" is this one."""
    if not reading.next(i):
        return None
    if reading.word(i) == "the":
        unit = reading.next(i + 1)
        if unit in ("week", "month", "quarter", "year"):
            return TimeMatch(calendar_unit(reading, unit, 0), i + 2)
        i += 1
    year = year_number(reading.word(i))
    if year and reading.next(i + 1) not in COUNTED:
        return TimeMatch(year_period(year), i + 1)
    return calendar_at(reading, i) or decade_at(reading, i) or deictic_at(reading, i)


def _nth(period: Period, number: int, unit: str) -> Period | None:
    """The number-th half, quarter, week, day or weekday inside a period; -1 is its last."""
    start, end = period.start, period.end
    assert start is not None and end is not None
    if unit in ("half", "quarter") and number <= (parts := {"half": 2, "quarter": 4}[unit]):
        return _cut(period, number - 1 if number > 0 else parts - 1, parts)
    if unit in ("week", "day"):
        length = 7 * DAY if unit == "week" else DAY
        first = start + (number - 1) * length if number > 0 else end - length
        return _inner(period, first, min(first + length, end)) if start <= first < end else None
    if unit not in WEEKDAYS:
        return None
    weekday = WEEKDAYS[unit]
    first = start + (weekday - start.weekday()) % 7 * DAY + (number - 1) * 7 * DAY
    if number < 0:
        first = end - DAY - (end.weekday() - 1 - weekday) % 7 * DAY
    return _inner(period, first, first + DAY, weekday) if first < end else None


def _cut(period: Period, index: int, parts: int) -> Period:
    start, end = period.start, period.end
    assert start is not None and end is not None
    months = (end.year - start.year) * 12 + end.month - start.month
    if start.day == end.day == 1 and months % parts == 0:
        step = months // parts
        return _inner(period, add_months(start, index * step), add_months(start, (index + 1) * step))
    step_days = (end - start).days // parts * DAY
    begin = start + index * step_days
    return _inner(period, begin, end if index == parts - 1 else begin + step_days)


def _inner(period: Period, start: datetime, end: datetime, weekday: int | None = None) -> Period:
    days = (end - start).days
    grain = Grain.DAY if days <= 1 else Grain.WEEK if days < 28 else Grain.SEASON
    day = start.day if weekday is None else min((start.day - 1) // 7 * 7 + 1, 25)
    yearly = Yearly(month=start.month, day=day, days=max(days, 1), weekday=weekday)
    return replace(
        period,
        start=start,
        end=end,
        grain=grain,
        slack=SLACK[grain],
        yearly=yearly if period.yearly else None,
    )


def whole_at(reading: WordReader, i: int) -> TimeMatch | None:
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
