"""Is a prompt a correction of what the agent just did?

About half of what looks like one is none, so the rules are few and look at how a sentence begins. Questions and long
pasted texts are left out: a missed correction costs nothing, a wrong one becomes a wrong memory.
"""

from __future__ import annotations

import re
from functools import cache

from recollect.events.machine_prompts import is_machine_text, remove_machine_text
from recollect.model.observation import Correction, CorrectionKind

_MAX_PROMPT = 1_500
_MAX_SENTENCE = 400
_MAX_SENTENCES = 4
_SENTENCE = r"(?<=[.!?])\s{1,8}|\n{1,8}"
_SOFTENER = (
    r"(?:(?:ok(?:ay)?|hmm+|hm|uh|um|oh|ah|well|sorry|please|actually|but|and|so|also|hey|yeah|yes|right|sure|again|then"
    r"|wait|in general)\b[\s,.:!–—-]{0,4}){1,4}"
)

_K = CorrectionKind
# Tried on a sentence from its beginning, without its softeners.
_OPENINGS: tuple[tuple[CorrectionKind, str], ...] = (
    (
        _K.UNDO,
        r"(?:undo|roll ?back|back out)\b|(?:revert|restore|put back|bring back) (?:that|this|it"
        r"|the (?:last|previous|change)|your|those|all|everything|what you)\b|put (?:it|that"
        r"|them) back\b",
    ),
    (
        _K.STOP,
        r"(?:stop|hold on|hang on|halt|abort|cancel that)\b(?! (?:hook|the (?:server|container"
        r"|service)|words?|when|if|at|condition|event|command|reason|button)\b)",
    ),
    (
        _K.NO,
        r"(?:no|nope|nah)(?:[,.!:;–—]|\s+(?:i|you|we|it|that|this|the|not|don't|do not|use|keep"
        r"|just|please|leave|let's|never|wait)\b)(?!\s*(?:problem|worries|idea|rush|need|matter"
        r"|longer)\b)",
    ),
    (
        _K.SAID,
        r"(?:as )?i (?:already )?(?:said|told you|asked (?:you|for)|meant|mentioned)\b"
        r"|like i said\b|my point (?:is|was)\b|that's not what i (?:asked|meant|said|want)",
    ),
    (
        _K.WRONG,
        r"(?:that|this|it|which|these|those|you)(?:'s| is| was| are|'re| were)? (?:(?:is |are )?not"
        r"|isn't|wasn't|aren't) (?:correct|right|true|what (?:i|we)|how (?:i|we|it|this)|needed"
        r"|necessary|the (?:right|correct|point|case|same|intended))",
    ),
    (
        _K.WRONG,
        r"(?:that|this|it|you|these|those)(?:'s| is| are|'re| was| were) (?:wrong|incorrect"
        r"|mistaken|nonsense|backwards|the wrong|still wrong|completely wrong)\b|wrong(?:[,.!:]"
        r"| (?:file|branch|approach|way|place|directory|folder|one|function|method|version|repo)\b)"
        r"|not (?:that|this|what i|like that|there|in (?:that|this))\b",
    ),
    (
        _K.MISSED,
        r"you (?:forgot|missed|didn't|did not|broke|shouldn't have|should not have|should have"
        r"|were supposed|weren't supposed|are (?:still|again)|keep|removed the wrong|misunderstood"
        r"|overlooked|skipped|ignored)\b",
    ),
    (
        _K.DONT,
        r"(?:don't|do not|dont|never|please don't|stop (?!for\b)\w+ing|we (?:don't|do not"
        r"|never) (?:want|need|use|do|have to)|you (?:don't|do not) (?:need|have) to"
        r"|avoid)\b(?! (?:know|think|worry|understand|see|remember|recall|mind|care|forget|hesitate"
        r"|have `|have \w+ anymore))",
    ),
    (
        _K.INSTEAD,
        r"instead of\b|rather than\b|use (?=.{1,160}\binstead\b)|(?:let's |we should |you should "
        r"|should )(?:use|do|have|go with|call|name|keep) (?=.{1,160}(?:\binstead\b"
        r"|,? (?:and )?not\b))",
    ),
)
# Tried on the whole first sentence: requests that put something right.
_REQUESTS: tuple[tuple[CorrectionKind, str], ...] = (
    (_K.UNDO, r"^(?:let's |please |can you |could you |we should )(?:undo|roll ?back|revert)\b"),
    (
        _K.DONT,
        r"^(?:let's|please|we should|you should)(?: please)? not\b|^(?:let's|please) (?:don't|do not)\b",
    ),
    (
        _K.INSTEAD,
        r"^(?:please |can you |could you |can't (?:you|we) |let's )?(?:just )?(?:use|do|make|call"
        r"|name|put|keep|write|return|print) .{1,160}\b(?:instead of|rather than)\b",
    ),
    (_K.INSTEAD, r"^(?:please )?(?:just )?use .{1,120}, not .{1,120}$"),
    (_K.INSTEAD, r"^we should (?:be )?us(?:e|ing) .{1,160}\b(?:instead of|rather than)\b"),
    (_K.INSTEAD, r"^not (?:as|in|on|to|for|with|from) .{2,120}, but (?:as|in|on|to|for|with|from)\b"),
    (_K.WRONG, r"^the (?:\w{1,20} ){1,4}(?:is|are|was|were) (?:not (?:correct|right)|wrong|incorrect)\b"),
)
_BUT_WRONG = r"\b(?:but|and) (?:that|this|it)(?:'s| is) (?:not (?:correct|right|true)|wrong|incorrect)\b"
_IS_QUESTION = (
    r"\?\W{0,3}$|^(?:what|why|where|when|who|how|which|is|are|does|do you|did|isn't|can|could|would|should|was|were)"
    r"\b"
)
_MAY_ASK = frozenset({_K.INSTEAD, _K.UNDO, _K.NO, _K.WRONG})
_INSTEAD_OF = r"(?P<wanted>.{2,160}?),? (?:instead of|rather than) (?P<unwanted>.{2,160})"
_OF_FIRST = (
    r"(?:instead of|rather than) (?P<unwanted>.{2,160}?)(?:, | (?=we should|use|do|print|put|just"
    r"|please)|\n)(?P<wanted>.{2,160})"
)
_NOT_THIS = r"(?:let's )?use (?P<wanted>.{2,120}?),? (?:and )?not (?P<unwanted>.{2,120})"


def read_correction(prompt: str) -> Correction | None:
    """The correction in a person's prompt; None for a new task, a question, a machine's text."""
    if is_machine_text(prompt):
        return None
    text = remove_machine_text(prompt)
    if len(text) > _MAX_PROMPT:
        return None
    for number, sentence in enumerate(_split_sentences(text)):
        kind = _find_kind(sentence, is_first=number == 0)
        if kind:
            remainder = text[text.find(sentence) :] if sentence in text else sentence
            wanted_text, unwanted_text = _find_swap(sentence)
            return Correction(
                kind=kind,
                text=remainder[: 2 * _MAX_SENTENCE].strip(),
                wanted=wanted_text,
                unwanted=unwanted_text,
            )
    return None


_REJECTION = "the user said:"


def read_rejection(result: str) -> Correction | None:
    """What the person said when turning a tool call down, if anything was said that is no question."""
    head, mark, answer_text = result[:4_000].partition(_REJECTION)
    if not mark or "doesn't want to proceed" not in head:
        return None
    answer_text = answer_text.strip()
    answer_text = answer_text.partition("\n\nNote:")[0].strip()
    wanted_text, unwanted_text = _find_swap(answer_text[:_MAX_SENTENCE])
    asks = "?" in answer_text or _compiled(_IS_QUESTION).search(answer_text[:_MAX_SENTENCE])
    # "Can you use X instead of Y?" is a question in form only.
    if not answer_text or (asks and not unwanted_text) or _compiled(_POSTPONES).match(answer_text):
        return None
    return Correction(
        kind=CorrectionKind.REJECTED,
        text=answer_text[: 2 * _MAX_SENTENCE],
        wanted=wanted_text,
        unwanted=unwanted_text,
    )


_POSTPONES = r"(?:the user wants to clarify|i'll (?:take|do) |wait\b|hold on|let's talk|let me )"


def _split_sentences(text: str) -> list[str]:
    parts = _compiled(_SENTENCE).split(text[: _MAX_SENTENCES * _MAX_SENTENCE])
    return [part.strip()[:_MAX_SENTENCE] for part in parts if part.strip()][:_MAX_SENTENCES]


def _find_kind(sentence: str, *, is_first: bool) -> CorrectionKind | None:
    softener = _compiled(_SOFTENER).match(sentence)
    bare = sentence[softener.end() :] if softener else sentence
    is_question = _compiled(_IS_QUESTION).search(bare) is not None
    for kind, pattern in _OPENINGS if is_first else _LATER:
        if _compiled(pattern).match(bare) and not (is_question and kind not in _MAY_ASK):
            return kind
    for kind, pattern in _REQUESTS if is_first else ():
        if _compiled(pattern).match(bare):
            return kind
    return CorrectionKind.WRONG if _compiled(_BUT_WRONG).search(bare) else None


# A later sentence is read only for what cannot be part of a task's description.
_LATER = tuple(
    (kind, pattern) for kind, pattern in _OPENINGS if kind in {_K.UNDO, _K.SAID, _K.WRONG, _K.MISSED}
)


# As text until they are used: this file is loaded with every command, and few read a prompt.
@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def _find_swap(sentence: str) -> tuple[str, str]:
    for pattern in (_OF_FIRST, _INSTEAD_OF, _NOT_THIS):
        if match := _compiled(pattern).search(sentence):
            return match["wanted"].strip(" .,;:"), match["unwanted"].strip(" .,;:")
    return "", ""
