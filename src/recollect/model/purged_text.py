"""
Finding a purged text wherever it was repeated: cut, quoted, escaped, with other words around it.

Texts are compared as words. Five of them in a row (word shingles) are a repetition; a shorter text must be there whole.
A value that stands for nothing else, such as a number or a code, is a repetition by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

PURGED = "[purged]"
_SHINGLE = 5
# In scripts without spaces every letter is taken for a word.
_UNSPACED = "\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_UNSPACED_SHINGLE = 8
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")
# A code, an account, a telephone number, a name at a provider.
_VALUE = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+|[^\W_][\w.+-]*\d[\w.+-]*[^\W_]|\+?\d[\d /-]{5,}\d")
_MIN_VALUE = 6
# A day, a version, a commit, one of our own ids: these stand for other things too.
_SHARED_VALUE = re.compile(
    r"\d{4}-\d\d(?:-\d\d.*)?|v?\d+(?:\.\d+)+\w*|[0-9a-f]{7,40}|[0-9A-HJKMNP-TV-Z]{26}|\d{1,5}"
    r"|[\w-]+\.[A-Za-z]{1,4}\d?"
)
# A source of a memory that shares so much of its words says the same in others.
_MOSTLY = 0.5
_LONG_WORD = 4


class PurgedText:
    """Texts that must be gone, and how they are taken out of what repeats them."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = tuple(dict.fromkeys(text for text in texts if text.strip()))
        self._shingles: dict[int, set[tuple[str, ...]]] = {}
        for text in self.texts:
            words = [word.casefold() for word in _WORD.findall(text)]
            size = min(_shingle_size(text), len(words))
            if size:
                grams = {tuple(words[at : at + size]) for at in range(len(words) - size + 1)}
                self._shingles.setdefault(size, set()).update(grams)
        self._words = {word for grams in self._shingles.values() for gram in grams for word in gram}
        values = {value for text in self.texts for value in _VALUE.findall(text) if _is_own(value)}
        self._values = re.compile(
            "|".join(rf"(?<!\w){re.escape(v)}(?!\w)" for v in sorted(values, key=len, reverse=True))
            or r"(?!)",
            re.IGNORECASE,
        )

    def erase(self, text: str) -> str:
        """A text without what repeats the purged ones; the same text if nothing does."""
        spans = [(match.start(), match.end()) for match in self._values.finditer(text)]
        spans += self._find_runs(text)
        for start, end in reversed(_join(spans)):
            text = text[:start] + PURGED + text[end:]
        return text

    def erase_values(self, value: Any) -> Any:
        """The same for every string inside a JSON value."""
        return _map_strings(value, self.erase)

    def erase_source(self, value: Any) -> Any:
        """The same for what a purged memory was learned from: what says it in other words goes as a whole."""
        return _map_strings(value, self._erase_retold)

    def _erase_retold(self, text: str) -> str:
        erased = self.erase(text)
        return PURGED if self.is_retold(erased) else erased

    def is_held_by(self, content: bytes) -> bool:
        """Whether bytes that are no text hold one of the longer words of it, in whatever order."""
        lowered = content.lower()
        return any(word.encode() in lowered for word in self._words if len(word) > _LONG_WORD)

    def _find_runs(self, text: str) -> list[tuple[int, int]]:
        words = [(match.group().casefold(), match.start(), match.end()) for match in _WORD.finditer(text)]
        if self._words.isdisjoint(word for word, _, _ in words):
            return []
        plain = [word for word, _, _ in words]
        return [
            (words[at][1], words[at + size - 1][2])
            for size, grams in self._shingles.items()
            for at in range(len(plain) - size + 1)
            if plain[at] in self._words and tuple(plain[at : at + size]) in grams
        ]

    def is_retold(self, text: str) -> bool:
        """Whether a text has most of the longer words of a purged one, in whatever order."""
        words = {word.casefold() for word in _WORD.findall(text)}
        for purged in self.texts:
            own = {word.casefold() for word in _WORD.findall(purged) if len(word) >= _LONG_WORD}
            if own and len(own & words) > _MOSTLY * len(own) and len(words) >= _LONG_WORD:
                return True
        return False


def _shingle_size(text: str) -> int:
    return _UNSPACED_SHINGLE if re.search(rf"[{_UNSPACED}]", text) else _SHINGLE


def _is_own(value: str) -> bool:
    return len(value) >= _MIN_VALUE and _SHARED_VALUE.fullmatch(value) is None


def _join(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def _map_strings(value: Any, change: Any) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_map_strings(part, change) for part in value]
    if isinstance(value, dict):
        return {change(name): _map_strings(part, change) for name, part in value.items()}
    return value
