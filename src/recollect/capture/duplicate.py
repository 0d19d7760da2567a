"""Deciding whether two texts say the same thing. Pure: the candidates are found elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from recollect.model.memory import Memory
from recollect.model.normal_form import normal_form
from recollect.model.subject import Subject
from recollect.model.value import dataclass


@dataclass(frozen=True, slots=True)
class Duplicate:
    """The memory that says the same, and how alike the two are."""

    memory: Memory
    likeness: float


def find_same_text(
    text: str,
    subjects: Iterable[Subject],
    candidates: Iterable[tuple[Memory, float]],
    duplicate_threshold: float,
) -> Duplicate | None:
    """The candidate (with its cosine) that says the same as this text, the most alike first."""
    about = set(subjects)
    form = normal_form(text)
    best: Duplicate | None = None
    for memory, cosine in candidates:
        likeness = 1.0 if normal_form(memory.text) == form else min(cosine, _NOT_QUITE)
        if likeness < duplicate_threshold or not _shares_subject(about, set(memory.subjects)):
            continue
        if likeness < 1.0 and not has_same_particulars(text, memory.text):
            continue
        if best is None or likeness > best.likeness:
            best = Duplicate(memory, likeness)
    return best


def has_same_particulars(one: str, other: str) -> bool:
    """
    Whether two texts that sound alike also agree in what a vector hardly sees.

    A changed number, name, path or order, a "not", or a word turned into its opposite makes it another
    statement. In doubt they differ: a memory kept twice is a nuisance, one that was dropped is lost.
    """
    mine, theirs = _split_words(one), _split_words(other)
    return (
        _find_numbers(one) == _find_numbers(other)
        and _find_exact_names(one) == _find_exact_names(other)
        and _are_among(_find_plain_names(one), theirs)
        and _are_among(_find_plain_names(other), mine)
        and len(_NEGATION.findall(one)) % 2 == len(_NEGATION.findall(other)) % 2
        and not _is_turned_around(mine, theirs)
        and not _is_first_word_exchanged(mine, theirs)
    )


# Only the same words are wholly alike; a cosine may round up to one.
_NOT_QUITE = 0.9999

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
# What names one thing and no other: paths, dotted names, snake_case, camelCase, flags, quotations, eu-west-1.
_EXACT_NAME = re.compile(
    r"[\w.-]*\w/[\w./-]+|\w+(?:[._]\w+)+|\b[a-z]+[A-Z]\w+|(?<![\w-])--?[a-z][\w-]+|`[^`]{1,80}`"
    r"|\b[a-z]+(?:-[a-z]+)*-\d[\w-]*"
)
_PLAIN_NAME = re.compile(r"(?<![.!?:\n] )(?<=[^\W_] |[,;(\"'] )[A-Z]\w*|\b[A-Z][A-Z0-9]+\b")
_NEGATION = re.compile(
    r"\b(?:not|never|no|none|nor|nobody|without|cannot|can't|won't|don't|doesn't|didn't|isn't|aren't|wasn't"
    r"|weren't|shouldn't|mustn't|couldn't|wouldn't|(?<!to )avoid|stop(?:ped|s)?|disabled?|forbid(?:den)?"
    r"|unlike|false|off|rather than|instead of|fail(?:s|ed)?|dropp?(?:ed|s)?)\b",
    re.IGNORECASE,
)
_NUMBER_WORDS = {
    "zero": "0",
    "two": "2",
    "second": "2",
    "twice": "2",
    "three": "3",
    "third": "3",
    "four": "4",
    "fourth": "4",
    "five": "5",
    "fifth": "5",
    "six": "6",
    "sixth": "6",
    "seven": "7",
    "seventh": "7",
    "eight": "8",
    "eighth": "8",
    "nine": "9",
    "ninth": "9",
    "ten": "10",
    "tenth": "10",
    "eleven": "11",
    "twelve": "12",
    "thirteen": "13",
    "fourteen": "14",
    "fifteen": "15",
    "sixteen": "16",
    "seventeen": "17",
    "eighteen": "18",
    "nineteen": "19",
    "twenty": "20",
    "thirty": "30",
    "forty": "40",
    "fifty": "50",
    "sixty": "60",
    "seventy": "70",
    "eighty": "80",
    "ninety": "90",
    "hundred": "100",
    "thousand": "1000",
    "million": "1000000",
}
_OPPOSITES = tuple(
    tuple(frozenset(side.split()) for side in pair.split("|"))
    for pair in (
        "before|after",
        "required must mandatory|optional",
        "enable on|disable off",
        "allowed may can|forbidden frozen blocked",
        "always every all|never sometimes some only",
        "more above over newer up larger|less below under older down smaller",
        "increase raise add|decrease lower remove",
        "first earliest oldest|last latest newest",
        "minimum least|maximum most",
        "left|right",
        "open|closed",
        "public|private",
        "true|false",
        "accept|reject refuse",
        "upgrade|downgrade",
        "still|dropped",
    )
)
# Around these, which of two words comes first is what is said.
_ORDER_TELLS = frozenset({"not", "no", "never", "over", "before", "after", "then", "than", "from", "instead"})
_FUNCTION_WORDS = frozenset(
    re.findall(
        r"\w+",
        "a an the this that these those it its we our us you your i my he his she her they their there here"
        " is are was were be been do does did have has had will would should could must may can of in on at"
        " to for from by with as and or but if when then than so since because once each every all any"
        " some only also please just always use uses",
    )
)


def _shares_subject(one: set[Subject], other: set[Subject]) -> bool:
    # "Needs a restart" about caddy and about postgres are two memories.
    return not one or not other or not one.isdisjoint(other)


def _find_numbers(text: str) -> set[str]:
    # "One" and "first" are seldom counts ("they share one database", "migrate first").
    words = (_NUMBER_WORDS.get(word) for word in re.findall(r"[a-z]+", text.lower()))
    return set(_NUMBER.findall(text)) | {word for word in words if word}


def _find_exact_names(text: str) -> set[str]:
    return {match.strip("`.-").lower() for match in _EXACT_NAME.findall(text)} - {""}


def _find_plain_names(text: str) -> set[str]:
    return {_stem_word(match.lower()) for match in _PLAIN_NAME.findall(text)} - _FUNCTION_WORDS


def _are_among(names: set[str], words: list[str]) -> bool:
    """Each name stands among the words, if need be shortened: Postgres for PostgreSQL."""
    return all(
        any(_is_short_for(name, word) or _is_short_for(word, name) for word in words) for name in names
    )


def _is_short_for(short: str, name: str) -> bool:
    return short == name or (len(short) >= 4 and name.startswith(short))


def _is_turned_around(one: list[str], other: list[str]) -> bool:
    """The same words with their places exchanged (use X, not Y), or one of them made its opposite."""
    mine = [word for word in one if word not in _FUNCTION_WORDS]
    theirs = [word for word in other if word not in _FUNCTION_WORDS]
    if sorted(mine) == sorted(theirs) and mine != theirs:
        moved = [place for place, word in enumerate(mine) if word != theirs[place]]
        swapped = len(moved) == 2 and moved[1] - moved[0] > 1
        if swapped or not _ORDER_TELLS.isdisjoint(one):
            return True
    only_mine, only_theirs = set(one) - set(other), set(other) - set(one)
    return any(
        (left & only_mine and right & only_theirs) or (right & only_mine and left & only_theirs)
        for left, right in _stem_opposites()
    )


def _is_first_word_exchanged(one: list[str], other: list[str]) -> bool:
    """Alex prefers tabs, Maria prefers tabs: nothing but the first word differs, and it may be a name."""
    return (
        len(one) > 1
        and one[1:] == other[1:]
        and one[0] != other[0]
        and not {one[0], other[0]} & _FUNCTION_WORDS
    )


@cache
def _stem_opposites() -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    return tuple(
        (frozenset(map(_stem_word, left)), frozenset(map(_stem_word, right))) for left, right in _OPPOSITES
    )


def _split_words(text: str) -> list[str]:
    return [_stem_word(word.lower()) for word in _WORD.findall(text)]


def _stem_word(word: str) -> str:
    for ending in ("'s", "ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
