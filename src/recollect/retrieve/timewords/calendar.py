"""Calendar times, in words and in figures: days, months, seasons, quarters, holidays, years, decades, 2023-05-08."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

from recollect.model.period import Grain, Period, Yearly, add_months, days_in_month
from recollect.retrieve.timewords.reading import DAY, TimeMatch, WordReader, make_period, midnight
from recollect.retrieve.timewords.tables import (
    COUNTED,
    CUES,
    DEICTICS,
    GO_ON,
    HOLIDAYS,
    MONTHS,
    OPENINGS,
    ORDINALS,
    OWNERS,
    SEASONS,
    SHORT_MONTHS,
    THIRDS,
    YEAR_CUES,
    direction_of,
    word_set,
)

_VERB_MONTHS = word_set("may march")
_NAME_MONTHS = word_set("april june august")
_NO_HOLIDAY_AFTER = word_set("egg eggs tree trees island")
_NO_SEASON_AFTER = {
    "spring": word_set("boot framework security data mvc cloud batch bean beans webflux rolls onion"),
    "fall": word_set("back through under into apart over behind short out off down to for within asleep of"),
}
# Before a lower-case "may" or "march" these leave no doubt; "this may" and "from march" do.
_SURE_CUES = word_set("in during since until till by before after last next early mid late of past")
_NO_YEAR_OF = word_set("total number sum count maximum minimum max min limit size port value average")


class CalendarName(NamedTuple):
    """A stretch of the calendar that may still lack its year."""

    rule: Yearly
    year: int | None
    grain: Grain
    after: int


def calendar_at(reading: WordReader, i: int) -> TimeMatch | None:
    calendar_name = named_at(reading, i)
    return TimeMatch(dated_period(reading, calendar_name), calendar_name.after) if calendar_name else None


def named_at(reading: WordReader, i: int, *, is_sure: bool = False) -> CalendarName | None:
    """A day, month, season, quarter or holiday by its name; `is_sure` if the words around leave no doubt."""
    for rule in (_day_month, _month, _season, _quarter, _holiday):
        calendar_name = rule(reading, i, is_sure)
        if calendar_name is not None:
            return calendar_name
    return None


def _day_month(reading: WordReader, i: int, is_sure: bool) -> CalendarName | None:
    word = reading.word(i)
    day = day_number(word) or ORDINALS.get(word)
    has_of = reading.next(i + 1) == "of"
    at = i + 2 if has_of else i + 1
    month = _month_number(reading.next(at))
    if not day or not month or (not has_of and word in ORDINALS):
        return None
    year, after = year_after(reading, at + 1)
    is_clear = is_sure or has_of or not word.isdigit() or reading.word(at) not in _VERB_MONTHS
    if not (is_clear or year or reading.token(at).is_capital or reading.cue(i) in CUES | {"on"}):
        return None
    return _named_day(month, day, year, after)


def _month(reading: WordReader, i: int, is_sure: bool) -> CalendarName | None:
    word, then = reading.word(i), reading.next(i + 1, "." if reading.word(i) in SHORT_MONTHS else "")
    month = _month_number(word)
    if not month:
        return None
    day = day_number(then)
    if day and not (then.isdigit() and reading.next(i + 2) in COUNTED):
        year, after = year_after(reading, i + 2)
        is_clear = is_sure or word not in _VERB_MONTHS or not then.isdigit() or reading.token(i).is_capital
        if is_clear or year or reading.cue(i) in CUES | {"on"}:
            return _named_day(month, day, year, after)
    year, after = year_after(reading, i + 1)
    if year or is_sure or _is_month_meant(reading, i):
        return CalendarName(Yearly(month=month, months=1), year, Grain.MONTH, after)
    return None


def _named_day(month: int, day: int, year: int | None, after: int) -> CalendarName | None:
    if day > days_in_month(year or 2000, month):
        return None
    return CalendarName(Yearly(month=month, day=day), year, Grain.DAY, after)


def _is_month_meant(reading: WordReader, i: int) -> bool:
    """Whether a month's name alone is the month: may and march are verbs, april and june are people."""
    word, cue = reading.word(i), reading.cue(i)
    has_article = reading.word(i - 1) == "the"
    if word in SHORT_MONTHS:
        return cue in CUES and not has_article
    if word not in _VERB_MONTHS | _NAME_MONTHS:
        return True
    if word in _VERB_MONTHS and not reading.token(i).is_capital:
        return cue in _SURE_CUES and not has_article and reading.word(i - 2) != "the"
    if has_article:
        return reading.token(i).is_capital and reading.next(i + 1) not in GO_ON | {"of"}
    return cue in CUES


def _season(reading: WordReader, i: int, is_sure: bool) -> CalendarName | None:
    word, cue = reading.word(i), reading.cue(i)
    if word not in SEASONS:
        return None
    year, after = year_after(reading, i + 1)
    calendar_name = CalendarName(Yearly(month=SEASONS[word], months=3), year, Grain.SEASON, after)
    if year or is_sure:
        return calendar_name
    if reading.next(i + 1) in _NO_SEASON_AFTER.get(word, ()) or cue not in CUES:
        return None
    # "in Spring" with a capital and nothing else is the framework, "the Summer Nights festival" a name.
    if reading.token(i).is_capital and (
        (reading.next(i + 1) and reading.token(i + 1).is_capital)
        or (word == "spring" and reading.word(i - 1) in ("in", "for", "of"))
    ):
        return None
    return calendar_name


def _quarter(reading: WordReader, i: int, is_sure: bool) -> CalendarName | None:
    word = reading.word(i)
    if not re.fullmatch("q[1-4]|h[12]", word):
        return None
    year, after = year_after(reading, i + 1)
    months = 3 if word[0] == "q" else 6
    # H1 without a year is a heading.
    if not (year or (months == 3 and (is_sure or reading.cue(i) in CUES | {"the", "our"}))):
        return None
    return CalendarName(
        Yearly(month=(int(word[1]) - 1) * months + 1, months=months), year, Grain.SEASON, after
    )


def _holiday(reading: WordReader, i: int, is_sure: bool) -> CalendarName | None:
    for length in (3, 2, 1):
        words = [reading.word(i)] + [reading.next(i + k) for k in range(1, length)]
        rule = HOLIDAYS.get(" ".join(words))
        if rule and reading.next(i + length) not in _NO_HOLIDAY_AFTER:
            year, after = year_after(reading, i + length)
            # People say Christmas for the days around it.
            return CalendarName(rule, year, Grain.WEEK, after)
    return None


def _month_number(word: str) -> int | None:
    return MONTHS.get(word) or SHORT_MONTHS.get(word)


def dated_period(reading: WordReader, calendar_name: CalendarName, direction: int | None = None) -> Period:
    """The period of a named stretch: in its year, else the last, this or next (-1, 0, 1) or likeliest."""
    rule, grain = calendar_name.rule, calendar_name.grain
    if calendar_name.year:
        return make_period(*rule.span(calendar_name.year), grain)
    now = reading.now
    spans = [rule.span(year) for year in range(now.year + 1, now.year - 3, -1)]
    likeliest = 1 if reading.is_future else None
    match likeliest if direction is None else direction:
        case None:
            span = next(span for span in spans if span[0] <= now)
        case -1:
            span = next(span for span in spans if span[1] <= now)
        case 0:
            span = spans[2] if spans[2][1] > now else spans[1]
        case _:
            span = next(span for span in reversed(spans) if span[0] > now)
    return make_period(*span, grain, yearly=rule if direction is None else None)


def year_at(reading: WordReader, i: int) -> TimeMatch | None:
    year = year_number(reading.word(i))
    if not year or reading.next(i + 1) in COUNTED:
        return None
    if re.fullmatch("q[1-4]", reading.next(i + 1)):
        calendar_name = _quarter(reading, i + 1, True)
        return (
            TimeMatch(dated_period(reading, calendar_name._replace(year=year)), i + 2)
            if calendar_name
            else None
        )
    lead = "" if reading.token(i).gap else reading.word(i - 1)
    is_cued = lead in YEAR_CUES and not (lead == "by" and year % 100 == 0)
    is_of = lead == "of" and reading.word(i - 3) == "the" and reading.word(i - 2) not in _NO_YEAR_OF
    is_label = lead in OWNERS and not reading.is_last(i + 1) and 1990 <= year <= reading.now.year + 1
    return TimeMatch(year_period(year), i + 1) if is_cued or is_of or is_label else None


def year_period(year: int) -> Period:
    return make_period(*Yearly(months=12).span(year), Grain.YEAR)


def decade_at(reading: WordReader, i: int) -> TimeMatch | None:
    match = re.fullmatch(r"((?:19|20)\d|[5-9])0s", reading.word(i), re.ASCII)
    if match is None or reading.word(i - 1) not in {"the"} | set(THIRDS):
        return None
    # "the 60s timeout" is a minute.
    if len(match[1]) == 1 and not reading.is_last(i + 1):
        return None
    first = int(match[1]) * 10 + (1900 if len(match[1]) == 1 else 0)
    start = datetime(first, 1, 1, tzinfo=UTC)
    return TimeMatch(make_period(start, add_months(start, 120), Grain.YEAR, slack=365 * DAY), i + 1)


def year_after(reading: WordReader, i: int) -> tuple[int | None, int]:
    """The year that goes on from a name, and where the words go on: 2023, of 2023, last year."""
    at = i + 1 if reading.next(i) == "of" else i
    year = year_number(reading.next(at, ",." if at == i else ""))
    if year and reading.next(at + 1) not in COUNTED:
        return year, at + 1
    if reading.next(at) in DEICTICS and reading.next(at + 1) == "year":
        return reading.now.year + direction_of(reading.word(at)), at + 2
    return None, i


def day_number(word: str) -> int | None:
    match = re.fullmatch(r"(\d{1,2})(?:st|nd|rd|th)?", word, re.ASCII)
    return int(match[1]) if match and 1 <= int(match[1]) <= 31 else None


def year_number(word: str) -> int | None:
    return int(word) if re.fullmatch(r"(?:19|20)\d\d", word, re.ASCII) else None


def stamp_at(reading: WordReader, i: int) -> TimeMatch | None:
    """Dates and times in figures."""
    word = reading.word(i)
    if not word[:1].isdigit() or len(word) > 32 or not word.isascii():
        return None
    if re.fullmatch(r"\d{4}-\d\d-\d\dt\d\d:\d\d.*", word):
        return TimeMatch(_moment(datetime.fromisoformat(word.upper())), i + 1)
    if re.fullmatch(r"\d{4}-w\d\d", word):
        monday = midnight(date.fromisocalendar(int(word[:4]), int(word[6:]), 1))
        return TimeMatch(make_period(monday, monday + 7 * DAY, Grain.WEEK), i + 1)
    if match := re.fullmatch(r"(\d{4})-(\d\d)", word):
        year, month = int(match[1]), int(match[2])
        return TimeMatch(make_period(*Yearly(month=month, months=1).span(year), Grain.MONTH), i + 1)
    day = _figure_day(reading, i)
    if day is None:
        return None
    after = i + 2 if reading.next(i + 1) == "at" else i + 1
    clock = re.fullmatch(r"(\d\d?):(\d\d)(:\d\d)?", reading.next(after), re.ASCII)
    if clock:
        return TimeMatch(_moment(day.replace(hour=int(clock[1]), minute=int(clock[2]))), after + 1)
    return TimeMatch(make_period(day, day + DAY, Grain.DAY), i + 1)


def _figure_day(reading: WordReader, i: int) -> datetime | None:
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
    return dated_period(reading, CalendarName(Yearly(month=month, day=day), None, Grain.DAY, 0)).start


def _month_and_day(reading: WordReader, first: int, second: int) -> tuple[int, int]:
    is_month_first = second > 12 or (reading.month_first and first <= 12)
    return (first, second) if is_month_first else (second, first)


def _moment(at: datetime) -> Period:
    at = at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)
    return make_period(at, at + timedelta(minutes=1), Grain.MOMENT)
