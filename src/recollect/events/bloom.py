"""
A Bloom filter of what was read: it tells whether four words stood there one after another, and nothing else.

A note that repeats a file is the file's word, so it must be known what the file said. The text itself is not
recorded: it lies on the disk, it may be long, and it may be secret. The filter has a byte or two for each word.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeVar

    _Long = TypeVar("_Long", str, list[str])

SHINGLE = 4
# With so many holes for each shingle and two tries, one in forty passes that never stood there.
_HOLES = 8
_FEWEST_BITS, _MOST_BITS = 9, 16
# Of a longer text the beginning and the end: more would leave no hole closed.
_MOST_CHARACTERS = 120_000
_MOST_WORDS = 16_384
# Odd numbers without a pattern, so that the order of words counts and every bit of them does.
_FACTORS = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63)
_WHOLE = 0xFFFFFFFFFFFFFFFF

# Scripts written without spaces: each character is a word.
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\u0e00-\u0e7f"
_FIRST_UNSPACED = "\u0e00"
# As text: hooks load this file at every event, and few events are something read.
_WORD = rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+(?:['’][^\W_]+)?"
# The same where no such script is; with it, the pattern takes milliseconds to compile.
_SPACED_WORD = r"[^\W_]+(?:['’][^\W_]+)?"


def split_words(text: str) -> list[str]:
    """The words of a text, however they are written."""
    if not text.isascii():
        from unicodedata import normalize

        text = normalize("NFKC", text)
    text = text.lower()
    is_spaced = text.isascii() or max(text) < _FIRST_UNSPACED
    return re.findall(_SPACED_WORD if is_spaced else _WORD, text)


def make_bloom_filter(text: str) -> str:
    """A sieve through which pass the shingles of this text; empty if it has none."""
    # Where it is used: a library of its own to the system, and most events have nothing to sift.
    from binascii import b2a_base64

    words = _ends(split_words(_ends(text, _MOST_CHARACTERS)), _MOST_WORDS)
    if len(words) < SHINGLE:
        return ""
    mask = (1 << min(_MOST_BITS, max(_FEWEST_BITS, (len(words) * _HOLES).bit_length()))) - 1
    holes = bytearray((mask + 1) // 8)
    for mixed in hash_shingles(words):
        one, two = mixed & mask, mixed >> 32 & mask
        holes[one >> 3] |= 1 << (one & 7)
        holes[two >> 3] |= 1 << (two & 7)
    return b2a_base64(holes, newline=False).decode()


def share_in_filter(sieve: str, words: Sequence[str]) -> float:
    """How many of the shingles of these words pass; 0 where there is no sieve, or no shingle."""
    from binascii import a2b_base64

    try:
        holes = a2b_base64(sieve)
    except ValueError:
        return 0.0
    if not holes or len(words) < SHINGLE:
        return 0.0
    mask = len(holes) * 8 - 1
    shingles = hash_shingles(words)
    passed = sum(_is_open(holes, one & mask) and _is_open(holes, one >> 32 & mask) for one in shingles)
    return passed / len(shingles)


def holds_share(sieve: str, shingles: Sequence[int], share: float) -> bool:
    """Whether at least such a share of these shingles pass; it looks no further than it must to know."""
    from binascii import a2b_base64

    try:
        holes = a2b_base64(sieve)
    except ValueError:
        return False
    if not holes or not shingles:
        return False
    mask = len(holes) * 8 - 1
    possible = whole = len(shingles)
    for shingle in shingles:
        one, two = shingle & mask, shingle >> 32 & mask
        # Not by a function: a note is held against all that a session read.
        if not holes[one >> 3] >> (one & 7) & holes[two >> 3] >> (two & 7) & 1:
            possible -= 1
            if possible / whole < share:
                return False
    return True


def _ends(whole: _Long, most: int) -> _Long:
    return whole if len(whole) <= most else whole[: most // 2] + whole[-most // 2 :]


def hash_shingles(words: Sequence[str]) -> list[int]:
    """Each shingle as a number of 64 bits."""
    from binascii import crc32

    numbers_by_word = {word: crc32(word.encode("utf-8", "replace")) for word in set(words)}
    numbers = [numbers_by_word[word] for word in words]
    a, b, c, d = _FACTORS
    shingles = zip(numbers, numbers[1:], numbers[2:], numbers[3:], strict=False)
    return [(one * a + two * b + three * c + four * d) >> 7 & _WHOLE for one, two, three, four in shingles]


def _is_open(holes: bytes, place: int) -> bool:
    return bool(holes[place >> 3] >> (place & 7) & 1)
