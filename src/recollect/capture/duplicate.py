"""Do two texts say the same thing? A pure decision over candidates that someone else found."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from recollect.model.memory import Memory
from recollect.model.normal import normal_form
from recollect.model.subject import Subject

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
# What names one thing and no other: paths, dotted names, snake_case, camelCase, CONSTANTS, flags, quotations.
_NAME = re.compile(r"[\w.-]*[\w]/[\w./-]+|\w+(?:[._]\w+)+|[a-z]+[A-Z]\w+|\b[A-Z][A-Z0-9]{2,}\b|--?[a-z][\w-]+|`[^`]{1,80}`")
_NEGATION = re.compile(
    r"\b(?:not|never|no|none|nor|without|cannot|can't|won't|don't|doesn't|didn't|isn't|aren't|wasn't|weren't"
    r"|shouldn't|mustn't|couldn't|wouldn't|avoid|stop(?:ped)?|disabled?|forbid(?:den)?|unlike|false|off)\b",
    re.IGNORECASE,
)
_NUMBER_WORDS = {
    word: str(value)
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()
    )
}


@dataclass(frozen=True, slots=True)
class Alike:
    """The memory that says the same, and how alike the two are."""

    memory: Memory
    likeness: float


def same_thing(
    text: str, subjects: Iterable[Subject], candidates: Iterable[tuple[Memory, float]], same_above: float
) -> Alike | None:
    """The candidate (with its cosine) that says the same as this text, the most alike first."""
    about = set(subjects)
    form = normal_form(text)
    best: Alike | None = None
    for memory, cosine in candidates:
        likeness = 1.0 if normal_form(memory.text) == form else cosine
        if likeness < same_above or not _same_subjects(about, set(memory.subjects)):
            continue
        if likeness < 1.0 and not _same_particulars(text, memory.text):
            continue
        if best is None or likeness > best.likeness:
            best = Alike(memory, likeness)
    return best


def _same_subjects(one: set[Subject], other: set[Subject]) -> bool:
    # "Needs a restart" about caddy and about postgres are two memories.
    return not one or not other or not one.isdisjoint(other)


def _same_particulars(one: str, other: str) -> bool:
    """A vector hardly sees a changed number, a changed name or a "not"; these decide what a text says."""
    return (
        _numbers(one) == _numbers(other)
        and _names(one) == _names(other)
        and len(_NEGATION.findall(one)) % 2 == len(_NEGATION.findall(other)) % 2
    )


def _numbers(text: str) -> set[str]:
    words = (_NUMBER_WORDS.get(word) for word in re.findall(r"[a-z]+", text.lower()))
    return set(_NUMBER.findall(text)) | {word for word in words if word}


def _names(text: str) -> set[str]:
    return {match.strip("`.-").lower() for match in _NAME.findall(text)} - {""}
