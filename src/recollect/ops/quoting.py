"""
Quotation detection in Markdown: the spans of a text in which its author repeats somebody else's words.

Fences, indented code, block quotes (with their lazy continuation), inline code, quotation marks and pairs of tags are
quotations. Each is found in one pass, so hostile text costs no more than other text of its length.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import islice

Span = tuple[int, int]

# What a line can be.
_BLANK, _TEXT, _QUOTE, _CODE, _FENCED, _FENCE_END = range(6)
_LIST_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s")
_TICKS = re.compile(r"`+")
# Nobody writes more of them in one paragraph: beyond that, all is taken for a quotation.
MAX_TICKS = 4_000
MAX_MARKS = 4_000
# Nor so many fences in one text.
MAX_BLOCKS = 2_000
_TAG = re.compile(r"<(/?)([A-Za-z][\w:.-]{0,40})(?:\s[^<>]{0,300})?>")
_MARKS = re.compile("[\"“”„«»‘’']")
# A measure such as 5" or the apostrophe of a word opens nothing.
_PAIRS = {"“": "”", "„": "“”", "«": "»", "‘": "’"}


class Quotations:
    """The quoted spans of one text, asked by position."""

    def __init__(self, spans: Sequence[Span]) -> None:
        self._spans = _merged(spans)
        self._starts = [start for start, _ in self._spans]

    def hold(self, position: int) -> bool:
        """Whether the character at this position is quoted."""
        place = bisect_right(self._starts, position) - 1
        return place >= 0 and position < self._spans[place][1]


def find_quotations(text: str, positions: Sequence[int]) -> Quotations:
    """Find what a text only repeats, as far as it matters for these positions, which are in order."""
    blocks, paragraphs = _read_blocks(text)
    spans = list(blocks)
    for start, end in paragraphs:
        place = bisect_right(positions, start - 1)
        if place < len(positions) and positions[place] < end:
            spans += _inline_code(text, start, end)
            spans += _quotation_marks(text, start, end)
    if "</" in text:
        spans += _tag_pairs(text)
    return Quotations(spans)


def _read_blocks(text: str) -> tuple[list[Span], list[Span]]:
    """Quoted blocks, and the paragraphs between them in which words may be quoted."""
    quoted: list[Span] = []
    paragraphs: list[Span] = []
    fence, block_start, before = "", 0, _BLANK
    start = 0
    for line in text.split("\n"):
        words = line.strip()
        if fence:
            kind = _FENCED
            if words.startswith(fence) and not words.strip(fence[0]):
                fence, kind = "", _FENCE_END
        else:
            kind = _kind_of(line, words, before)
            if kind == _FENCED:
                fence = _fence_of(words)
        if kind != before or kind == _FENCE_END:
            # A fence ends with the line that closes it, every other block before the line that begins another.
            if before == _TEXT:
                paragraphs.append((block_start, start))
            elif before != _BLANK and kind != _FENCE_END:
                quoted.append((block_start, start))
            if kind != _FENCE_END:
                block_start = start
        start += len(line) + 1
        if kind == _FENCE_END:
            quoted.append((block_start, start))
            kind = _BLANK
            if len(quoted) > MAX_BLOCKS:
                return [*quoted, (start, len(text))], paragraphs
        before = kind
    if before != _BLANK:
        (paragraphs if before == _TEXT else quoted).append((block_start, len(text)))
    return quoted, paragraphs


def _kind_of(line: str, words: str, before: int) -> int:
    """What a line outside a fence is, given what came before it."""
    if not words:
        return _BLANK
    first = words[0]
    if first in "`~-*+" and _fence_of(words):
        return _FENCED
    if first == ">":
        return _QUOTE
    if before == _QUOTE:  # Markdown goes on with a quotation until a blank line, an item or a heading
        return _TEXT if first == "#" or _LIST_ITEM.match(line) else _QUOTE
    if before in (_BLANK, _CODE) and line.startswith(("    ", "\t")) and not _LIST_ITEM.match(line):
        return _CODE
    return _TEXT


def _fence_of(words: str) -> str:
    """The ticks that open a fence on this line, if any; it may stand in an item of a list."""
    inner = words[1:].lstrip() if words[0] in "-*+" else words
    if not inner.startswith(("```", "~~~")):
        return ""
    return inner[: len(inner) - len(inner.lstrip(inner[0]))]


def _inline_code(text: str, start: int, end: int) -> list[Span]:
    """Pairs of backtick runs of one length; a run without its like is plain text."""
    if text.count("`", start, end) > MAX_TICKS:
        return [(start, end)]
    runs = [(run.start(), run.end()) for run in _TICKS.finditer(text, start, end)]
    waiting: dict[int, list[int]] = {}
    for place in range(len(runs) - 1, -1, -1):
        opened, closed = runs[place]
        waiting.setdefault(closed - opened, []).append(place)
    spans: list[Span] = []
    place = 0
    while place < len(runs):
        opened, closed = runs[place]
        same = waiting[closed - opened]
        while same and same[-1] <= place:
            same.pop()
        if not same:
            place += 1
            continue
        partner = same.pop()
        spans.append((opened, runs[partner][1]))
        place = partner + 1
    return spans


def _quotation_marks(text: str, start: int, end: int) -> list[Span]:
    """What stands between a quotation mark and the one that closes it, within a paragraph."""
    spans: list[Span] = []
    straight: int | None = None
    opened: list[tuple[int, str]] = []
    single: int | None = None
    marks = list(islice(_MARKS.finditer(text, start, end), MAX_MARKS + 1))
    if len(marks) > MAX_MARKS:
        return [(start, end)]
    for match in marks:
        mark, at = match[0], match.start()
        previous = text[at - 1] if at > start else " "
        if mark == '"':
            if straight is not None:
                spans.append((straight, at + 1))
                straight = None
            elif not previous.isdigit():
                straight = at
        elif mark == "'":
            if single is None and not previous.isalnum() and text.startswith("[", at + 1):
                single = at
            elif single is not None and not text[at + 1 : at + 2].isalnum():
                spans.append((single, at + 1))
                single = None
        elif opened and mark in opened[-1][1]:
            spans.append((opened.pop()[0], at + 1))
        elif mark in _PAIRS and not (mark == "‘" and previous.isalnum()):
            opened.append((at, _PAIRS[mark]))
    return spans


def _tag_pairs(text: str) -> list[Span]:
    """What stands between <name> and </name>."""
    opened: dict[str, list[int]] = {}
    spans: list[Span] = []
    for tag in _TAG.finditer(text):
        name = tag[2].lower()
        if not tag[1]:
            opened.setdefault(name, []).append(tag.start())
        elif opened.get(name):
            spans.append((opened[name].pop(), tag.end()))
    return spans


def _merged(spans: Sequence[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
