"""
Dates written as Moment.js does, which is how Obsidian's settings and templates name a day. Names are English. Pure.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta

_TOKEN = re.compile(
    r"\[([^\]]*)\]|YYYY|YY|Qo|Q|MMMM|MMM|MM|Mo|M|DDDD|DDDo|DDD|DD|Do|D|dddd|ddd|dd|do|d|GGGG|GG|gggg|gg"
    r"|WW|Wo|W|ww|wo|w|E|e|HH|H|hh|h|kk|k|mm|m|ss|s|A|a|X|x|ZZ|Z"
)


def format_moment(pattern: str, at: datetime) -> str:
    """A moment in the form of a pattern such as `YYYY/MM-MMMM/YYYY-MM-DD`; what stands in [brackets] stays."""
    return _TOKEN.sub(lambda token: _written(token, at), pattern)


def _written(token: re.Match[str], at: datetime) -> str:
    return token[1] if token[1] is not None else _TOKENS[token[0]](at)


def _ordinal(number: int) -> str:
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _quarter(at: datetime) -> int:
    return (at.month + 2) // 3


def _day_of_year(at: datetime) -> int:
    return at.timetuple().tm_yday


def _from_sunday(at: datetime) -> int:
    return at.isoweekday() % 7


def _week_from_sunday(at: datetime) -> tuple[int, int]:
    """Year and week where weeks begin on Sunday and the first holds January 1st."""
    saturday = at.date() + timedelta(days=6 - _from_sunday(at))
    first = date(saturday.year, 1, 1)
    return saturday.year, (saturday - first).days // 7 + 1


def _offset(at: datetime, colon: str) -> str:
    plain = f"{at:%z}" or "+0000"
    return f"{plain[:3]}{colon}{plain[3:5]}"


_TOKENS: Mapping[str, Callable[[datetime], str]] = {
    "YYYY": lambda at: f"{at.year:04d}",
    "YY": lambda at: f"{at.year % 100:02d}",
    "Q": lambda at: str(_quarter(at)),
    "Qo": lambda at: _ordinal(_quarter(at)),
    "MMMM": lambda at: calendar.month_name[at.month],
    "MMM": lambda at: calendar.month_abbr[at.month],
    "MM": lambda at: f"{at.month:02d}",
    "Mo": lambda at: _ordinal(at.month),
    "M": lambda at: str(at.month),
    "DDDD": lambda at: f"{_day_of_year(at):03d}",
    "DDDo": lambda at: _ordinal(_day_of_year(at)),
    "DDD": lambda at: str(_day_of_year(at)),
    "DD": lambda at: f"{at.day:02d}",
    "Do": lambda at: _ordinal(at.day),
    "D": lambda at: str(at.day),
    "dddd": lambda at: calendar.day_name[at.weekday()],
    "ddd": lambda at: calendar.day_abbr[at.weekday()],
    "dd": lambda at: calendar.day_abbr[at.weekday()][:2],
    "do": lambda at: _ordinal(_from_sunday(at)),
    "d": lambda at: str(_from_sunday(at)),
    "e": lambda at: str(_from_sunday(at)),
    "E": lambda at: str(at.isoweekday()),
    "GGGG": lambda at: f"{at.isocalendar().year:04d}",
    "GG": lambda at: f"{at.isocalendar().year % 100:02d}",
    "gggg": lambda at: f"{_week_from_sunday(at)[0]:04d}",
    "gg": lambda at: f"{_week_from_sunday(at)[0] % 100:02d}",
    "WW": lambda at: f"{at.isocalendar().week:02d}",
    "Wo": lambda at: _ordinal(at.isocalendar().week),
    "W": lambda at: str(at.isocalendar().week),
    "ww": lambda at: f"{_week_from_sunday(at)[1]:02d}",
    "wo": lambda at: _ordinal(_week_from_sunday(at)[1]),
    "w": lambda at: str(_week_from_sunday(at)[1]),
    "HH": lambda at: f"{at.hour:02d}",
    "H": lambda at: str(at.hour),
    "hh": lambda at: f"{at.hour % 12 or 12:02d}",
    "h": lambda at: str(at.hour % 12 or 12),
    "kk": lambda at: f"{at.hour or 24:02d}",
    "k": lambda at: str(at.hour or 24),
    "mm": lambda at: f"{at.minute:02d}",
    "m": lambda at: str(at.minute),
    "ss": lambda at: f"{at.second:02d}",
    "s": lambda at: str(at.second),
    "A": lambda at: "AM" if at.hour < 12 else "PM",
    "a": lambda at: "am" if at.hour < 12 else "pm",
    "X": lambda at: str(int(at.timestamp())),
    "x": lambda at: str(int(at.timestamp() * 1000)),
    "Z": lambda at: _offset(at, ":"),
    "ZZ": lambda at: _offset(at, ""),
}
