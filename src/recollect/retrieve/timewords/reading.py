"""WordReader: a question cut into plain words as the rules read it; TimeMatch: what a rule returns."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

from recollect.model.period import Grain, Period, Yearly
from recollect.model.value import dataclass
from recollect.retrieve.timewords.tables import GO_ON, MONTHS, SEASONS, SHORT_MONTHS, THIRDS

DAY = timedelta(days=1)
SLACK = {
    Grain.MOMENT: timedelta(hours=2),
    Grain.DAY: DAY,
    Grain.WEEK: 2 * DAY,
    Grain.MONTH: 5 * DAY,
    Grain.SEASON: 14 * DAY,
    Grain.YEAR: 21 * DAY,
}


class TimeMatch(NamedTuple):
    """A period, and the index of the word after those that name it."""

    period: Period
    after: int


def make_period(
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


# A question is short; what is long is pasted, and then asks at its beginning or its end.
_EXAMINED_EACH_END = 2_000
_QUOTES = "'‘’*"


class Token(NamedTuple):
    """A plain word, where it stands in the text, and the marks between it and the word before."""

    word: str
    start: int
    end: int
    gap: str
    is_capital: bool


_END = Token("", 0, 0, ".", False)


@dataclass(frozen=True, slots=True, kw_only=True)
class WordReader:
    """The words of one question, and what its relative words count from."""

    tokens: tuple[Token, ...]
    now: datetime
    month_first: bool = False
    is_future: bool = False

    @property
    def today(self) -> datetime:
        return self.now.replace(hour=0, minute=0, second=0, microsecond=0)

    def token(self, i: int) -> Token:
        return self.tokens[i] if 0 <= i < len(self.tokens) else _END

    def word(self, i: int) -> str:
        return self.token(i).word

    def next(self, i: int, gaps: str = "") -> str:
        """The word at i if it goes on from the one before it, across one of `gaps` at most."""
        token = self.token(i)
        return token.word if not token.gap or token.gap in gaps else ""

    def cue(self, i: int) -> str:
        """The word that leads up to i, an article between left out."""
        if self.token(i).gap:
            return ""
        if self.word(i - 1) == "the" and not self.token(i - 1).gap:
            return self.word(i - 2) or "the"
        return self.word(i - 1)

    def is_last(self, i: int) -> bool:
        return bool(self.token(i).gap) or self.word(i) in GO_ON

    def slice(self, text: str, i: int, after: int) -> str:
        return text[self.tokens[i].start : self.tokens[after - 1].end]


def examined_part(text: str) -> str:
    """The text, or its beginning and end if it is long."""
    if len(text) <= 2 * _EXAMINED_EACH_END:
        return text
    return text[:_EXAMINED_EACH_END] + "\0" + text[-_EXAMINED_EACH_END:]


def tokens_of(text: str) -> tuple[Token, ...]:
    tokens: list[Token] = []
    gap = ""
    for match in re.finditer(r"[^\s,;()\[\]{}\"“”!?<>|=\0]+|[,;()\[\]{}\"“”!?<>|=\0]", text):
        chunk = match.group()
        core = chunk.strip(",;()[]{}\"“”!?<>|=\0'‘’*.:…-–—")
        if not core:
            gap += chunk
            continue
        lead, _, trail = chunk.partition(core)
        gap += lead.strip(_QUOTES)
        for offset, piece in _pieces(core):
            start = match.start() + len(lead) + offset
            tokens.append(Token(_plain(piece), start, start + len(piece), gap, piece[0].isupper()))
            gap = ""
        gap = trail.strip(_QUOTES)
    return tuple(tokens)


def _pieces(core: str) -> list[tuple[int, str]]:
    """A chunk such as `mid-May` or `3-9` taken apart; anything else with a hyphen stays one odd word."""
    parts = re.split("[-–]", core)
    if not 2 <= len(parts) <= 3 or (all(part.isdigit() for part in parts) and len(core) in (7, 8, 10)):
        return [(0, core)]
    if not all(_is_dated(part.lower()) for part in parts):
        return [(0, core)]
    is_range = len(parts) == 2 and parts[0].isdigit() == parts[1].isdigit() and parts[0].lower() not in THIRDS
    cut = re.finditer("[-–]|[^-–]+", core)
    return [(piece.start(), piece.group()) for piece in cut if is_range or piece.group() not in "-–"]


def _is_dated(part: str) -> bool:
    names = (MONTHS, SHORT_MONTHS, SEASONS, THIRDS)
    return any(part in words for words in names) or bool(
        re.fullmatch(r"\d{1,2}|\d{4}|q[1-4]", part, re.ASCII)
    )


def _plain(piece: str) -> str:
    return "-" if piece == "–" else re.sub(r"['’]s$", "", piece.lower())
