"""
Whose words a note repeats: shingles compared with what was read (also by Bloom filter) and with prompts.

Neither looks for malice. A note that repeats what was read is the page's word, not the agent's; an instruction that no
person's words carry is nobody's wish.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

from recollect.events.bloom import SHINGLE, hash_shingles, holds_share, split_words

REPEATS_ABOVE = 0.8
# A sieve lets one in forty pass by chance: fewer words than make three shingles prove nothing.
MIN_SIFTED_WORDS = SHINGLE + 2
CARRIED_ABOVE = 0.85
# A sentence of so many words was not found twice by chance.
MIN_PART_WORDS = 9
# A longer prompt is mostly pasted.
MAX_PROMPT = 20_000

_FENCE = re.compile(r"(?:```|~~~).*?(?:```|~~~|\Z)", re.DOTALL)
_QUOTED_LINE = re.compile(r"^\s*>.*$", re.MULTILINE)
_MATERIAL = (
    r"page|article|text|mail|e-?mail|message|post|thread|document|doc|docs|readme|ticket|issue|log|output|report|chapter|spec"
    r"|excerpt|quote|seite|artikel|nachricht|dokument|bericht|auszug|texte|courriel|rapport|extrait|página|artículo|correo"
)
# A line that ends with a question, or names what comes after its colon; and an empty line.
_HANDED_OVER = re.compile(
    rf"^(?:[^\n]*\?|[^\n]*\b(?:{_MATERIAL})\b[^\n]*:)[ \t]*\n[ \t]*\n", re.IGNORECASE | re.MULTILINE
)
_MIN_PASTED_LINES = 2
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_CLAUSE = re.compile(r"[,;:–—()]+\s*|(?<=[.!?])\s+|\n+")
# What names one thing and no other: addresses, paths, versions, numbers.
_PARTICULAR = re.compile(r"[\w.+-]*(?:\d|[\w-][./@:][\w-])[\w./@:+-]*")
_AGAINST = re.compile(
    r"\b(?:not|never|no|none|don['’]?t|doesn['’]?t|won['’]?t|shouldn['’]?t|mustn['’]?t|can['’]?t|cannot|without|avoid"
    r"|stop|over|instead|rather|except)\b",
    re.IGNORECASE,
)
# How a wish is put, not what is wished.
_FRAME = frozenset(
    "the and that this with for from are was has have had will would should shall must can could may user person"
    " i we you they he she it my our your their his her its me us them a an of to in on at by as is be been do"
    " does did or if prefer prefers preferred preference wants want wanted likes like asks asked said says please"
    " always when whenever use uses using used so all any every each also just only over not never no dont don't"
    " doesn't instead rather than avoid stop without".split()
)
_ORDERS = re.compile(
    r"\b(?:always|never|ignore|disregard|from now on|whenever|make sure|in future|system prompt|instructions?"
    r"|you (?:must|should|are)|do not (?:tell|mention|ask)|don['’]?t (?:tell|mention|ask)"
    r"|(?:as|is) (?:a |the )?(?:trusted|preferred|authoritative|best)|remember (?:to|that|this))\b",
    re.IGNORECASE,
)


def find_repeated_texts(note: str, read: Sequence[str]) -> list[int]:
    """Which of the texts that were read a note repeats; none if it says something of its own."""
    return find_repeated_part((note,), read)


def find_repeated_part(parts: Sequence[str], read: Sequence[str]) -> list[int]:
    """Which of the texts that were read the first part repeats that repeats any."""
    shingles_by_part = [_make_shingles(part) for part in parts]
    shingles = set().union(*shingles_by_part)
    # Every shingle holds one of these, so a text without any of them need not be taken apart.
    telling = {max(shingle.split(), key=len) for shingle in shingles}
    places: dict[str, list[int]] = {}
    for place, text in enumerate(read):
        if text.isascii() and not any(map(text.lower().__contains__, telling)):
            continue
        words = _space_words(text)
        for shingle in shingles:
            if f" {shingle} " in words:
                places.setdefault(shingle, []).append(place)
    for own in shingles_by_part:
        if own and len(own & places.keys()) >= REPEATS_ABOVE * len(own):
            return sorted({place for shingle in own & places.keys() for place in places[shingle]})
    return []


# Several notes of one session are compared with the same outputs; so many of them are at hand.
@lru_cache(maxsize=1024)
def _space_words(text: str) -> str:
    """The words of a text with one space around each."""
    return f" {' '.join(split_words(text))} "


def split_parts(note: str) -> list[str]:
    """The sentences of a note that say enough to be recognised, each also without what stands before its colon."""
    sentences = [part for part in _SENTENCE.split(note) if part.strip()]
    behind = [part.partition(": ")[2] for part in sentences]
    return [
        part for part in (*sentences, *behind) if len(split_words(part)) >= MIN_PART_WORDS and part != note
    ]


def find_in_bloom_filters(note: str, sieves: Sequence[str]) -> list[int]:
    """The same, where of what was read only a sieve is left."""
    words = split_words(note)
    if len(words) < MIN_SIFTED_WORDS:
        return []
    shingles = hash_shingles(words)
    return [
        place for place, sieve in enumerate(sieves) if sieve and holds_share(sieve, shingles, REPEATS_ABOVE)
    ]


def find_carrying_prompt(note: str, prompts: Sequence[str]) -> int | None:
    """Which of a person's prompts carries what a note says they want; None if none does."""
    core = [word for word in dict.fromkeys(split_words(note)) if word not in _FRAME]
    particulars = {name.lower().strip(".:/") for name in _PARTICULAR.findall(note)}
    against = bool(_AGAINST.search(note))
    for place, prompt in enumerate(prompts):
        own = drop_pasted(prompt[:MAX_PROMPT])
        if any(name not in own.lower() for name in particulars):
            continue
        for passage in _split_passages(own):
            if against == bool(_AGAINST.search(passage)) and _covers(split_words(passage), core):
                return place
    return None


def gives_orders(text: str) -> bool:
    """Whether a text tells its reader what to do."""
    return _ORDERS.search(text) is not None


def _make_shingles(text: str) -> set[str]:
    words = split_words(text)
    size = min(SHINGLE, len(words))
    return {" ".join(words[i : i + size]) for i in range(len(words) - size + 1)} if words else set()


def drop_pasted(prompt: str) -> str:
    """
    What a person typed of a prompt: what stands in a fence or behind a > was pasted, and what a question is about, too.

    "What do you make of this page?" and "The mail says:" hand over what follows them after an empty line, where that is
    more than a line or has headings.
    """
    typed = _QUOTED_LINE.sub(" ", _FENCE.sub(" ", prompt))
    handed_over = _HANDED_OVER.search(typed)
    if handed_over is None:
        return typed
    rest = [line for line in typed[handed_over.end() :].splitlines() if line.strip()]
    return typed[: handed_over.end()] if len(rest) >= _MIN_PASTED_LINES else typed


def _split_passages(text: str) -> Iterable[str]:
    sentences = [part for part in _SENTENCE.split(text) if part.strip()]
    yield from _CLAUSE.split(text)
    yield from sentences
    yield from (f"{one} {two}" for one, two in pairwise(sentences))


def _covers(words: Sequence[str], core: Sequence[str]) -> bool:
    covered = sum(any(_is_same_word(word, other) for other in words) for word in core)
    return bool(core) and covered >= CARRIED_ABOVE * len(core)


def _is_same_word(one: str, other: str) -> bool:
    """The same word but for its ending: prefer and prefers, write and written."""
    if one == other:
        return True
    shared = next(
        (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
    return shared >= 4 and shared >= 0.55 * max(len(one), len(other))
