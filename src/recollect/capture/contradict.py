"""
Detecting contradictions between two texts about the same subject, by rules and without a model.

Two texts that sound alike contradict each other when they differ in one respect only and that respect excludes: a
"not", a word turned into its opposite, another quantity, another day, another value where there is room for one. A
second difference is taken for other circumstances ("on CI", "on the laptop"), and the two stand side by side.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from recollect.capture.quantities import quantities, without_quantities
from recollect.model.memory import Memory
from recollect.model.subject import Subject
from recollect.model.value import dataclass

# How much less alike than "the same" two texts may sound and still be about one thing.
CONFLICT_MARGIN = 0.27
# A value is short: "pnpm", "local time". What is longer says something else.
_MAX_VALUE_WORDS = 2
_MIN_SHARED = 2
# A statement is short; what is longer says many things, and differs in one of them without contradicting.
_MAX_CHARACTERS = 600
_MAX_WORDS_APART = 14


@dataclass(frozen=True, slots=True)
class Conflict:
    """The memory that speaks against a text, and in what."""

    memory: Memory
    why: str


def find_conflict(
    text: str, subjects: Iterable[Subject], candidates: Iterable[tuple[Memory, float]], close_above: float
) -> Conflict | None:
    """The candidate (with its cosine) that contradicts this text, the most alike first."""
    about = tuple(subjects)
    for memory, cosine in sorted(candidates, key=lambda pair: -pair[1]):
        if cosine >= close_above and (
            why := explain_contradiction(memory.text, memory.subjects, text, about)
        ):
            return Conflict(memory, why)
    return None


def explain_contradiction(
    one: str, about_one: Iterable[Subject], other: str, about_other: Iterable[Subject]
) -> str:
    """In what the other text speaks against the one about the same subject; empty when it does not."""
    if max(len(one), len(other)) > _MAX_CHARACTERS or not _shares_subject(set(about_one), set(about_other)):
        return ""
    # Cheap, and enough to put most of what sounds alike aside: only what is worded alike can contradict.
    if len(set(one.lower().split()) ^ set(other.lower().split())) > _MAX_WORDS_APART:
        return ""
    mine, theirs = _parse_statement(one), _parse_statement(other)
    if (
        not mine.content & theirs.content
        or len({*_without_articles(mine)} & {*_without_articles(theirs)}) < _MIN_SHARED
    ):
        return ""
    looks = (
        _explain_negation,
        _explain_opposite,
        _explain_exchange,
        _explain_quantity,
        _explain_day,
        _explain_value,
    )
    return next((why for look in looks if (why := look(mine, theirs))), "")


@dataclass(frozen=True, slots=True)
class _Statement:
    """A text as the rules see it."""

    # Every word in order, stemmed, quantities left out; and those that carry meaning.
    words: tuple[str, ...]
    content: frozenset[str]
    negated: bool
    quantities: frozenset[str]
    # How each stem was written.
    written: Mapping[str, str]

    def as_written(self, stems: Iterable[str]) -> str:
        return " ".join(self.written.get(stem, stem) for stem in stems)


@lru_cache(maxsize=64)
def _parse_statement(text: str) -> _Statement:
    plain = text.lower().replace("’", "'")
    words_found = _WORD.findall(without_quantities(plain))
    words = tuple(map(_stem_word, words_found))
    content = frozenset(word for word in words if word not in _LIGHT)
    negated = len(_NEGATION.findall(_NOT_DENYING.sub(" ", plain))) % 2 == 1
    written = dict(zip(reversed(words), reversed(words_found), strict=True))
    return _Statement(words, content, negated, frozenset(quantities(plain)), written)


def _explain_negation(mine: _Statement, theirs: _Statement) -> str:
    if mine.negated == theirs.negated or _have_other_quantities(mine, theirs):
        return ""
    left, right = mine.content - theirs.content, theirs.content - mine.content
    # "allowed" and "forbidden": one of them is the "not" itself.
    for yes, no in _OPPOSITES:
        if (left & yes or left & no) and (right & yes or right & no):
            left, right = left - yes - no, right - yes - no
    left, right = left - _NEGATIVE, right - _NEGATIVE
    affirmed, denied = (left, right) if theirs.negated else (right, left)
    return "one denies what the other says" if not denied or not (affirmed or denied) else ""


def _explain_opposite(mine: _Statement, theirs: _Statement) -> str:
    if mine.negated != theirs.negated or _have_other_quantities(mine, theirs):
        return ""
    left, right = set(mine.words) - set(theirs.words), set(theirs.words) - set(mine.words)
    for one, other in _OPPOSITES:
        for side, opposite_side in ((one, other), (other, one)):
            if left & side and right & opposite_side:
                rest = _says_no_more(mine, theirs, side | opposite_side)
                # "A after B" is "B before A": the same things the other way round say the same.
                if rest and ((side | opposite_side).isdisjoint(_DIRECTED) or _has_same_order(mine, theirs)):
                    return _format_difference(
                        mine, sorted(left & side)[:1], theirs, sorted(right & opposite_side)[:1]
                    )
    return ""


def _explain_exchange(mine: _Statement, theirs: _Statement) -> str:
    """Tabs over spaces, spaces over tabs: what stands on either side of a word that tells has changed places."""
    one, other = _without_articles(mine), _without_articles(theirs)
    if sorted(one) != sorted(other) or one == other or mine.quantities != theirs.quantities:
        return ""
    start = next(place for place, word in enumerate(one) if word != other[place])
    for place in range(start + 1, len(one) - 1):
        left = one[start:place]
        for end in range(place + 2, len(one) + 1):
            right = one[place + 1 : end]
            if one[place] in _TURNING and other[start:] == [*right, one[place], *left, *one[end:]]:
                return f"{mine.as_written(left)} and {mine.as_written(right)} exchanged"
    return ""


def _explain_quantity(mine: _Statement, theirs: _Statement) -> str:
    if mine.negated != theirs.negated or not _have_other_quantities(mine, theirs):
        return ""
    if not _says_no_more(mine, theirs, frozenset()) or _STATING.isdisjoint(mine.words):
        return ""
    left, right = mine.quantities - theirs.quantities, theirs.quantities - mine.quantities
    return f"{', '.join(sorted(left))} against {', '.join(sorted(right))}"


def _explain_day(mine: _Statement, theirs: _Statement) -> str:
    for names in _CALENDAR:
        left, right = (mine.content - theirs.content) & names, (theirs.content - mine.content) & names
        if left and right and mine.negated == theirs.negated and _says_no_more(mine, theirs, names):
            return _format_difference(mine, sorted(left)[:1], theirs, sorted(right)[:1])
    return ""


def _explain_value(mine: _Statement, theirs: _Statement) -> str:
    """One stretch of words is another where only one can hold: "stored in Redis", "stored in Postgres"."""
    if mine.negated != theirs.negated or mine.quantities != theirs.quantities:
        return ""
    one, other = _without_articles(mine), _without_articles(theirs)
    differing = [
        step for step in SequenceMatcher(None, one, other, autojunk=False).get_opcodes() if step[0] != "equal"
    ]
    if len(differing) != 1:
        return ""
    _, i1, i2, j1, j2 = differing[0]
    left, right = one[i1:i2], other[j1:j2]
    before, after = one[:i1], one[i2:]
    if not (_is_value(left) and _is_value(right)):
        return ""
    if i1 == 0:
        return _format_difference(mine, left, theirs, right) if after[:1] and after[0] in _ONE_DOES else ""
    if before[-1] in _CIRCUMSTANCE and not (before[-1] in _PLACE and before[-2:-1] and before[-2] in _PLACED):
        return ""
    if not any(word in _ONE_HOLDS for word in before):
        return ""
    return _format_difference(mine, left, theirs, right)


def _format_difference(
    mine: _Statement, left: Sequence[str], theirs: _Statement, right: Sequence[str]
) -> str:
    return f"{mine.as_written(left)} against {theirs.as_written(right)}"


def _is_value(words: Sequence[str]) -> bool:
    content = [word for word in words if word not in _LIGHT]
    return len(content) == len(words) <= _MAX_VALUE_WORDS and not any(word in _ONE_HOLDS for word in words)


def _says_no_more(mine: _Statement, theirs: _Statement, apart: frozenset[str]) -> bool:
    """Apart from these words, one text says nothing that the other does not, and adds no circumstance."""
    left, right = mine.content - theirs.content - apart, theirs.content - mine.content - apart
    if left and right:
        return False
    longer, more = (mine, left) if left else (theirs, right)
    return len(more) <= _MAX_VALUE_WORDS and not _has_circumstance(longer.words, more)


def _has_circumstance(words: Sequence[str], more: frozenset[str] | set[str]) -> bool:
    return any(
        word in more and (set(words[max(0, place - 2) : place]) & _CIRCUMSTANCE)
        for place, word in enumerate(words)
    )


def _have_other_quantities(mine: _Statement, theirs: _Statement) -> bool:
    return bool(mine.quantities - theirs.quantities and theirs.quantities - mine.quantities)


def _has_same_order(mine: _Statement, theirs: _Statement) -> bool:
    shared = mine.content & theirs.content
    return [w for w in mine.words if w in shared] == [w for w in theirs.words if w in shared]


def _without_articles(reading: _Statement) -> list[str]:
    return [word for word in reading.words if word not in _ARTICLES]


def _shares_subject(one: set[Subject], other: set[Subject]) -> bool:
    return bool(one & other) or not (one or other)


def _stem_word(word: str) -> str:
    for ending in ("'s", "ing", "ies", "ed", "es", "s", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def _stem_words(text: str) -> frozenset[str]:
    return frozenset(_stem_word(word) for word in text.split())


_WORD = re.compile(r"/?[^\W_][\w./-]*[^\W_]|[^\W_]+(?:'[^\W_]+)?|/")
_NEGATION = re.compile(
    r"\b(?:not|never|no|none|nor|nobody|nothing|neither|without|cannot|\w+n't|avoid|disabled?|forbid(?:den)?"
    r"|prohibited|unnecessary|disallow(?:ed)?|off|stops?|stopped|refuses?|unsupported)\b"
)
# "No more than five" and "nobody but admins" say how many and who; they deny nothing.
_NOT_DENYING = re.compile(
    r"\b(?:no (?:more|less|fewer|later|earlier|sooner|longer|bigger|smaller) than|not (?:only|more than|less than|just)"
    r"|no(?:body|thing| one|t)? but|no matter|not yet clear|none other than)\b"
)
_NEGATIVE = _stem_words(
    "not never no none nor nobody nothing neither without cannot avoid disable disabled forbid forbidden prohibited"
    " unnecessary disallow disallowed off stop stopped stops refuse unsupported longer more any anymore ever always yet"
)
_ARTICLES = _stem_words(
    "a an the our my your this that these those its their please just also now currently very"
)
_LIGHT = _ARTICLES | _stem_words(
    "is are was were be been being am do does did have has had will would shall should must can could may might need"
    " needs needed it we you i they he she there here to of in on at by for from with as and or but so then than that"
    " which who into onto per each every all any some always still already only even too will get gets got use used"
    " uses via about not never no n't don't doesn't didn't isn't aren't wasn't won't can't cannot mustn't shouldn't"
)
_OPPOSITES = tuple(
    (_stem_words(pair.split("|")[0]), _stem_words(pair.split("|")[1]))
    for pair in (
        "before|after",
        "over above|under below",
        "up|down",
        "more|less fewer",
        "required mandatory must compulsory|optional",
        "enable enabled on active activated|disable disabled off inactive deactivated",
        "allowed permitted|forbidden prohibited blocked disallowed banned",
        "always every all|never sometimes rarely",
        "first|last",
        "minimum least|maximum most",
        "left|right",
        "open|closed",
        "public|private",
        "true|false",
        "accept accepted accepts|reject rejected rejects refuse refused refuses",
        "succeeds succeed works passes|fails fail breaks",
        "short brief concise|long detailed verbose",
        "fast quick|slow",
        "safe|unsafe dangerous",
        "sync synchronous synchronously|async asynchronous asynchronously",
        "parallel concurrently|sequentially serially sequential",
        "ascending|descending",
        "manual manually|automatic automatically",
        "increase increased raise raised|decrease decreased lower lowered reduce reduced",
        "add added|remove removed drop dropped",
        "include included includes|exclude excluded excludes",
        "supported|unsupported",
        "stable|unstable flaky",
        "mutable|immutable",
        "hot warm|cold",
        "big large|small tiny",
        "early|late",
        "inside|outside",
        "encrypted|unencrypted plaintext",
        "signed|unsigned",
        "shared|separate",
        "singular|plural",
        "local locally|remote remotely",
        "lowercase|uppercase",
        "strict|lenient loose",
        "kept keep keeps|deleted delete removed discarded",
        "likes like loves prefers|dislikes hates",
    )
)
# A number is a value where something is stated; elsewhere it may be a name.
_STATING = _stem_words(
    "is are was were has have take takes took need needs require requires require listens listen runs run expire"
    " expires capped limited limit set kept keep start starts use uses support supports after every most least up"
    " port version size timeout at to than lasts costs holds retries within"
)
_DIRECTED = _stem_words("before after over above under below more less fewer first last")
_TURNING = _stem_words("over not before after than from to instead into")
_CALENDAR = (
    _stem_words("monday tuesday wednesday thursday friday saturday sunday")
    | _stem_words("mondays tuesdays wednesdays thursdays fridays saturdays sundays"),
    _stem_words("january february march april may june july august september october november december"),
    _stem_words("morning noon afternoon evening night midnight"),
)
_CIRCUMSTANCE = _stem_words(
    "for when if while during because since until unless with on in under where against"
)
# Where there is room for one value only.
_ONE_HOLDS = _stem_words(
    "use uses using is are prefer prefers want wants stored store lives live kept hosted deployed deploy written"
    " runs run happens happen called named expires default defaults owned belongs located listens starts set sent"
    " saved rounded formatted built hashed encrypted signed chose chosen returns points requires speaks likes"
)
# "Stored in" and "built with" have one answer, "fails in" and "tested with" many.
_PLACE = _stem_words("in on with")
_PLACED = _stem_words(
    "stored store lives live kept hosted deployed written saved located formatted built logged based hashed encrypted"
    " signed compressed rendered generated"
)
_ONE_DOES = _stem_words("owns own maintains leads manages reviews approves signs pays")
