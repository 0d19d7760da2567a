"""The periods a question names: each word in turn offered to the rules, in their order."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from recollect.model.period import Grain, Period
from recollect.model.value import replace
from recollect.retrieve.timewords.calendar import named_at
from recollect.retrieve.timewords.deictic import DAY_WORDS, FUZZY
from recollect.retrieve.timewords.ranges import opening_at, range_at
from recollect.retrieve.timewords.reading import TimeMatch, WordReader, examined_part, tokens_of
from recollect.retrieve.timewords.single import single_at
from recollect.retrieve.timewords.tables import (
    CUES,
    DEICTICS,
    HOLIDAYS,
    MONTHS,
    NUMBERS,
    ORDINALS,
    SEASONS,
    SHORT_MONTHS,
    SHORT_WEEKDAYS,
    THIRDS,
    UNITS,
    WEEKDAYS,
    word_set,
)

_MOST_PERIODS = 16
_PAST_WORDS = word_set("did was were had happened")
_FUTURE_WORDS = word_set("will shall upcoming gonna")
_SPOKEN_ON = {("as", "of"), *((verb, "on") for verb in word_set("mentioned said told noted discussed"))}
_BEGINNINGS = (
    CUES
    | word_set("prior up later half couple few several tonight weekend")
    | {phrase.split()[0] for phrase in (*FUZZY, *HOLIDAYS)}
    | set(MONTHS | SHORT_MONTHS | WEEKDAYS | SHORT_WEEKDAYS | SEASONS | DAY_WORDS)
    | set(THIRDS | NUMBERS | ORDINALS)
    | set(UNITS)
)


# Without one of these, or a figure, no words name a time: most questions are done here.
_TELLING = (
    DEICTICS
    | word_set("ago tonight weekend later earlier decade")
    | {phrase.split()[0] for phrase in (*FUZZY, *HOLIDAYS)}
    | set(MONTHS | SHORT_MONTHS | WEEKDAYS | SHORT_WEEKDAYS | SEASONS | DAY_WORDS)
    | set(UNITS)
)
_LETTERS = re.compile(r"[a-z]+")


def find_periods(text: str, now: datetime, *, month_first: bool = False) -> tuple[Period, ...]:
    """The periods a question names, in the order of its words; `now` is what "yesterday" counts from."""
    examined = examined_part(text)
    if not _may_name_a_time(examined.lower()):
        return ()
    tokens = tokens_of(examined)
    words = {token.word for token in tokens}
    is_future = not words.isdisjoint(_FUTURE_WORDS) and words.isdisjoint(_PAST_WORDS)
    reading = WordReader(tokens=tokens, now=now.astimezone(UTC), month_first=month_first, is_future=is_future)
    reading = replace(reading, now=_spoken_at(reading))
    periods: list[Period] = []
    i = 0
    while i < len(reading.tokens) and len(periods) < _MOST_PERIODS:
        hit = period_at(reading, i)
        if hit is None:
            i += 1
            continue
        periods.append(replace(hit.period, words=reading.slice(examined, i, hit.after)))
        i = hit.after
    return tuple(periods)


def _spoken_at(reading: WordReader) -> datetime:
    """What relative words count from: a day the question says they were spoken on, else now."""
    for i in range(len(reading.tokens)):
        if (reading.word(i), reading.next(i + 1)) not in _SPOKEN_ON:
            continue
        calendar_name = named_at(reading, i + 2)
        if calendar_name and calendar_name.year and calendar_name.grain is Grain.DAY:
            return calendar_name.rule.span(calendar_name.year)[0]
    return reading.now


def period_at(reading: WordReader, i: int) -> TimeMatch | None:
    if not _may_begin(reading.word(i)):
        return None
    try:
        for rule in (range_at, opening_at, single_at):
            hit = rule(reading, i)
            if hit is not None:
                return hit
    except (OverflowError, ValueError):
        # "in 9999 years" lies outside what a date can hold, and names no time a memory can have.
        return None
    return None


def _may_name_a_time(lowered: str) -> bool:
    return not _TELLING.isdisjoint(_LETTERS.findall(lowered)) or any(map(str.isdigit, lowered))


def _may_begin(word: str) -> bool:
    return word in _BEGINNINGS or word[:1].isdigit() or (word[:1] in "qh'" and word[1:2].isdigit())
