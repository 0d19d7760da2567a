"""
Is a sentence about this project, or would it be true of any?

A text whose file names could be swapped for others without becoming false says nothing: "src/auth.py is tricky, test
it well". So beside its files a text must hold something that the session itself gave: the words of an error, a
command, what a person said, or a second file that the first one is said to need.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

MIN_SHARED_WORDS = 2
_WORD = re.compile(r"[A-Za-z_][\w.-]{2,}")
# What ties one file to another; "and" alone does not.
_RELATION = re.compile(
    r"\b(?:when|before|after|without|needs?|requires?|forces?|together|along with|goes with|too|as well)\b",
    re.IGNORECASE,
)
# Words that stand in every other sentence about code tell no project from another.
_COMMON = frozenset(
    "the and for not with from that this was were are has have had but its into when then than there here file files"
    " code test tests check checks error errors fail fails failed failing change changes changed edit edits edited run"
    " runs line lines function method value values expected got want should must may can will use used using always"
    " never careful important make sure remember before after again all any each every".split()
)


def is_specific(text: str, *, files: Iterable[str], evidence: Sequence[str]) -> bool:
    """Whether the text would become false if its file names were swapped for others."""
    files_named = [file for file in dict.fromkeys(files) if mentions(text, file)]
    bare = _remove_files(text, files_named)
    if _has_shared_words(bare, evidence):
        return True
    return len(files_named) >= 2 and _RELATION.search(bare) is not None


def mentions(text: str, file: str) -> bool:
    """Whether a text names a file, by its path or by its name alone."""
    return (
        file in text
        or re.search(rf"(?<![\w/.-]){re.escape(file.rpartition('/')[2])}(?![\w-])", text) is not None
    )


def _remove_files(text: str, files: Iterable[str]) -> str:
    for file in sorted(files, key=len, reverse=True):
        text = text.replace(file, " ").replace(file.rpartition("/")[2], " ")
    return text


def _has_shared_words(text: str, evidence: Sequence[str]) -> bool:
    """Whether telling words of the evidence stand in the text."""
    text_words = _pick_telling_words(text)
    evidence_words = set().union(*(_pick_telling_words(piece) for piece in evidence)) if evidence else set()
    # One word that only a program would write is as good as two others.
    shared = text_words & evidence_words
    return len(shared) >= MIN_SHARED_WORDS or any(_is_a_name(word) for word in shared)


def _pick_telling_words(text: str) -> set[str]:
    return {word.strip(".-") for word in _WORD.findall(text) if word.lower().strip(".-") not in _COMMON}


def _is_a_name(word: str) -> bool:
    return bool(re.search(r"[a-z][A-Z]|_|\w\.\w|\d", word)) and len(word) > 3
