"""Dates and times in figures: 2023-05-08, 5/8/2023, 2023-05-08 at 14:30."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

from recollect.model.period import Grain, Period, Yearly
from recollect.retrieve.timewords.calendar import Named, dated_period
from recollect.retrieve.timewords.cues import OPENINGS
from recollect.retrieve.timewords.reading import Reading
from recollect.retrieve.timewords.stretch import DAY, Hit, midnight, stretch


def stamp_at(reading: Reading, i: int) -> Hit | None:
    """Dates and times in figures."""
    word = reading.word(i)
    if not word[:1].isdigit() or len(word) > 32 or not word.isascii():
        return None
    if re.fullmatch(r"\d{4}-\d\d-\d\dt\d\d:\d\d.*", word):
        return Hit(_moment(datetime.fromisoformat(word.upper())), i + 1)
    if re.fullmatch(r"\d{4}-w\d\d", word):
        monday = midnight(date.fromisocalendar(int(word[:4]), int(word[6:]), 1))
        return Hit(stretch(monday, monday + 7 * DAY, Grain.WEEK), i + 1)
    if match := re.fullmatch(r"(\d{4})-(\d\d)", word):
        year, month = int(match[1]), int(match[2])
        return Hit(stretch(*Yearly(month=month, months=1).span(year), Grain.MONTH), i + 1)
    day = _figure_day(reading, i)
    if day is None:
        return None
    after = i + 2 if reading.next(i + 1) == "at" else i + 1
    clock = re.fullmatch(r"(\d\d?):(\d\d)(:\d\d)?", reading.next(after), re.ASCII)
    if clock:
        return Hit(_moment(day.replace(hour=int(clock[1]), minute=int(clock[2]))), after + 1)
    return Hit(stretch(day, day + DAY, Grain.DAY), i + 1)


def _figure_day(reading: Reading, i: int) -> datetime | None:
    word, cue = reading.word(i), reading.cue(i)
    if match := re.fullmatch(r"(\d{4})[-/](\d\d?)[-/](\d\d?)", word):
        return datetime(int(match[1]), int(match[2]), int(match[3]), tzinfo=UTC)
    if match := re.fullmatch(r"(\d\d?)([-/.])(\d\d?)\2(\d{4}|\d\d)", word):
        # 2.1.2024 is more often a version than a date, and 1-2-23 anything.
        if (match[2] == "." and cue != "on" and len(word) < 10) or (match[2] != "/" and len(match[4]) < 4):
            return None
        month, day = _month_and_day(reading, int(match[1]), int(match[3]))
        return datetime(int(match[4]) + (2000 if len(match[4]) < 4 else 0), month, day, tzinfo=UTC)
    if (match := re.fullmatch(r"(\d\d?)/(\d\d?)", word)) is None or word == "24/7":
        return None
    # Without a year it may be a fraction: only the words before it, or a number over 12, make it a day.
    first, second = int(match[1]), int(match[2])
    if cue != "on" and (cue not in OPENINGS or max(first, second) <= 12):
        return None
    month, day = _month_and_day(reading, first, second)
    return dated_period(reading, Named(Yearly(month=month, day=day), None, Grain.DAY, 0)).start


def _month_and_day(reading: Reading, first: int, second: int) -> tuple[int, int]:
    is_month_first = second > 12 or (reading.month_first and first <= 12)
    return (first, second) if is_month_first else (second, first)


def _moment(at: datetime) -> Period:
    at = at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)
    return stretch(at, at + timedelta(minutes=1), Grain.MOMENT)
