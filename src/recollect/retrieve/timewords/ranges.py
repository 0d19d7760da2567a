"""Stretches from one time to another, and those open to one side."""

from __future__ import annotations

from recollect.model.period import AnchorRelation, Grain, Period, Yearly
from recollect.model.value import replace
from recollect.retrieve.timewords.calendar import (
    CalendarName,
    dated_period,
    day_number,
    named_at,
    year_after,
    year_number,
    year_period,
)
from recollect.retrieve.timewords.reading import TimeMatch, WordReader
from recollect.retrieve.timewords.single import single_at
from recollect.retrieve.timewords.tables import OPENINGS, YEAR_CUES


def range_at(reading: WordReader, i: int) -> TimeMatch | None:
    lead = reading.word(i)
    first = i + 1 if lead in ("between", "from") else i
    joints = {"and"} if lead == "between" else {"to", "until", "till", "through", "-"}
    start = _side(reading, first, has_lead=first > i)
    if start is None:
        return None
    if lead == "from" and reading.next(start.after) in ("on", "onward", "onwards"):
        return TimeMatch(_opened(_period_of(reading, start), AnchorRelation.SINCE), start.after + 1)
    if reading.next(start.after) not in joints:
        return None
    end = _side(reading, start.after + 1, has_lead=first > i)
    return _joined(reading, start, end) if end else None


def _side(reading: WordReader, i: int, *, has_lead: bool) -> CalendarName | TimeMatch | None:
    """One side of a range. A day without its month has month 0, to be taken from the other side."""
    calendar_name = named_at(reading, i, is_sure=has_lead or reading.token(i).is_capital)
    if calendar_name:
        return calendar_name
    day = day_number(reading.word(i))
    if day:
        year, after = year_after(reading, i + 1)
        return CalendarName(Yearly(month=0, day=day), year, Grain.DAY, after)
    year = year_number(reading.word(i))
    if year and (has_lead or reading.cue(i) in YEAR_CUES or reading.word(i - 1) == "-"):
        return TimeMatch(year_period(year), i + 1)
    return single_at(reading, i) if has_lead else None


def _joined(
    reading: WordReader, start: CalendarName | TimeMatch, end: CalendarName | TimeMatch
) -> TimeMatch | None:
    if isinstance(start, TimeMatch) or isinstance(end, TimeMatch):
        first, last = _period_of(reading, start), _period_of(reading, end)
        if first.start is None or last.end is None or first.start > last.end:
            return None
        return TimeMatch(replace(first, end=last.end, yearly=None), end.after)
    start, end = _with_month(start, end), _with_month(end, start)
    if not start.rule.month:
        return None
    year = end.year or start.year
    last = dated_period(reading, end._replace(year=year))
    assert last.start is not None and last.end is not None
    begins, _ = start.rule.span(start.year or last.start.year)
    if begins > last.start:
        begins, _ = start.rule.span(last.start.year - 1)
    yearly = None if year else Yearly(month=begins.month, day=begins.day, days=(last.end - begins).days)
    return TimeMatch(replace(last, start=begins, yearly=yearly), end.after)


def _with_month(side: CalendarName, other_side: CalendarName) -> CalendarName:
    if side.rule.month or other_side.grain is not Grain.DAY:
        return side
    return side._replace(rule=replace(other_side.rule, day=side.rule.day))


def _period_of(reading: WordReader, side: CalendarName | TimeMatch) -> Period:
    return side.period if isinstance(side, TimeMatch) else dated_period(reading, side)


def opening_at(reading: WordReader, i: int) -> TimeMatch | None:
    """A stretch open to one side: since May, before June 2023, up to yesterday."""
    first = i + 1
    relation = OPENINGS.get(reading.word(i))
    if (reading.word(i), reading.next(first)) in (("prior", "to"), ("up", "to"), ("up", "until")):
        relation = AnchorRelation.BEFORE if reading.word(i) == "prior" else AnchorRelation.UNTIL
        first += 1
    if relation is None or not reading.next(first):
        return None
    hit = single_at(reading, first)
    if hit is None and reading.word(first) == "the" and reading.next(first + 1):
        hit = single_at(reading, first + 1)
    return TimeMatch(_opened(hit.period, relation), hit.after) if hit else None


def _opened(period: Period, relation: AnchorRelation) -> Period:
    start, end = {
        AnchorRelation.SINCE: (period.start, None),
        AnchorRelation.AFTER: (period.end, None),
        AnchorRelation.BEFORE: (None, period.start),
        AnchorRelation.UNTIL: (None, period.end),
    }[relation]
    return replace(period, start=start, end=end, yearly=None)
