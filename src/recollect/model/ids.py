"""
Identities that sort by time: 48 bits of milliseconds and 80 bits of chance, in Crockford's base 32.

Time is a number here: a recording hook pays for what it loads. `dated_ids.py` has the same for moments of the calendar.
"""

from __future__ import annotations

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
ID_LENGTH = 26
CHANCE_BITS = 80
# So much of an id is shown to people and agents: its ten characters of time, and three of chance.
SHORT_LENGTH = 13
# The smallest step that can be seen in what is shown.
_SEEN = 1 << (CHANCE_BITS - 5 * (SHORT_LENGTH - 10))


def id_at(milliseconds: int, chance: int) -> str:
    """
    The id of something that came to be so many milliseconds after 1970 began.

    `chance` tells apart what shares a millisecond.
    """
    time_part = max(0, milliseconds) & ((1 << 48) - 1)
    return _written((time_part << CHANCE_BITS) | (chance & ((1 << CHANCE_BITS) - 1)))


def next_id(last: str) -> str:
    """An id after another, for a second one in the same millisecond or when the clock went back: other at a glance."""
    return _written(_read(last) + _SEEN)


def looks_like_id(text: str) -> bool:
    """Whether this could be an id or the beginning of one."""
    return 0 < len(text) <= ID_LENGTH and text.isascii() and all(c in _ALPHABET for c in text.upper())


def milliseconds_of(made: str) -> int:
    """When something with this id came to be, in milliseconds since 1970."""
    return _read(made) >> CHANCE_BITS


def _read(text: str) -> int:
    number = 0
    for character in text:
        number = number * 32 + _ALPHABET.index(character)
    return number


def id_of_digest(digest: bytes) -> str:
    """An id made of what something says instead of when it came: the same again for the same again."""
    return _written(int.from_bytes(digest[:16], "big"))


def _written(number: int) -> str:
    return "".join([_PAIRS[(number >> shift) & 1023] for shift in _SHIFTS])


# Two letters at a time: ids are made for every event.
_PAIRS = tuple(first + second for first in _ALPHABET for second in _ALPHABET)
_SHIFTS = range(120, -1, -10)
