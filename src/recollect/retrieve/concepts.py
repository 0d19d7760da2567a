"""
A thesaurus of software and office words: which words mean the same, in English, German, French and Spanish.

`concepts.txt` has a concept a line. It lets a German question meet an English memory, and `picture` an `image`; what it
does not know is left to the words themselves and to the model.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from recollect.retrieve.stopwords import ASKING_WORDS, ENGLISH, FUNCTION_WORDS

TABLE = Path(__file__).with_name("concepts.txt")
LANGUAGES = (ENGLISH, "de", "fr", "es")
# How much longer than a beginning an inflected word may be; short beginnings may take less.
_MAX_ENDING = 5
_MAX_SHORT_ENDING = 3
_SHORT = 4
# A part of a compound is at least so long; between two parts may stand one of these.
_MIN_PART = 4
_JOINTS = ("", "s", "n", "en", "es")
# So many English words stand for one of another language.
_GLOSSES = 2


class _Thesaurus(NamedTuple):
    # Of English, the concepts of each stem; of the others, those of each beginning.
    english: dict[str, frozenset[int]]
    beginnings: dict[str, dict[str, frozenset[int]]]
    # The English words of each concept.
    words: tuple[tuple[str, ...], ...]
    # The beginnings of each concept in all other languages.
    foreign: tuple[tuple[str, ...], ...]


def find_concepts(word: str, language: str) -> frozenset[int]:
    """What a word means, as numbers of concepts; none if the table does not know it."""
    table = _load()
    if language == ENGLISH:
        return table.english.get(_english_stem(word), frozenset())
    return _find_beginning(_fold(word), language)


def split_compound(word: str) -> tuple[str, str] | None:
    """The two parts of a German compound, if both are known: Datenbankverbindung → datenbank, verbindung."""
    folded = _fold(word)
    if _find_beginning(folded, "de"):
        return None
    for end in range(len(folded) - _MIN_PART, _MIN_PART - 1, -1):
        last = folded[end:]
        if not _find_beginning(last, "de"):
            continue
        for joint in _JOINTS:
            first = folded[:end].removesuffix(joint) if joint else folded[:end]
            if len(first) >= _MIN_PART and _find_beginning(first, "de"):
                return first, last
    return None


def translate_word(word: str, language: str) -> tuple[str, ...]:
    """The English words that mean the same, the plainest first; none if it is not known."""
    return tuple(
        dict.fromkeys(
            word for number in sorted(find_concepts(word, language)) for word in _load().words[number]
        )
    )


def list_foreign_beginnings(word: str) -> tuple[str, ...]:
    """How words of other languages begin that mean the same as an English one."""
    return tuple(
        dict.fromkeys(
            one for number in sorted(find_concepts(word, ENGLISH)) for one in _load().foreign[number]
        )
    )


def gloss_words(words: list[str], language: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each word of a question in another language with the English that stands for it; an unknown one for itself."""
    asking, function = ASKING_WORDS[language], FUNCTION_WORDS[language]
    for word in words:
        if word in asking:
            yield word, (asking[word],)
        elif word in function:
            continue
        else:
            parts = [word]
            if language == "de" and not find_concepts(word, language):
                parts = list(split_compound(word) or (word,))
            english = [one for part in parts for one in translate_word(part, language)[:_GLOSSES]]
            yield word, tuple(english) or (word,)


@lru_cache(maxsize=4096)
def _find_beginning(folded: str, language: str) -> frozenset[int]:
    beginnings = _load().beginnings[language]
    for length in range(len(folded), 1, -1):
        concepts = beginnings.get(folded[:length])
        if concepts and len(folded) - length <= (_MAX_ENDING if length >= _SHORT else _MAX_SHORT_ENDING):
            return concepts
    return frozenset()


def _fold(word: str) -> str:
    plain = unicodedata.normalize("NFKD", word.casefold())
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


def _english_stem(word: str) -> str:
    """The word without its commonest endings: enough to let plurals and forms of verbs meet."""
    for ending, least in (("ing", 5), ("ies", 4), ("ed", 5), ("es", 5), ("s", 4), ("e", 4)):
        if len(word) >= least + 1 and word.endswith(ending) and not word.endswith("ss"):
            return word[: -len(ending)].rstrip("e") + ("y" if ending == "ies" else "")
    return word


@cache
def _load() -> _Thesaurus:
    english: dict[str, set[int]] = {}
    beginnings: dict[str, dict[str, set[int]]] = {language: {} for language in LANGUAGES[1:]}
    words: list[tuple[str, ...]] = []
    foreign: list[tuple[str, ...]] = []
    for line in TABLE.read_text("utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        number = len(words)
        of_language = [part.split() for part in line.split(" / ")]
        for word in of_language[0]:
            english.setdefault(_english_stem(word), set()).add(number)
        for language, listed in zip(LANGUAGES[1:], of_language[1:], strict=True):
            for word in listed:
                beginnings[language].setdefault(_fold(word), set()).add(number)
        words.append(tuple(of_language[0]))
        foreign.append(tuple(dict.fromkeys(_fold(word) for listed in of_language[1:] for word in listed)))
    return _Thesaurus(
        english={stem: frozenset(numbers) for stem, numbers in english.items()},
        beginnings={
            language: {word: frozenset(numbers) for word, numbers in table.items()}
            for language, table in beginnings.items()
        },
        words=tuple(words),
        foreign=tuple(foreign),
    )
