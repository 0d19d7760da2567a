"""
Error fingerprinting: what the same failure is known again by, in whatever session it happens.

What changes from one run to the next is generalised: values, paths, numbers, names. What is left must tell this failure
from others. A rule's id does so by itself; a message does if enough of its own words are left; an exception that says
little does only together with the place of the project it was raised in. A line that many different failures share,
such as a bare `AssertionError`, has no fingerprint, and nothing is ever joined by it.
"""

from __future__ import annotations

import re

from recollect.model.normal_form import text_hash
from recollect.model.observation import Fault
from recollect.model.path_kinds import is_test_file
from recollect.model.value import dataclass
from recollect.observe.recognise.normal_line import normalize_line

# So many words of its own make a message known by itself.
MIN_WORDS = 3
_VALUE = re.compile(
    r"'[^'\n]{0,200}'|\"[^\"\n]{0,200}\"|`[^`\n]{0,200}`|“[^”\n]{0,200}”|\{[^{}\n]{0,200}\}|\[[^\[\]\n]{1,200}\]"
)
_NAME = re.compile(
    r"(?<![\w<])(?:[A-Za-z_]\w*[./:])*(?:[a-z]+\w*[A-Z]\w*|\w+_\w+|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+|\w+\(\)?"
    r"|[\w.-]+\.[a-z]{1,5})(?!\w*>)"
)
_EXCEPTION = re.compile(
    r"^(?P<name>(?:[\w$]+[.:]+)*[A-Z][\w$]*(?:Error|Exception|Warning|Fault|Panic|Exit|NotFound|Failure))\b"
)
_PLACEHOLDER = re.compile(r"<\w+>")
_WORD = re.compile(r"[A-Za-zÀ-ÿ]{2,}")
# Words that stand in front of any message.
_FILLER = frozenset(
    "error errors fatal failed fail failure exception warning assert assertion expected got want none true false"
    " the".split()
)
# These say what was broken, not what is wrong with it: a rule that covers anything is no rule.
_BROAD_RULES = frozenset({"typecheck", "syntax-error", "error", "warning", "compile"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorFingerprint:
    """One failure, as it is known again."""

    # Equal keys mean the same failure.
    key: str
    # The telling line, generalised.
    telling: str
    # That line as it was printed.
    shown: str
    rule: str = ""
    # The project's file it was raised in, where the line alone does not tell.
    place: str = ""


def fingerprint_fault(fault: Fault) -> ErrorFingerprint | None:
    """The fingerprint of a failure; None where nothing in it tells it from others."""
    telling = generalise_line(fault.shown)
    thrown = _EXCEPTION.match(fault.shown)
    if fault.rule and not thrown and fault.rule not in _BROAD_RULES:
        return _make_fingerprint(_rule_text(fault.rule), telling, fault)
    if len(_own_words(telling)) >= MIN_WORDS:
        return _make_fingerprint(telling, telling, fault)
    place = next((file for file in fault.files if not is_test_file(file)), "")
    if thrown and place:
        return _make_fingerprint(f"{telling} at {place.rpartition('/')[2]}", telling, fault, place)
    if thrown and _names_a_value(fault.shown):
        # Nothing but a value tells it from others, so it is known by that value: `KeyError: 'lifetime'`.
        exact = normalize_line(fault.shown)
        return _make_fingerprint(exact, exact, fault)
    return None


def is_same_failure(
    stored_line: str, stored_text: str, fault: Fault, fingerprint: ErrorFingerprint | None
) -> bool:
    """Whether a memory is about a failure with this fingerprint, by its error line as it was stored and its text."""
    if normalize_line(stored_line) in fault.lines and _is_specific(stored_line):
        return True
    if fingerprint is None:
        return False
    if fingerprint.key == _key_of_rule(fingerprint.rule):
        return fingerprint.rule in stored_text
    if fingerprint.place and fingerprint.place.rpartition("/")[2] not in stored_text:
        return False
    return generalise_line(stored_line).lower() == fingerprint.telling.lower()


def generalise_line(line: str) -> str:
    """An error line without its values, paths, numbers and names."""
    thrown = _EXCEPTION.match(line)
    head = thrown["name"] if thrown else ""
    rest = _VALUE.sub("<value>", line[len(head) :])
    rest = _NAME.sub("<name>", normalize_line(rest))
    return " ".join(f"{head}{': ' if head and rest else ''}{rest.strip(' :')}".split())


def _is_specific(line: str) -> bool:
    """Whether a line tells one failure from others: by words of its own, or by a value that it names."""
    return len(_own_words(generalise_line(line))) >= MIN_WORDS or _names_a_value(line)


def _names_a_value(line: str) -> bool:
    return any(_WORD.search(value) for value in _VALUE.findall(line))


def _rule_text(rule: str) -> str:
    return f"rule {rule}"


def _key_of_rule(rule: str) -> str:
    return _key(_rule_text(rule)) if rule else ""


def _key(known_by: str) -> str:
    return f"error:{text_hash(known_by.lower())}"


def _own_words(telling: str) -> set[str]:
    text = _EXCEPTION.sub("", _PLACEHOLDER.sub(" ", telling))
    return {word for word in map(str.lower, _WORD.findall(text)) if word not in _FILLER}


def _make_fingerprint(known_by: str, telling: str, fault: Fault, place: str = "") -> ErrorFingerprint:
    return ErrorFingerprint(
        key=_key(known_by),
        telling=telling,
        shown=fault.shown,
        rule=fault.rule,
        place=place,
    )
