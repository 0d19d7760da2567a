"""
Wishes: how a person wants the work to be, said in asking for it.

"Show a check mark for each step", "only say it when it happened", "can we do this automatically instead?": a request
that describes a state of affairs outlives the moment it was made in, once it was carried out. A request for an act
(run, commit, explain, look) does not. So a wish is no rule by itself: the session's own work must have borne it out
(`learn/proof.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from recollect.capture.evidence import drop_pasted
from recollect.events.machine_prompts import is_machine_text, remove_machine_text
from recollect.learn.directives import (
    INDENTED,
    MAX_DIRECTIVE_LENGTH,
    Directive,
    DirectiveKind,
    word_directive,
)
from recollect.learn.mentions import find_mentions
from recollect.learn.segmentation import BlockKind, parse_blocks, split_sentences

MIN_WORDS = 6
MAX_WORDS = 60
# Longer prompts are reports and plans, which are heard like any other text.
MAX_WISH_PROMPT = 900

_I = re.IGNORECASE
# How it should be, whoever does it and when.
_STATE = re.compile(
    r"\b(?:should(?:n['’]t)?|ought to|needs? to be|must|supposed to|would (?:have )?expect(?:ed)?"
    r"|expected (?:that|to|it)"
    r"|by default|defaults? to|default should|instead(?: of)?|rather than|only (?:when|if|for|the|show|say|do"
    r"|use|once)"
    r"|unless|as soon as|no matter|regardless|automatically|always|never|at most|at least|no more than|up to"
    r"|so that|without (?:\w+ing|a|the|any)|for (?:each|every|all)|consistent\w*|generic|(?:the )?same (?:as|way|for)"
    r"|called|named|optional|required|sollte\w*|soll(?:en)?|muss|standardmäßig|statt(?:dessen)?|nur wenn|ohne"
    r"|devrait|doit|par défaut|au lieu d|seulement si|sans)\b",
    _I,
)
_WANTED = re.compile(
    r"^(?:(?:ok(?:ay)?|so|and|also|but|hmm+|yeah|yes|no|then|now|actually|maybe|well|please)[\s,.:]+)*"
    r"(?:i(?:['’]d| would)?(?: have)? (?:like|want|prefer|love|rather|need|expect(?:ed)?)|we(?:['’]d"
    r"| would)? (?:like|want|prefer|should"
    r"|need)|let['’]s|can (?:we|you)|could (?:we|you)|shouldn['’]t (?:we|it|this)|should(?:n['’]t)? we"
    r"|what if we|how about|why (?:don['’]t|not|could(?:n['’]t)) we|please|make|have|keep|show|use|return"
    r"|treat|drop|stop"
    r"|rename|change|ich (?:möchte|will|hätte)|wir (?:sollten|brauchen)|können wir|je (?:voudrais|veux)|on devrait"
    r"|peut-on)\b",
    _I,
)
# An act of the moment, whatever it is asked with.
_ACT = re.compile(
    r"\b(?:take a look|look (?:at|into|up|for)|have a look|check (?:if|whether|out|again|the|this|that|for)|double"
    r"[- ]check|explain|review|investigate|tell me|show me|describe|summari[sz]e|commit|push|pull|rebase|merge|stash"
    r"|re-?run|run (?:the|it|all|this|that|a)|try (?:again|it)|test (?:it|this|that|again)|verify|confirm"
    r"|continue|go on"
    r"|go ahead|proceed|wait|figure out|find (?:out|all|any)|think about|plan|propose|suggest|compare|debug|see if"
    r"|know (?:if|why|what|how)|understand|help me|open (?:a|the) pr|fix (?:this|it|that|the (?:lint|test|build|ci))"
    r"|(?:add|write|include|have|extend|make sure) (?:\w+ ){0,3}tests?|tests? for|lint|do (?:it|this"
    r"|that) (?:now|again)?)\b",
    _I,
)
_POINTS = re.compile(
    r"\b(?:this|that|these|those|it|them)\b(?! (?:way|is|are|was|means|should))|\b(?:dies\w*|cela|ça)\b", _I
)
_ASKS = re.compile(
    r"^(?:\W*(?:ok|so|and|but|hmm+|wait)[\s,]+)*(?:what(?! if we)|why(?! (?:don|not))|where|when (?:do|did|is"
    r"|was|does)"
    r"|who|how(?! about)|which|is|are|does|do (?:you|we|i)|did|was|were|isn['’]t|has|have you|would (?:you|it|that)"
    r"|warum|wieso|wie|wo|pourquoi|comment|est-ce)\b",
    _I,
)
_TELLS = re.compile(
    r"\b(?:i (?:just|had|got|saw|ran|tried|noticed|see|get|think you|don['’]t (?:know|think|remember))"
    r"|you (?:just|did"
    r"|have|are|were|said|forgot)|error:|traceback|exit code)\b",
    _I,
)


def find_wishes(prompt: str) -> Iterator[Directive]:
    """Each wish in what a person typed."""
    if is_machine_text(prompt) or prompt.lstrip().startswith("/"):
        return
    text = INDENTED.sub("", drop_pasted(remove_machine_text(prompt)))
    if not text or len(text) > MAX_WISH_PROMPT:
        return
    for block in parse_blocks(text):
        if block.kind is BlockKind.ROW:
            continue
        sentences = split_sentences(block.text)
        for place, sentence in enumerate(sentences):
            if is_wish(sentence):
                quote = _with_occasion(sentences, place)
                words = word_directive(quote)
                # "We should prevent this": what it is about only this moment knows.
                if words and (find_mentions(words) or not _POINTS.search(words)):
                    kind = DirectiveKind.REQUIREMENT if find_mentions(words) else DirectiveKind.DECISION
                    yield Directive(kind=kind, text=words, quote=quote)


def is_wish(sentence: str) -> bool:
    """Whether a sentence says how something should be."""
    if not MIN_WORDS <= len(sentence.split()) <= MAX_WORDS or sentence.rstrip().endswith((":", "…", "...")):
        return False
    if _ACT.search(sentence) or _ASKS.match(sentence) or _TELLS.search(sentence):
        return False
    is_modal = re.search(r"\b(?:should(?:n['’]t)?|must|sollte\w*|devrait|doit)\b", sentence, _I) is not None
    return _STATE.search(sentence) is not None and (is_modal or _WANTED.match(sentence) is not None)


def _with_occasion(sentences: list[str], place: int) -> str:
    """A wish, with the sentence before it where that names what the wish is about and the wish does not."""
    sentence = sentences[place]
    before = sentences[place - 1] if place else ""
    if before and not find_mentions(sentence) and find_mentions(before) and not _ACT.search(before):
        joined = f"{before} {sentence}"
        return joined if len(joined) <= MAX_DIRECTIVE_LENGTH else sentence
    return sentence
