"""The quantities in a text, each in one form: "half an hour", "30 minutes" and "1800 s" are one."""

from __future__ import annotations

import re
from collections.abc import Iterator

_SECONDS = {
    **dict.fromkeys(("ms", "millisecond", "milliseconds"), 0.001),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1.0),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), 60.0),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), 3600.0),
    **dict.fromkeys(("d", "day", "days"), 86400.0),
    **dict.fromkeys(("week", "weeks"), 7 * 86400.0),
    **dict.fromkeys(("month", "months"), 30 * 86400.0),
    **dict.fromkeys(("year", "years"), 365 * 86400.0),
}
_BYTES = {
    **dict.fromkeys(("kb", "kib"), 1e3),
    **dict.fromkeys(("mb", "mib"), 1e6),
    **dict.fromkeys(("gb", "gib"), 1e9),
    **dict.fromkeys(("tb", "tib"), 1e12),
}
_OFTEN = {
    "hourly": 3600.0,
    "daily": 86400.0,
    "nightly": 86400.0,
    "weekly": 7 * 86400.0,
    "monthly": 30 * 86400.0,
}
_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
    " seventeen eighteen nineteen"
).split()
_NUMBERS = {
    **{word: float(number) for number, word in enumerate(_SMALL)},
    **{
        word: 10.0 * tens
        for tens, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2)
    },
    "hundred": 100.0,
    "thousand": 1000.0,
    "once": 1.0,
    "twice": 2.0,
    "a": 1.0,
    "an": 1.0,
    "each": 1.0,
    "every": 1.0,
    "per": 1.0,
    "half a": 0.5,
    "half an": 0.5,
}
# "A" and "one" count only before a unit: "a key" and "one of them" are no quantities.
_ONLY_BEFORE_UNIT = frozenset(("a", "an", "each", "every", "per", "one", "half a", "half an", "once", "zero"))
_UNITS = "|".join(sorted({*_SECONDS, *_BYTES}, key=len, reverse=True))
_WORDS = "|".join(sorted(_NUMBERS, key=len, reverse=True))
# A number after one of these is a name: step 3 and step 4 are two steps.
_LABELS = (
    "note|item|issue|ticket|step|chapter|section|case|test|part|task|page|row|line|entry|memory|fact|question|answer"
    "|session|round|phase|stage|level|room|sprint|week|day|figure|table|rule|example|number|thing|user|person|message"
    "|event|record|job|file|commit|build|pr|bug|story|spec|host|server|shard|worker|instance|replica"
)
_QUANTITY = re.compile(
    rf"(?P<label>\b(?:{_LABELS})s? (?:no\. ?|number |#)?)?"
    rf"(?<![\w.:/-])(?P<number>\d+(?:[.,:]\d+)*|half an?\b|(?:{_WORDS})\b)"
    rf"(?:[ -]?(?P<unit>{_UNITS})\b|(?P<percent> ?%))?"
    rf"|\b(?P<often>{'|'.join(_OFTEN)})\b"
)


def quantities(text: str) -> Iterator[str]:
    """Every quantity of a text in lower case, in the form that is the same however it was written."""
    for match in _QUANTITY.finditer(text):
        if _is_quantity(match):
            yield _format_quantity(match)


def without_quantities(text: str) -> str:
    """The text with its quantities left out."""
    return _QUANTITY.sub(lambda match: " " if _is_quantity(match) else match[0], text)


def _is_quantity(match: re.Match[str]) -> bool:
    if match["label"]:
        return False
    return bool(match["often"] or match["unit"] or match["number"] not in _ONLY_BEFORE_UNIT)


def _format_quantity(match: re.Match[str]) -> str:
    if match["often"]:
        return f"{_OFTEN[match['often']]:g} s"
    number, unit = match["number"], match["unit"]
    if unit is None:
        return _format_number(number) + ("%" if match["percent"] else "")
    value = _parse_number(number)
    if value is None:
        return f"{_format_number(number)} {unit}"
    if unit in _SECONDS:
        return f"{value * _SECONDS[unit]:g} s"
    return f"{value * _BYTES[unit]:g} bytes"


def _format_number(number: str) -> str:
    if number in _NUMBERS:
        return f"{_NUMBERS[number]:g}"
    # 02:00 and 2:00 are one time, 3.10 and 3.1 two versions.
    return re.sub(r"^0+(?=\d)", "", number)


def _parse_number(number: str) -> float | None:
    if number in _NUMBERS:
        return _NUMBERS[number]
    return float(number) if re.fullmatch(r"\d+(?:\.\d+)?", number) else None
