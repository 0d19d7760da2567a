"""
Somebody else's words inside an observed memory: what may be quoted there, and what waits for a yes.

What is observed is told in our own sentences; words of others stand in it as quotations. An error line may be
shown, cut and marked. Prose may not: a docstring, a title, a label, or an error line that instructs, names an
address or simply talks; such a line is left out of what is told. The person's own words may stay. A path that reads
as a sentence is prose, too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from recollect.events.bloom import split_words
from recollect.events.statements import (
    find_addresses,
    has_other_letters,
    instructs,
    list_telling_words,
    touches_safety,
)
from recollect.model.memory import MemoryDraft
from recollect.model.value import replace

_QUOTATION = re.compile(r"“([^”]*)”|`([^`]*)`")
# What stands for words that are not handed on.
_LEFT_OUT = "“…”"
# What may stay of an error line: the name that a language or a compiler has for it.
_ERROR_NAME = re.compile(
    r"(?:\w{1,20}\.){0,3}(?:[A-Z][a-z0-9]{1,14}){1,4}(?:Error|Exception|Warning)(?=:|$)"
    r"|error (?:TS\d{4,5}|\[?E\d{4}\]?)(?=:)"
)
# These quote errors and the person.
_QUOTES_ERRORS = frozenset(
    {"error_pattern", "gotcha", "dead_end", "lesson", "correction", "work_unit_outcome", "e2e_observation"}
)
# The rule of a linter that the agent ran says what the code should be; that is what it is for.
_RULE = re.compile(r"^`[^`]+` holds the code to [\w./@-]+: ")
_CHECKING = re.compile(
    r"\b(?:should|shouldn['’]t|has|have|needs?|required?|requires|wants?|wanted|may|must be|rules?)\b",
    re.IGNORECASE,
)
_CODE = re.compile(r"[\w)\]]\(|\w[._/]\w|[a-z][A-Z]|[=<>{}\[\]\\]|\b\w*\d\w*\b|['\"`‘’]\w")
_FEWEST_WORDS = 4
_TALKS = 8
_NAME_PARTS = re.compile(r"[\s._+-]+")


def find_foreign_words(draft: MemoryDraft, typed: Sequence[str]) -> list[str]:
    """The words of somebody else in an observed memory that are more than a name or a quoted error."""
    prompts = [frozenset(split_words(text)) for text in typed]
    is_rule = is_lint_rule(draft.text)
    foreign = [
        subject.name
        for subject in draft.subjects
        if subject.type in ("file", "symbol") and reads_as_sentence(subject.name)
    ]
    for quotation, code in _QUOTATION.findall(draft.text):
        words = quotation or code
        if any(text.issuperset(split_words(words)) for text in prompts):
            continue
        if find_addresses(words) or (not is_rule and _is_foreign(draft.kind, quotation, code)):
            foreign.append(words)
    return foreign


def leave_out_words(draft: MemoryDraft, foreign: Sequence[str]) -> MemoryDraft | None:
    """A memory about an error without the words of the error, where they alone are foreign; None if there is more."""
    if draft.kind not in _QUOTES_ERRORS:
        return None
    text = draft.text
    for words in foreign:
        if f"“{words}”" not in text:
            return None
        named = _ERROR_NAME.match(words)
        text = text.replace(f"“{words}”", f"“{named[0]}: …”" if named else _LEFT_OUT)
    return replace(draft, text=text)


def quotes_errors(kind: str) -> bool:
    """Whether memories of a kind tell of errors, and so in the words of errors."""
    return kind in _QUOTES_ERRORS


def drop_quotations(text: str) -> str:
    """A text without what it quotes."""
    return _QUOTATION.sub(" ", text)


def is_lint_rule(text: str) -> bool:
    """Whether a memory tells a rule that a linter holds the code to."""
    return _RULE.match(text) is not None


def reads_as_sentence(path: str) -> bool:
    """Whether a name is a sentence rather than a name: six words, four that instruct, or an address."""
    for part in path.replace("::", "/").split("/"):
        words = [word for word in _NAME_PARTS.split(part) if word]
        if len(words) >= (_FEWEST_WORDS if " " in part else _TALKS - 2):
            return True
        if len(words) >= _FEWEST_WORDS and instructs(" ".join(words)):
            return True
        # Where words are not set apart, each character is counted.
        if len(words) <= _FEWEST_WORDS and has_other_letters(part) and len(split_words(part)) > _TALKS:
            return True
    return False


def _is_foreign(kind: str, quotation: str, code: str) -> bool:
    if code:
        return len(_small_words(code)) > 1 and instructs(code)
    if len(split_words(quotation)) < _FEWEST_WORDS:
        return False
    if kind in _QUOTES_ERRORS:
        return _is_order(quotation) or _talks(quotation)
    return bool(_small_words(quotation)) or has_other_letters(quotation) or instructs(quotation)


def _small_words(text: str) -> list[str]:
    telling = set(list_telling_words(text))
    return [word for word in split_words(text) if word not in telling]


def _is_order(words: str) -> bool:
    """
    Whether an error line tells its reader what to do; without its own name, `AssertionError: …`.

    That something should be so, or is needed, is what a check says by its nature.
    """
    return instructs(_CHECKING.sub("", words.partition(": ")[2] or words))


def _talks(words: str) -> bool:
    """Whether an error line is made of sentences: many plain words, or some about what protects people and data."""
    message = " ".join(word for word in words.split() if not _CODE.search(word))
    plain = len(split_words(message))
    return (
        plain >= _TALKS
        or (plain >= _FEWEST_WORDS and has_other_letters(message))
        or (plain > _FEWEST_WORDS and bool(_small_words(message)) and touches_safety(message))
    )
