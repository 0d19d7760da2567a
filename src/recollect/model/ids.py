"""
Identities that sort by time (48 bits of milliseconds and 80 bits of chance, in Crockford's base 32), and fingerprints.

Time is a number here, and what needs the calendar loads it when called: a recording hook pays for what it imports.
"""

from __future__ import annotations

# Straight from where hashlib has it: hashlib loads OpenSSL, which takes longer than all else a recording hook does.
try:
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

__all__ = [
    "CHANCE_BITS",
    "ID_LENGTH",
    "SHORT_LENGTH",
    "blake2b",
    "id_at",
    "id_of_digest",
    "looks_like_id",
    "make_id",
    "make_id_after",
    "milliseconds_of",
    "next_id",
]

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
ID_LENGTH = 26
CHANCE_BITS = 80
# So much of an id is shown to people and agents: its ten characters of time, and three of chance.
SHORT_LENGTH = 13
# The milliseconds with which the last year of the calendar begins.
_YEAR_9999 = 253_370_764_800_000
# The smallest step that can be seen in what is shown.
_SEEN = 1 << (CHANCE_BITS - 5 * (SHORT_LENGTH - 10))


def id_at(milliseconds: int, chance: int) -> str:
    """
    The id of something that came to be so many milliseconds after 1970 began.

    `chance` tells apart what shares a millisecond.
    """
    time_part = max(0, milliseconds) & ((1 << 48) - 1)
    return _encode((time_part << CHANCE_BITS) | (chance & ((1 << CHANCE_BITS) - 1)))


def next_id(last: str) -> str:
    """An id after another, for a second one in the same millisecond or when the clock went back: other at a glance."""
    return _encode(_decode(last) + _SEEN)


def looks_like_id(text: str) -> bool:
    """Whether this could be an id or the beginning of one."""
    return 0 < len(text) <= ID_LENGTH and text.isascii() and all(c in _ALPHABET for c in text.upper())


def milliseconds_of(identity: str) -> int:
    """When something with this id came to be, in milliseconds since 1970."""
    return _decode(identity) >> CHANCE_BITS


def make_id(at: datetime, chance: int) -> str:
    """The id of something that came to be at this moment; `chance` tells apart what shares a millisecond."""
    return id_at(_milliseconds_at(at), chance)


def make_id_after(last: str, at: datetime, chance: int) -> str:
    """
    An id for this moment that sorts after one of another process, also when the clock went back.

    Then it is of the millisecond after that id's, with chance of its own: two processes that follow the same id do not
    meet. An id from a year that no calendar has says nothing about time and is not followed.
    """
    fresh = make_id(at, chance)
    if fresh > last:
        return fresh
    milliseconds = milliseconds_of(last)
    return id_at(milliseconds + 1, chance) if milliseconds < _YEAR_9999 else fresh


def _milliseconds_at(at: datetime) -> int:
    # Here alone: most processes that know ids never see the calendar.
    from datetime import UTC, datetime, timedelta

    return (at - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)


def _decode(text: str) -> int:
    return int(text.translate(_DIGITS), 32)


def id_of_digest(digest: bytes) -> str:
    """An id made of what something says instead of when it came: the same again for the same again."""
    return _encode(int.from_bytes(digest[:16], "big"))


def _encode(number: int) -> str:
    return "".join([_PAIRS[(number >> shift) & 1023] for shift in _SHIFTS])


# Two letters at a time: ids are made for every event.
_PAIRS = tuple(first + second for first in _ALPHABET for second in _ALPHABET)
_SHIFTS = range(120, -1, -10)
# The same letters as Python counts them in base 32.
_DIGITS = str.maketrans(_ALPHABET, "0123456789abcdefghijklmnopqrstuv")
