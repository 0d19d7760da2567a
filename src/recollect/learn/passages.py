"""
Candidate passages (extractive summarisation): one to three neighbouring sentences, or a lead with its items.

What says why often stands one sentence before what to do about it, so neighbours are tried together; a list says
nothing without the line that leads to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import groupby

from recollect.learn.content_words import content_words
from recollect.learn.cues import is_never_a_note
from recollect.learn.episodes import Utterance
from recollect.learn.mentions import Mention, find_mentions, strip_line_references
from recollect.learn.segmentation import BlockKind, TextBlock, parse_blocks, split_sentences
from recollect.model.value import dataclass

MAX_SENTENCES = 3
MAX_PASSAGE_LENGTH = 420
MIN_PASSAGE_LENGTH = 40
MIN_BEFORE_CODE = 7
# Lists longer than this are inventories.
MAX_ITEMS = 5
# `Without: shows …` says nothing away from its list.
_UNNAMED_LABEL = re.compile(
    r"(?:before|after|without|with|now|then|and|first|second|next|was|old|new|example)\s*:", re.IGNORECASE
)
# What a file has in it, its next reader sees.
_INVENTORY = re.compile(
    r"\b(?:contains?|includes?|consists of|provides|exports|exposes|defines)\W*$", re.IGNORECASE
)
_NO_PROSE = ("http", "<", "{", "[x]", "[ ]", "[X]")


class PassageForm(StrEnum):
    """How a passage stands on the page."""

    PROSE = "prose"
    LIST = "list"
    ITEM = "item"
    ROW = "row"


_FORMS = {
    BlockKind.PARAGRAPH: PassageForm.PROSE,
    BlockKind.ITEM: PassageForm.ITEM,
    BlockKind.ROW: PassageForm.ROW,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """Neighbouring sentences of one text, and what was said right before them."""

    source: Utterance
    sentences: tuple[str, ...]
    # The sentence before, to find out what "it" is.
    before: str = ""
    heading: str = ""
    form: PassageForm = PassageForm.PROSE

    @property
    def text(self) -> str:
        """The sentences as one text."""
        return " ".join(self.sentences)

    @property
    def mentions(self) -> tuple[Mention, ...]:
        """What it names, each once; a sentence of several passages is looked at once."""
        if len(self.sentences) == 1:
            return find_mentions(self.sentences[0])
        named: dict[str, Mention] = {}
        for sentence in self.sentences:
            for mention in find_mentions(sentence):
                named.setdefault(mention.name.lower(), mention)
        return tuple(named.values())

    @property
    def words(self) -> frozenset[str]:
        """The words of it that carry meaning."""
        return frozenset().union(*map(content_words, self.sentences))


def find_passages(utterance: Utterance) -> Iterator[Passage]:
    """Every passage of a text that could become a note by its form alone."""
    blocks = parse_blocks(utterance.text)
    yield from _in_prose(utterance, blocks)
    yield from _in_lists(utterance, blocks)
    yield from _in_nested_lists(utterance, blocks)


def _in_prose(utterance: Utterance, blocks: Sequence[TextBlock]) -> Iterator[Passage]:
    leads = {block.lead for block in blocks}
    for heading, under in groupby(blocks, key=lambda block: block.heading):
        line = [
            # A colon that leads to no list leads to a piece of code: the sentence is whole without it.
            (_without_colon(sentence) if block.text not in leads else sentence, number, block)
            for number, block in enumerate(under)
            for sentence in split_sentences(strip_line_references(block.text))
        ]
        for start in range(len(line)):
            yield from _from_sentence(utterance, line, start, heading)


def _from_sentence(
    utterance: Utterance, line: Sequence[tuple[str, int, TextBlock]], start: int, heading: str
) -> Iterator[Passage]:
    chosen: list[str] = []
    _, first, opening = line[start]
    for sentence, number, block in line[start : start + MAX_SENTENCES]:
        # Paragraphs go on in the next one; an item or a row says what it says by itself.
        if block.kind is not opening.kind or (block.kind is not BlockKind.PARAGRAPH and number != first):
            return
        # What ends in a colon goes on in a list or a piece of code.
        if _is_left_out(sentence) or sentence.endswith(":"):
            return
        chosen.append(sentence)
        length = len(" ".join(chosen))
        if length > MAX_PASSAGE_LENGTH:
            return
        if length >= MIN_PASSAGE_LENGTH:
            # What an item speaks of stands above it, not in the item before.
            is_inside = start and line[start - 1][1] == first
            above = opening.parent or opening.lead
            before = line[start - 1][0] if is_inside or (start and not above) else above
            yield Passage(
                source=utterance,
                sentences=tuple(chosen),
                before=before,
                heading=heading,
                form=_FORMS[opening.kind],
            )


# A sentence that breaks off here cannot do without what follows.
_BREAKS_OFF = re.compile(
    r"\b(?:either|with|to|following|such as|like|is|are|was|be|by|for|from|of|and|or|the|these|this|so|as|in|when|if"
    r"|that|than|into|looks?|becomes?|means|shows?|returns?|mit|von|zu|und|oder|avec|de|et|ou):$",
    re.IGNORECASE,
)


def _without_colon(sentence: str) -> str:
    is_whole = len(sentence.split()) > MIN_BEFORE_CODE and not _BREAKS_OFF.search(sentence)
    return f"{sentence[:-1]}." if sentence.endswith(":") and is_whole else sentence


def _in_lists(utterance: Utterance, blocks: Sequence[TextBlock]) -> Iterator[Passage]:
    items = [block for block in blocks if block.kind is BlockKind.ITEM and not block.parent]
    for (lead, heading), group in groupby(items, key=lambda block: (block.lead, block.heading)):
        parts = [strip_line_references(block.text).rstrip(".;:") for block in group]
        # Without a line that leads to it, a list stands under its heading.
        opening = split_sentences(strip_line_references(lead)) or [heading if find_mentions(heading) else ""]
        if not opening[-1] or len(parts) > MAX_ITEMS or len(parts) < 2:
            continue
        if _INVENTORY.search(opening[-1]):
            continue
        text = f"{opening[-1].rstrip(':')}: {'; '.join(parts)}."
        if len(text) <= MAX_PASSAGE_LENGTH and not _is_left_out(opening[-1]):
            before = opening[-2] if len(opening) > 1 else ""
            yield Passage(
                source=utterance,
                sentences=(text,),
                before=before,
                heading=heading,
                form=PassageForm.LIST,
            )


# What a summary says that the person said is not the person's word.
_OF_THE_PERSON = re.compile(r"\W*(?:user|the user|person|human|nutzer|utilisateur)\b", re.IGNORECASE)


def _in_nested_lists(utterance: Utterance, blocks: Sequence[TextBlock]) -> Iterator[Passage]:
    """An item with those under it: what went wrong, and below it the cause and the remedy."""
    items = [block for block in blocks if block.kind is BlockKind.ITEM and block.parent]
    for parent, group in groupby(items, key=lambda block: block.parent):
        below = [block for block in group if not _OF_THE_PERSON.match(block.text)]
        title = strip_line_references(parent).rstrip(":")
        parts = [strip_line_references(block.text).rstrip(";:") for block in below]
        if not parts or _is_left_out(title) or len(below) > MAX_ITEMS or any(map(_is_left_out, parts)):
            continue
        first, *others = parts
        sentences = [title, first] if title.endswith(".") else [f"{title}: {first}"]
        for other in others:
            if len(" ".join((*sentences, other))) > MAX_PASSAGE_LENGTH:
                break
            sentences.append(other)
        if len(sentences[0]) <= MAX_PASSAGE_LENGTH:
            yield Passage(
                source=utterance,
                sentences=tuple(_closed(sentence) for sentence in sentences),
                before=below[0].lead,
                heading=below[0].heading,
                form=PassageForm.LIST,
            )


def _closed(sentence: str) -> str:
    return sentence if sentence.endswith((".", "!", "?", "…")) else f"{sentence}."


def _is_left_out(sentence: str) -> bool:
    if _UNNAMED_LABEL.match(sentence):
        return True
    return sentence.startswith(_NO_PROSE) or is_never_a_note(sentence)
