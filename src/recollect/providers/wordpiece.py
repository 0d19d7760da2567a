"""
WordPiece tokenizer of BERT models with its vocabulary; every piece has its place in the text.

The same cut as the uncased BERT tokenizer, with two exceptions: text never becomes a control piece ("[SEP]"
in a memory is three ordinary pieces), and an emoji stands alone, so that the word it touches stays known.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

_MAX_SCANS = 100
# Longer than any name of any model.
_MAX_NAME = 100


class Vocabulary:
    """The pieces of a model; the number of a piece is that of its line in the file."""

    def __init__(self, lines: bytes) -> None:
        self._lines = b"\n%b\n" % lines
        self._names = lines.split(b"\n")
        self._numbers: dict[str, int] | None = None
        self._asked = 0
        #: no name is longer
        self.longest = _MAX_NAME

    def number(self, name: str) -> int | None:
        """The number of a piece, if there is one of this name."""
        if self._numbers is not None:
            return self._numbers.get(name)
        self._asked += 1
        if self._asked > _MAX_SCANS:
            return self._build_table().get(name)
        line = name.encode()
        # A look through the whole file at once is much quicker than one at name after name.
        return self._names.index(line) if b"\n%b\n" % line in self._lines else None

    def name(self, number: int) -> str:
        """What a piece is called."""
        return self._names[number].decode()

    def _build_table(self) -> dict[str, int]:
        names = [name.decode() for name in self._names]
        self.longest = max(map(len, names))
        self._numbers = {name: number for number, name in enumerate(names)}
        return self._numbers


UNKNOWN = "[UNK]"
START = "[CLS]"
END = "[SEP]"


class Piece(NamedTuple):
    """One piece: its id, where it stands in the text, and where the word it is part of stands."""

    id: int
    start: int
    end: int
    word_start: int
    word_end: int


class WordPiece:
    """A vocabulary and the greedy longest-match cut by it."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self.unknown_id, self.start_id, self.end_id = map(self._piece_id, (UNKNOWN, START, END))
        # Text repeats its words, so most cuts are one lookup. Bounded: hostile input must not fill memory.
        self._cut_cached = lru_cache(maxsize=1 << 15)(self._cut_chunk)

    def pieces(self, text: str) -> list[Piece]:
        """The pieces of a text in order; spans count characters of the text as given."""
        pieces: list[Piece] = []
        for match in _CHUNK.finditer(text):
            chunk, at = match.group(), match.start()
            cut = self._cut_cached if len(chunk) <= _MAX_WORD else self._cut_chunk
            for piece_id, start, end, word_start, word_end in cut(chunk):
                pieces.append(Piece(piece_id, at + start, at + end, at + word_start, at + word_end))
        return pieces

    def name(self, piece: Piece) -> str:
        """What a piece is called; "##ing" continues a word."""
        return self._vocabulary.name(piece.id)

    def _piece_id(self, name: str) -> int:
        number = self._vocabulary.number(name)
        if number is None:
            raise ValueError(f"the vocabulary has no piece {name}")
        return number

    def _cut_chunk(self, chunk: str) -> tuple[tuple[int, int, int, int, int], ...]:
        if chunk.isascii() and chunk.isalnum():
            return tuple(self._cut_word(chunk.lower(), range(len(chunk))))
        return tuple(piece for word, places in _normal_words(chunk) for piece in self._cut_word(word, places))

    def _cut_word(self, word: str, places: Sequence[int]) -> list[tuple[int, int, int, int, int]]:
        """Greedy longest match; a word with any part unknown is unknown as a whole, as BERT was trained."""
        first, last = places[0], places[-1] + 1
        unknown = [(self.unknown_id, first, last, first, last)]
        if len(word) > _MAX_WORD:
            return unknown
        pieces = []
        start = 0
        while start < len(word):
            prefix = "##" if start else ""
            for end in range(min(len(word), start + self._vocabulary.longest), start, -1):
                piece_id = self._vocabulary.number(prefix + word[start:end])
                if piece_id is not None:
                    break
            else:
                return unknown
            pieces.append((piece_id, places[start], places[end - 1] + 1, first, last))
            start = end
        return pieces


_MAX_WORD = 100
_SPACE = " \t\n\r\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_ASCII_PUNCTUATION = r"!-/:-@\[-`{-~"
_CHUNK = re.compile(f"[{_ASCII_PUNCTUATION}]|[^{_SPACE}{_ASCII_PUNCTUATION}]+")


def _normal_words(chunk: str) -> Iterable[tuple[str, list[int]]]:
    """Lower-case words without accents and control characters, with the place of each of their characters.

    Character by character, since one character may become none, one or several; that keeps places exact.
    """
    word = ""
    places: list[int] = []
    for at, character in enumerate(chunk):
        if _is_dropped(character):
            continue
        alone = not character.isascii() and bool(_single_character_pattern().match(character))
        for part in _plain(character):
            if (alone or _is_punctuation(part)) and word:
                yield word, places
                word, places = "", []
            word += part
            places.append(at)
            if alone or _is_punctuation(part):
                yield word, places
                word, places = "", []
    if word:
        yield word, places


@cache  # so many ranges take longer to compile than a short question takes to cut
def _single_character_pattern() -> re.Pattern[str]:
    """What is cut character by character: ideographs as BERT does it (2B920 is its own slip), and emoji."""
    return re.compile(
        "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002b73f"
        "\U0002b740-\U0002b81f\U0002b920-\U0002ceaf\U0002f800-\U0002fa1f"
        "\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]"
    )


def _is_dropped(character: str) -> bool:
    return character == "\ufffd" or unicodedata.category(character) in ("Cc", "Cf", "Co", "Cs")


def _plain(character: str) -> str:
    apart = unicodedata.normalize("NFD", character)
    return "".join(part.lower() for part in apart if unicodedata.category(part) != "Mn")


def _is_punctuation(character: str) -> bool:
    if character.isascii():
        return not character.isalnum()
    return unicodedata.category(character).startswith("P")
