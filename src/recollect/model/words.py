"""Splitting text into words the same way for the index and for questions; camelCase is split too."""

from __future__ import annotations

import re
from functools import cache

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_HUMPS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_a-zA-Z]+")
# Where case or kind changes inside a word; most prose has none, and is done with one look.
_MAY_HOLD_IDENTIFIERS = re.compile(r"[a-z][A-Z]|[A-Za-z][0-9]|[0-9][A-Za-z]|[A-Z]{2}[a-z]")
_MAX_NAME = 200


def index_words(text: str) -> str:
    """The text with its identifiers spelt out once more, so that `token` finds refreshToken."""
    if text.isascii() and _MAY_HOLD_IDENTIFIERS.search(text) is None:
        return text
    extra = [part for name in _find_identifiers(text) for part in split_identifier(name)] + _make_pairs(text)
    return f"{text}\n{' '.join(extra)}" if extra else text


def query_words(text: str) -> list[str]:
    """The words of a question in lower case, each once, in order; an identifier also as its parts."""
    words: dict[str, None] = {}
    for match in _WORD.finditer(text):
        word = match.group()
        words.setdefault(word.lower())
        if _is_identifier(word):
            words.update(dict.fromkeys(split_identifier(word)))
    words.update(dict.fromkeys(_make_pairs(text)))
    return list(words)


def split_identifier(name: str) -> list[str]:
    """`refreshToken` → refresh, token; `HTTPServer2` → http, server, 2."""
    return [part.lower() for part in _split_humps(name)]


def _find_identifiers(text: str) -> list[str]:
    return [word for word in _WORD.findall(text) if _is_identifier(word)]


def _is_identifier(word: str) -> bool:
    # Only what changes case or into digits inside the word: `Hello` and `2026` are no identifiers.
    if len(word) < 3 or len(word) > _MAX_NAME or word.islower() or word.isdigit() or not word.isalnum():
        return False
    return len(_split_humps(word)) > 1


def _split_humps(name: str) -> list[str]:
    if name.isascii():
        return _HUMPS.findall(name)
    # Café has one hump: a letter with an accent is as large or small as any other.
    shape = "".join("A" if c.isupper() else "a" if c.islower() else "0" if c.isdigit() else c for c in name)
    return [name[match.start() : match.end()] for match in _HUMPS.finditer(shape)]


def _make_pairs(text: str) -> list[str]:
    if text.isascii():
        return []
    return [run[i : i + 2] for run in _compile_unspaced().findall(text) for i in range(len(run) - 1)]


@cache  # so many characters take longer to compile than most processes have use for
def _compile_unspaced() -> re.Pattern[str]:
    """Scripts written without spaces: the tokenizer sees one long word, so pairs of characters stand in for words."""
    return re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\u0e00-\u0e7f]{2,}")
