"""
Error fingerprinting: what the same failure is known again by, in whatever session it happens.

What changes from one run to the next is generalised: values, paths, numbers, names. What is left must tell this failure
from others. A linter's rule does so by its id, a project's own message by its words. What a language or a shell says in
the same words of anything (`No module named …`, a type that does not fit) does only together with what it names, or
with the place of the project it was raised in; an assertion with the test and what it asserts. A line that many
different failures share, such as a bare `AssertionError`, has no fingerprint, and nothing is ever joined by it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

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
    r"|[\w.-]+\.[a-z]{1,5}|[a-z]\w*(?:-\w+)*-\d+)(?!\w*>)"
)
_EXCEPTION = re.compile(
    r"^(?P<name>(?:[\w$]+[.:]+)*[A-Z][\w$]*(?:Error|Exception|Warning|Fault|Panic|Exit|NotFound|Failure))\b"
)
# `vitest: not found`, `undefined: openDatabase`.
_NAMED_BEFORE_COLON = re.compile(
    r"(?:^|[\s:])[\w./@+-]*[A-Za-z][\w./@+-]*: (?:not found|No such|unbound|command)|undefined: \w"
)
_PLACEHOLDER = re.compile(r"<\w+>")
_WORD = re.compile(r"[A-Za-zÀ-ÿ]{2,}")
# Words that stand in front of any message.
_FILLER = frozenset(
    "error errors fatal failed fail failure exception warning assert assertion expected got want none true false"
    " the to be is not of and or in with equal equals equality object match contain have left right received panic"
    " runtime".split()
)
# These say what was broken, not what is wrong with it: a rule that covers anything is no rule.
_BROAD_RULES = frozenset({"typecheck", "syntax-error", "error", "warning", "compile"})
# Codes of compilers and type checkers, which file unrelated mistakes under one of them.
_TYPE_CODE = re.compile(
    r"(?:TS|CS|MSB)\d{3,5}|E\d{4}|arg-type|assignment|return-value|attr-defined|union-attr|call-arg|call-overload"
    r"|index|operator|misc|override|name-defined|type-var|valid-type|var-annotated|import-untyped|import-not-found"
    r"|dict-item|list-item|no-any-return|no-untyped-def|no-untyped-call|type-arg|return|has-type|call|report\w+"
)
# Said in these words of anything: what is named tells one from another, wherever it happens.
_NAMES_CULPRIT = re.compile(
    r"[Nn]o module named|cannot import name"
    r"|(?:[Cc]annot|[Cc]ould not|[Cc]ouldn't|[Cc]an't) (?:find|resolve|locate|load|open)\b"
    r"|[Nn]o such file|unbound variable|parameter not set|undefined(?: reference to|:| name| variable| method)"
    r"|unresolved import|use of undeclared|implicit declaration|not found\b|does not exist|doesn't exist"
    r"|already exists|is not defined|not declared|unknown (?:option|field|column|key|import|identifier|revision)"
    r"|[Nn]o rule to make target|unrecognized arguments?|unexpected keyword argument|[Nn]o (?:tests? )?matching"
    r"|environment variable|is not a (?:known|valid|registered)|fixture "
)
# The same, of values: only together with the place where it happened.
_SAID_OF_ANY_VALUE = re.compile(
    r"has no attribute|object is not|is not (?:a function|iterable|callable|subscriptable|assignable|an? instance)"
    r"|[Cc]annot read (?:property|properties)|required positional argument|takes \d+ positional"
    r"|invalid literal|could not convert"
    r"|unsupported operand|out of range|nil pointer|null pointer|NullPointer|because \S+ is null|division by zero"
    r"|not enough values to unpack|must be str, not|can only concatenate|maximum recursion|unwrap\(\)` on a"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorFingerprint:
    """One failure, as it is known again."""

    # A key in common means the same failure.
    keys: tuple[str, ...]
    # The telling line, generalised.
    telling: str
    # That line as it was printed.
    shown: str
    rule: str = ""
    # The project's file it was raised in, where the line alone does not tell.
    place: str = ""

    def is_of(self, other: ErrorFingerprint) -> bool:
        """Whether two fingerprints are of one failure."""
        return not set(self.keys).isdisjoint(other.keys)


def fingerprint_fault(fault: Fault) -> ErrorFingerprint | None:
    """The fingerprint of a failure; None where nothing in it tells it from others."""
    telling = generalise_line(fault.shown)
    place = _find_place(fault)
    known_by = list(_list_marks(fault, telling, place))
    if not known_by:
        return None
    return ErrorFingerprint(
        keys=tuple(dict.fromkeys(map(_key, known_by))),
        telling=telling,
        shown=fault.shown,
        rule=fault.rule,
        place=place if any(mark.endswith(_at(place)) for mark in known_by) else "",
    )


def _list_marks(fault: Fault, telling: str, place: str) -> Iterator[str]:
    """What the failure is known by, each enough by itself."""
    shown, rule = fault.shown, fault.rule
    thrown = _EXCEPTION.match(shown)
    here = f"{telling}{_at(place)}" if place else ""
    if rule and not thrown and rule not in _BROAD_RULES and not _TYPE_CODE.fullmatch(rule):
        yield _rule_text(rule)
    elif rule and not thrown:
        yield from _of_compiler(shown, here)
    elif _NAMES_CULPRIT.search(shown):
        if _names_a_value(shown) or _names_a_thing(shown):
            yield _exact(shown)
    elif _SAID_OF_ANY_VALUE.search(shown):
        if place or _names_a_value(shown):
            yield f"{_exact(shown)}{_at(place)}"
    elif len(_own_words(telling)) >= MIN_WORDS and not fault.asserted:
        yield telling
    elif thrown and here and not fault.asserted:
        yield here
    elif fault.test and (fault.asserted or _names_what_was_tested(fault)):
        # What is asserted, in the test that does: the values it met differ from run to run.
        yield f"{normalize_line(fault.asserted) or telling} in {fault.test}"
    elif thrown and _names_a_value(shown):
        # Nothing but a value tells it from others, so it is known by that value: `KeyError: 'lifetime'`.
        yield _exact(shown)


def _of_compiler(shown: str, here: str) -> Iterator[str]:
    """A mistake of one shape in one file; or one that names a thing of the project's own, wherever."""
    if here:
        yield here
    if any(_NAME.fullmatch(value.strip("'\"`“”")) for value in _VALUE.findall(shown)):
        yield _exact(shown)


def _find_place(fault: Fault) -> str:
    own = next((file for file in fault.files if not is_test_file(file)), "")
    return own or (fault.files[0] if fault.files and not _EXCEPTION.match(fault.shown) else "")


def _at(place: str) -> str:
    return f" at {place.rpartition('/')[2]}" if place else ""


def is_same_failure(
    stored_line: str, stored_text: str, fault: Fault, fingerprint: ErrorFingerprint | None
) -> bool:
    """Whether a memory is about a failure with this fingerprint, by its error line as it was stored and its text."""
    if normalize_line(stored_line) in fault.lines and _is_specific(stored_line):
        return True
    if fingerprint is None:
        return False
    if _key_of_rule(fingerprint.rule) in fingerprint.keys:
        return fingerprint.rule in stored_text
    if fingerprint.place and fingerprint.place.rpartition("/")[2] not in stored_text:
        return False
    marks = {_exact(stored_line), generalise_line(stored_line)}
    marks |= {f"{mark}{_at(fingerprint.place)}" for mark in marks}
    return not {_key(mark) for mark in marks}.isdisjoint(fingerprint.keys)


def generalise_line(line: str) -> str:
    """An error line without its values, paths, numbers and names."""
    thrown = _EXCEPTION.match(line)
    head = thrown["name"] if thrown else ""
    rest = _VALUE.sub("<value>", line[len(head) :])
    rest = _NAME.sub("<name>", normalize_line(rest))
    return " ".join(f"{head}{': ' if head and rest else ''}{rest.strip(' :')}".split())


def _exact(line: str) -> str:
    """A line with what it names, without what changes from one run to the next."""
    return normalize_line(line)


def _is_specific(line: str) -> bool:
    """Whether a line tells one failure from others: by words of its own, or by a value that it names."""
    return len(_own_words(generalise_line(line))) >= MIN_WORDS or _names_a_value(line)


def _names_what_was_tested(fault: Fault) -> bool:
    """Whether a message says more than the test it comes from: `Total() = 3, want 4`, `rounding 3 cents: got 2`."""
    name = re.split(r"::|[ /›>]", fault.test)[-1]
    rest = fault.shown.replace(name, "").replace("AssertionError", "")
    return bool(name) and bool(_NAME.search(normalize_line(rest)) or _own_words(generalise_line(rest)))


def _names_a_thing(line: str) -> bool:
    """Whether a line names a file, a program or a symbol without quotation marks: `zlib.h: No such file`."""
    return bool(_NAME.search(normalize_line(line)) or _NAMED_BEFORE_COLON.search(line))


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
