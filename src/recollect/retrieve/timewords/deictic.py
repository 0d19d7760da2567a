"""Times counted from now: last week, on Monday, this evening, yesterday, recently."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from recollect.model.period import Grain, Period, add_months, days_in_month
from recollect.model.value import replace
from recollect.retrieve.timewords.amounts import MONTHS_LONG, Amount, amount_at, moved_by
from recollect.retrieve.timewords.calendar import calendar_at, dated_period, day_number, named_at
from recollect.retrieve.timewords.reading import DAY, TimeMatch, WordReader, make_period
from recollect.retrieve.timewords.tables import DEICTICS, SHORT_WEEKDAYS, WEEKDAYS, direction_of, word_set

_CALENDAR_UNITS = word_set("week weekend month quarter year decade")
DAY_WORDS = {"yesterday": -1, "today": 0, "tomorrow": 1}
_PARTS_OF_DAY = {"morning": (5, 12), "afternoon": (12, 18), "evening": (17, 24), "night": (18, 30)}
_HABITS = word_set("mornings afternoons evenings nights")
_DAY_CUES = word_set("on since until till by before after from of")
_NO_WEEKDAY_AFTER = word_set("a an every each any most some one ash super ruby")
# From how many hours ago to how many hours ago.
FUZZY = {
    "recently": (720, 0),
    "lately": (720, 0),
    "these days": (720, 0),
    "just now": (1, 0),
    "a moment ago": (1, 0),
    "moments ago": (1, 0),
    "the other day": (240, 24),
    "the other night": (240, 24),
    "the other week": (720, 168),
    "a while ago": (4_320, 168),
    "a while back": (4_320, 168),
    "some time ago": (4_320, 168),
    "long ago": (87_600, 4_320),
    "ages ago": (87_600, 4_320),
    "a long time ago": (87_600, 4_320),
}


def deictic_at(reading: WordReader, i: int) -> TimeMatch | None:
    """Last, this and next; counted from a day that follows, if one does: last Friday on 23 January 2022."""
    hit = from_now(reading, i)
    side = reading.next(hit.after) if hit else ""
    if hit is None or side not in ("on", "before"):
        return hit
    day = named_at(reading, hit.after + 1)
    if day is None or not day.year or day.grain is not Grain.DAY:
        return hit
    moved = from_now(replace(reading, now=day.rule.span(day.year)[0]), i)
    return moved._replace(after=day.after) if moved and side == "before" else moved


def from_now(reading: WordReader, i: int) -> TimeMatch | None:
    if reading.word(i) == "this" and reading.next(i + 1) in ("past", "coming"):
        i += 1
    word, then = reading.word(i), reading.next(i + 1)
    if word not in DEICTICS or not then:
        return None
    direction = direction_of(word)
    if then in _PARTS_OF_DAY and direction <= 0:
        return _in_day(reading, reading.today + direction * DAY, i + 1)
    number = _weekday_number(reading, i + 1)
    if number is not None:
        return _in_day(reading, _weekday_near(reading, number, direction), i + 2)
    if then in _CALENDAR_UNITS:
        return _unit_from_now(reading, i)
    amount = amount_at(reading, i + 1) or (Amount(1, 1, then, i + 2) if then in ("hour", "minute") else None)
    if amount and direction:
        return TimeMatch(_rolling(reading, direction, amount), amount.after)
    calendar_name = named_at(reading, i + 1)
    return (
        TimeMatch(dated_period(reading, calendar_name, direction), calendar_name.after)
        if calendar_name
        else None
    )


def _unit_from_now(reading: WordReader, i: int) -> TimeMatch | None:
    word, unit = reading.word(i), reading.next(i + 1)
    if reading.next(i + 2) == "of":
        return None
    is_rolling = word == "past" or (word == "last" and reading.word(i - 1) == "the")
    if is_rolling and unit != "weekend":
        return TimeMatch(_rolling(reading, -1, Amount(1, 1, unit, 0)), i + 2)
    return TimeMatch(calendar_unit(reading, unit, direction_of(word)), i + 2)


def _rolling(reading: WordReader, direction: int, amount: Amount) -> Period:
    count = (amount.low + amount.high) // 2
    start, end = sorted((reading.now, moved_by(reading.now, direction * count, amount.unit)))
    return make_period(start, end, Grain.FUZZY, slack=max((end - start) / 6, timedelta(minutes=1)))


def weekday_at(reading: WordReader, i: int) -> TimeMatch | None:
    number = _weekday_number(reading, i)
    if number is None:
        return None
    dated = calendar_at(reading, i + 1) if reading.next(i + 1, ",") else None
    if dated and dated.period.grain is Grain.DAY:
        return dated
    week = i + 2 if reading.next(i + 1) == "of" else i + 1
    if reading.next(week) in DEICTICS and reading.next(week + 1) == "week":
        monday = calendar_unit(reading, "week", direction_of(reading.word(week)))
        assert monday.start is not None
        return _in_day(reading, monday.start + number * DAY, week + 2)
    before, is_closing = reading.cue(i), reading.is_last(i + 1)
    if reading.word(i) in SHORT_WEEKDAYS and not (is_closing and before in _DAY_CUES):
        return None
    if (
        reading.next(i + 1) in _HABITS
        or before in _NO_WEEKDAY_AFTER
        or not (before in _DAY_CUES or is_closing or reading.next(i + 1) in _PARTS_OF_DAY)
    ):
        return None
    return _in_day(reading, _weekday_near(reading, number, 1 if reading.is_future else -1), i + 1)


def _weekday_number(reading: WordReader, i: int) -> int | None:
    word = reading.word(i)
    return (
        SHORT_WEEKDAYS.get(word)
        if reading.token(i).is_capital and word not in WEEKDAYS
        else WEEKDAYS.get(word)
    )


def _weekday_near(reading: WordReader, number: int, direction: int) -> datetime:
    if direction == 0:
        return reading.today + (number - reading.today.weekday()) * DAY
    if direction > 0:
        return reading.today + ((number - reading.today.weekday() - 1) % 7 + 1) * DAY
    return reading.today - ((reading.today.weekday() - number - 1) % 7 + 1) * DAY


def day_word_at(reading: WordReader, i: int) -> TimeMatch | None:
    word = reading.word(i)
    if word in DAY_WORDS:
        return _in_day(reading, reading.today + DAY_WORDS[word] * DAY, i + 1)
    if word == "tonight":
        return TimeMatch(_part_of_day(reading.today, "night"), i + 1)
    if word == "weekend" and reading.word(i - 1) == "the" and reading.is_last(i + 1):
        return TimeMatch(calendar_unit(reading, "weekend", 0 if reading.today.weekday() > 4 else -1), i + 1)
    return _day_of_month(reading, i)


def _day_of_month(reading: WordReader, i: int) -> TimeMatch | None:
    """On the 8th: the latest one."""
    day = None if reading.word(i).isdigit() else day_number(reading.word(i))
    if not day or reading.cue(i) != "on" or reading.word(i - 1) != "the" or not reading.is_last(i + 1):
        return None
    month = reading.today.replace(day=1)
    months = (add_months(month, -back) for back in range(4))
    fits = (month for month in months if day <= days_in_month(month.year, month.month))
    start = next(start for month in fits if (start := month.replace(day=day)) <= reading.now)
    return TimeMatch(make_period(start, start + DAY, Grain.DAY), i + 1)


def _in_day(reading: WordReader, day: datetime, after: int) -> TimeMatch:
    """The day, or the part of it that the next word names."""
    part = reading.next(after)
    if part in _PARTS_OF_DAY:
        return TimeMatch(_part_of_day(day, part), after + 1)
    return TimeMatch(make_period(day, day + DAY, Grain.DAY), after)


def _part_of_day(day: datetime, part: str) -> Period:
    start, end = (day + timedelta(hours=hour) for hour in _PARTS_OF_DAY[part])
    return make_period(start, end, Grain.MOMENT, slack=timedelta(hours=6))


def calendar_unit(reading: WordReader, unit: str, direction: int) -> Period:
    """The day, week, month ... that now lies in, moved by so many of its kind."""
    today = reading.today
    monday = today - today.weekday() * DAY
    if unit == "day":
        return make_period(today + direction * DAY, today + (direction + 1) * DAY, Grain.DAY)
    if unit in ("week", "weekend"):
        start, end = monday + direction * 7 * DAY, monday + (direction + 1) * 7 * DAY
        return make_period(end - 2 * DAY if unit == "weekend" else start, end, Grain.WEEK)
    months = MONTHS_LONG[unit]
    first = (today.year * 12 + today.month - 1) // months * months
    start = add_months(datetime(1, 1, 1, tzinfo=UTC), first - 12 + direction * months)
    grain = {1: Grain.MONTH, 3: Grain.SEASON}.get(months, Grain.YEAR)
    return make_period(start, add_months(start, months), grain)


def fuzzy_at(reading: WordReader, i: int) -> TimeMatch | None:
    for length in (4, 3, 2, 1):
        words = [reading.word(i)] + [reading.next(i + k) for k in range(1, length)]
        reach = FUZZY.get(" ".join(words))
        if reach and reading.word(i - 1) not in ("most", "how"):
            start, end = (reading.now - timedelta(hours=hours) for hours in reach)
            return TimeMatch(make_period(start, end, Grain.FUZZY), i + length)
    return None
