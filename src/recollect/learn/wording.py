"""
Surface realisation: a passage of a conversation as a note that stands alone a month later.

Politeness, narration and line numbers go; a pronoun at the beginning gets what it stands for from the sentence before
or from the heading; what is longer than a note may be loses its least telling sentence. No word is invented.
"""

from __future__ import annotations

import re
from functools import lru_cache

from recollect.learn.cues import Role, weigh_objections, weigh_roles
from recollect.learn.mentions import find_mentions, strip_line_references
from recollect.learn.segmentation import split_sentences

MAX_NOTE_LENGTH = 420
_OPENERS = re.compile(
    r"^(?:(?:you['’]re (?:absolutely )?(?:right|correct)|good (?:point|catch|question|idea)|great (?:question"
    r"|point|catch)"
    r"|exactly|perfect|great|good|yes|no|ok(?:ay)?|done|fixed|right|sure|absolutely|excellent|found it"
    r"|i see(?: the (?:issue|problem))?(?: now)?"
    r"|i (?:can )?see|i found (?:it|the (?:issue|problem|bug))|now i (?:understand|see)[^.!:]{0,40}|so|also"
    r"|and|but|however|then|now(?! that\b)|actually|indeed"
    r"|i(?:['’]ve| have)? changed my mind|on second thought|note(?: that)?|ah|hmm+|well|alors|also gut|gut"
    r"|bon)\b[\s,.:;!–—-]+)+",
    re.IGNORECASE,
)
_LABELS = re.compile(
    r"^(?:problem|issue|cause|root cause|fix|the fix|solution|summary|result|note|reason|why|key (?:insight"
    r"|point|difference)|important|impact|changes?"
    r"|problème|ursache|lösung)\s*(?:\d+)?\s*[:–—-]+\s*",
    re.IGNORECASE,
)
_FIX_LABEL = re.compile(r"\W*(?:the )?(?:fix|solution|resolution|lösung)\W{0,3}:", re.IGNORECASE)
_PRONOUN = re.compile(
    r"^(?P<word>it|this|that|they|these|those|which|there|es|das|dies|ça|cela|il|elle)\b(?!\s+(?:is|are) (?:no"
    r"|not (?:a|any)|two|three|only)\b)",
    re.IGNORECASE,
)
_BARE_DEMONSTRATIVE = re.compile(
    r"^(?:this|that|these|those|the same|such|both|the fix|the problem|the issue|the change)\b", re.IGNORECASE
)
_OWN_PLAN = re.compile(
    r"^(?:i['’]ll|i will|let me|i need to|i should|i['’]m going to|now let me|next,? i|we['’]ll)\b",
    re.IGNORECASE,
)
_LOOKS = re.compile(
    r"^(?:also |just |now |then |quickly |first )*(?:use (?:the )?\S+ (?:command|tool)|locate|navigate|submit"
    r"|run|list|look|check|see|read|re-?run|verify|search|find|grep|try"
    r"|view|examine|investigate|explore|open|understand|confirm|wait|start|continue|proceed"
    r"|create a summary|take a look)\b",
    re.IGNORECASE,
)
# What a reviewer would have somebody do: it was done, or it was not.
_SUGGESTS = re.compile(
    r"^\W*(?:(?:please |also |maybe |perhaps )?consider \w+ing"
    r"|(?:you |we |one )?(?:might|may|could) (?:also |want to )*"
    r"(?:consider|want to)|(?:suggestion|nit|nitpick|optional)\b\W)",
    re.IGNORECASE,
)
_POINTER = re.compile(
    r"^(?:can you |could you |please )?(?:also )?(?:check|take a look at|have a look at|look at"
    r"|and this is for)(?: this| that)?\s*[:.]+\s*",
    re.IGNORECASE,
)
_PLAN = re.compile(
    r"^(?:i['’]ll|i will|let me|let['’]s|we should|we need to|i need to|we can|i should|we['’]ll|you should"
    r"|please|can you|could you|can we|could we)"
    r"\s+(?:also |just |now |then |simply |instead )*",
    re.IGNORECASE,
)
# What the speaker did is worth telling, that the speaker did it is not.
_DID = re.compile(
    r"^(?:i|we)(?:['’]ve| have)?(?: also| now| just)? (?P<verb>\w+ed|kept|made|built|wrote|put|set)\b",
    re.IGNORECASE,
)
_WISH = re.compile(r"^i(?:['’]d| would) (?:like|want|prefer)(?: us| you)?(?: to| that)?\s+", re.IGNORECASE)
_SPEAKER = re.compile(r"^(?:i|je|ich)(?:['’]\w+)?\s", re.IGNORECASE)
SPEAKER_INSIDE = re.compile(
    r"\bI(?:['’](?:ll|m|ve|d)| will| am| have| had| was| think| can| need| saw| raised)\b"
)
_EMPTY_PLACE = re.compile(r"^(?:at|on|in|around)\s*[,:]\s*", re.IGNORECASE)
_EXPLAINS = frozenset({Role.CAUSE, Role.CONSEQUENCE, Role.RULE})
# One thing in the place of another, rather than one more thing.
STRONG_REMEDY = 0.9
_DROPPED = frozenset({Role.NARRATION, Role.STATUS, Role.QUESTION, Role.COURTESY})
# "3. The cache", "c) The test": which of a list it was.
_NUMBER = re.compile(r"^\(?(?:\d{1,2}|[a-hA-H])[.)]\s+")
_TRAILING = re.compile(r"[\s,;:–—-]+$")


@lru_cache(maxsize=4096)
def word_note(sentences: tuple[str, ...], *, before: str = "", heading: str = "") -> str:
    """The note's text; empty where nothing is left that stands alone."""
    lines = [
        # What a sentence is labelled as at the beginning of a note is seen; further on it is not.
        f"Fix: {line}" if place and _FIX_LABEL.match(sentence) and line else line
        for place, sentence in enumerate(sentences)
        for line in (polish_sentence(sentence),)
        if not is_bare_plan(sentence) and not _SUGGESTS.match(sentence)
    ]
    lines = [line for line in lines if line and _DROPPED.isdisjoint(weigh_objections(line))]
    lines = [line for line in lines if not is_bare_change(line)]
    if not lines:
        return ""
    lines[0] = resolve_opening(lines[0], before, heading)
    return shorten_note(" ".join(lines)) if lines[0] else ""


def is_bare_plan(sentence: str) -> bool:
    """Whether somebody only says what they are about to do: it was done, or it was not, and neither says why."""
    if not _OWN_PLAN.match(_OPENERS.sub("", sentence)):
        return False
    return weigh_roles(sentence).keys().isdisjoint({Role.CAUSE, Role.CONSEQUENCE, Role.RULE, Role.CHOICE})


def is_bare_change(sentence: str) -> bool:
    """Whether a sentence only reports what was changed: git knows that, and better."""
    if Role.CHANGE_LOG not in weigh_objections(sentence):
        return False
    roles = weigh_roles(sentence)
    return roles.keys().isdisjoint(_EXPLAINS) and roles.get(Role.REMEDY, 0.0) < STRONG_REMEDY


def polish_sentence(sentence: str) -> str:
    """A sentence without what only its moment needed, and with an ending."""
    text = _NUMBER.sub("", strip_line_references(sentence))
    text = _OPENERS.sub("", text)
    text = _LABELS.sub("", text)
    text = _POINTER.sub("", _OPENERS.sub("", text))
    planned = _PLAN.sub("", text)
    if (planned != text or "let me" in text.lower()) and (
        _LOOKS.match(planned) or "let me" in planned.lower()
    ):
        return ""
    text = _WISH.sub("", planned)
    text = _DID.sub(lambda did: did["verb"], text)
    text = _EMPTY_PLACE.sub("", text)
    if _SPEAKER.match(text) or SPEAKER_INSIDE.search(text):
        return ""
    text = _TRAILING.sub("", text).strip()
    if not text:
        return ""
    text = text[0].upper() + text[1:] if not text.startswith("`") else text
    return text if text.endswith((".", "!", "…", "”", '"')) else f"{text}."


def resolve_opening(sentence: str, before: str, heading: str) -> str:
    """The sentence with what its first pronoun stands for: the last thing named before it, else the heading."""
    if not (_PRONOUN.match(sentence) or _BARE_DEMONSTRATIVE.match(sentence)):
        return sentence
    named = [mention.name for mention in find_mentions(strip_line_references(before))]
    named = named or [mention.name for mention in find_mentions(heading)]
    if not named:
        return ""
    # The subject stands first in most sentences.
    return f"`{named[0]}`: {sentence[0].lower()}{sentence[1:]}"


def shorten_note(text: str) -> str:
    """A note of at most its length: whole sentences as long as they fit, else cut at a clause."""
    if len(text) <= MAX_NOTE_LENGTH:
        return text
    short = ""
    for sentence in split_sentences(text):
        if len(short) + len(sentence) + 1 > MAX_NOTE_LENGTH:
            break
        short = f"{short} {sentence}".strip()
    if len(short) >= MAX_NOTE_LENGTH // 3:
        return short
    clause = max(text.rfind(mark, 0, MAX_NOTE_LENGTH - 1) for mark in (", ", "; ", " — ", " - "))
    return text[: clause if clause > MAX_NOTE_LENGTH // 2 else MAX_NOTE_LENGTH - 1].rstrip(" ,;—-") + "…"
