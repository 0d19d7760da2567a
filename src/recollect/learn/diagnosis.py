"""What the agent said between a failure and its end: why it failed, and what it would do about it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from recollect.learn.content_words import content_words
from recollect.learn.cues import Role, weigh_objections, weigh_roles
from recollect.learn.mentions import find_mentions
from recollect.learn.segmentation import BlockKind, parse_blocks, split_sentences
from recollect.learn.wording import SPEAKER_INSIDE, polish_sentence, resolve_opening
from recollect.model.step import Message

MAX_DIAGNOSIS_LENGTH = 200
# Words that begin alike are one word here: complex and complexity, wrapped and wrapping.
STEM = 6
_LOOKS = re.compile(
    r"^(?:also |just |now |then |quickly |first )*(?:look|check|see|read|run|re-?run|verify|search|find|grep"
    r"|test|try|view|examine|investigate|explore|open|debug"
    r"|understand|confirm|get|wait|start|continue|proceed|commit|push)\b",
    re.IGNORECASE,
)
# "Fix the lint errors", "address this": says that something is done, not what.
_SAYS_NOTHING = re.compile(
    r"^(?:fix|address|resolve|handle|correct|update|clean up|make|do|adjust)\s+(?:it|this|that|these|those"
    r"|them|both|all|the|each|every)?\s*"
    r"(?:of (?:them|these) )?(?:\w+ ){0,4}(?:errors?|issues?|warnings?|problems?|tests?|fix|change|changes"
    r"|lint|one|ones|too|linter|files?|failures?)?"
    r"(?: (?:in|for) (?:the )?\w+)?[.:!]*$",
    re.IGNORECASE,
)
_DOES = re.compile(
    r"^(?:add|use|wrap|extract|refactor|replace|rename|remove|set|split|move|return|call|pass|convert|inline"
    r"|import|export|mark|skip|ignore|introduce|define|change"
    r"|switch|initiali[sz]e|guard|mock|stub|pin|bump|install|create|make|put|keep|drop|reduce|simplify"
    r"|suppress|disable|enable)\b",
    re.IGNORECASE,
)
# Every failure is told with these.
_ANY_ERROR = frozenset(
    "error errors fail fails failed failure expected got want returned returns return string name type value".split()
)
_TELLING = (Role.CAUSE, Role.CONSTRAINT, Role.REMEDY, Role.CHOICE, Role.CONSEQUENCE, Role.RULE)


def find_diagnosis(
    answers: Iterable[Message], first_step: int, last_step: int, about: Sequence[str], error: str = ""
) -> str:
    """
    The best words between a failure and its end; empty where the agent only worked.

    `about` names the failure. Where the `error` is given, only sentences that speak of it count: a check often fails
    of several things at once.
    """
    between = [
        answer for answer in answers if first_step <= answer.after_step < last_step and not answer.agent
    ]
    scored = sorted(_candidates(between, about), key=lambda pair: -pair[0])
    if error:
        places = (name.rpartition("/")[2].partition(".")[0] for name in about)
        named = content_words(" ".join((error, *places))) - _ANY_ERROR
        scored = [pair for pair in scored if _speaks_of(pair[1][1], named)]
    chosen: list[tuple[int, str]] = []
    for _, place, sentence in ((score, *rest) for score, rest in scored):
        length = sum(len(text) for _, text in chosen) + len(sentence)
        if length <= MAX_DIAGNOSIS_LENGTH and sentence not in {text for _, text in chosen}:
            chosen.append((place, sentence))
        if len(chosen) == 2:
            break
    return " ".join(text for _, text in sorted(chosen))


def _speaks_of(sentence: str, named: frozenset[str]) -> bool:
    words = content_words(sentence)
    stems = {name[:STEM] for name in named if len(name) >= STEM}
    return bool(words & named) or any(word[:STEM] in stems for word in words if len(word) >= STEM)


def _candidates(between: Sequence[Message], about: Sequence[str]) -> Iterator[tuple[float, tuple[int, str]]]:
    place, before = 0, ""
    for answer in between:
        for block in parse_blocks(answer.text):
            if block.kind is BlockKind.ROW:
                continue
            for sentence in split_sentences(block.text):
                place += 1
                text = resolve_opening(polish_sentence(sentence), before, block.heading)
                before = sentence
                score = _score(text, about)
                if score > 0:
                    yield score, (place, text)


def _score(sentence: str, about: Sequence[str]) -> float:
    if not 20 <= len(sentence) <= MAX_DIAGNOSIS_LENGTH or sentence.endswith(":."):
        return 0.0
    objections = weigh_objections(sentence)
    if _LOOKS.match(sentence) or _SAYS_NOTHING.match(sentence) or SPEAKER_INSIDE.search(sentence):
        return 0.0
    if objections.keys() & {Role.QUESTION, Role.STATUS, Role.COURTESY, Role.NARRATION}:
        return 0.0
    roles = weigh_roles(sentence)
    score = sum(roles.get(role, 0.0) for role in _TELLING) + 0.8 * bool(_DOES.match(sentence))
    if score < 0.7:
        return 0.0
    lowered = sentence.lower()
    score += 0.5 * any(name.lower() in lowered for name in about if len(name) > 2)
    return score + 0.2 * min(3, len(find_mentions(sentence))) - 0.5 * (Role.HEDGE in objections)
