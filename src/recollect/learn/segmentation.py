"""
Text segmentation: Markdown as headings, paragraphs, list items and table rows, and prose as sentences.

Sentence boundaries are found by rule, made for prose that is full of file names, versions and code spans.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from itertools import pairwise

from recollect.model.value import dataclass

MAX_TEXT = 40_000
# Prose that was wrapped fills its lines.
SHORT_LINE = 90
_MAX_HEADING_LENGTH = 90
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(.+?)\s*#*$")
_BOLD_LINE = re.compile(r"^\s*\*\*([^*\n]{2,90}?)\*\*\s*:?\s*$")
_ITEM = re.compile(r"^(\s*)(?:[-*+•]|\d{1,2}[.)])\s+(.+)$")
_FENCE = re.compile(r"^\s*(```|~~~)")
_ROW = re.compile(r"^\s*\|(.+)\|\s*$")
_RULER = re.compile(r"^[\s|:-]+$")
_LABEL = re.compile(r"^\*\*([^*\n]{2,80}?)\*\*\s*(?:\(([^)\n]{1,80})\))?\s*(?:[:–—-]+)\s*")
_MARKS = re.compile(r"\*\*|__|(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w)|[✓✔✅❌⚠️🎉]\s?")


class BlockKind(StrEnum):
    """What a block of a text is."""

    PARAGRAPH = "paragraph"
    ITEM = "item"
    ROW = "row"


@dataclass(frozen=True, slots=True, kw_only=True)
class TextBlock:
    """One paragraph, list item or table row, with the heading above it and the line that leads to it."""

    kind: BlockKind
    text: str
    heading: str = ""
    # "The decision rests on:", where the items below say on what.
    lead: str = ""
    # The item that this one stands under.
    parent: str = ""


def parse_blocks(text: str) -> list[TextBlock]:
    """The blocks of a text in their order. Fenced code and quoted lines are somebody else's words and are left out."""
    return list(_blocks(text[:MAX_TEXT]))


class _OpenItem:
    """A list item whose lines are still being read, below the items it stands under."""

    def __init__(self) -> None:
        self._indent = 0
        self._lines: list[str] = []
        self._above: list[tuple[int, str]] = []

    def begin(self, indent: int, text: str) -> None:
        self._indent, self._lines = indent, [text.strip()]

    def takes(self, line: str) -> bool:
        """Whether a line goes on with the item: it is indented under its mark."""
        return bool(self._lines) and len(line) - len(line.lstrip()) > self._indent

    def go_on(self, line: str) -> None:
        self._lines.append(line.strip())

    def end(self, heading: str, lead: str) -> Iterator[TextBlock]:
        if not self._lines:
            return
        text = _item_text(" ".join(self._lines))
        self._lines = []
        while self._above and self._above[-1][0] >= self._indent:
            self._above.pop()
        parent = self._above[-1][1] if self._above else ""
        self._above.append((self._indent, text))
        yield TextBlock(kind=BlockKind.ITEM, text=text, heading=heading, lead=lead, parent=parent)

    def leave_list(self) -> None:
        self._above.clear()


def _blocks(text: str) -> Iterator[TextBlock]:
    heading, lead, fence = "", "", ""
    paragraph: list[str] = []
    item = _OpenItem()
    for line in [*text.splitlines(), ""]:
        if opened := _FENCE.match(line):
            fence = "" if fence == opened[1] else fence or opened[1]
        elif fence:
            continue
        if is_prose := not opened and line.strip() and not _starts_block(line):
            if item.takes(line):
                item.go_on(line)
                continue
            yield from item.end(heading, lead)
            item.leave_list()
            paragraph.append(line.strip())
            continue
        yield from item.end(heading, lead)
        if paragraph:
            words = _joined(paragraph)
            paragraph = []
            yield TextBlock(kind=BlockKind.PARAGRAPH, text=strip_marks(words), heading=heading)
            lead = _lead_of(words)
        if not is_prose and (title := _heading(line)):
            heading, lead = title, ""
            item.leave_list()
        elif marked := _ITEM.match(line):
            item.begin(len(marked[1].expandtabs(4)), marked[2])
        elif (row := _ROW.match(line)) and not _RULER.match(line):
            cells = [strip_marks(cell) for cell in row[1].split("|")]
            yield TextBlock(
                kind=BlockKind.ROW, text=" — ".join(filter(None, cells)), heading=heading, lead=lead
            )


def _joined(lines: list[str]) -> str:
    """The lines of a paragraph as one; a short line before a capital letter ended there."""
    text = lines[0]
    for before, line in pairwise(lines):
        ends = len(before) < SHORT_LINE and before[-1].isalnum() and line[0].isupper()
        text += f". {line}" if ends else f" {line}"
    return text


def _starts_block(line: str) -> bool:
    is_quote = line.lstrip().startswith(">")
    return is_quote or bool(_heading(line) or _ITEM.match(line) or _ROW.match(line) or _RULER.match(line))


def _heading(line: str) -> str:
    title = _HEADING.match(line) or _BOLD_LINE.match(line)
    return strip_marks(title[1])[:_MAX_HEADING_LENGTH].rstrip(":") if title else ""


def _lead_of(paragraph: str) -> str:
    return strip_marks(paragraph) if paragraph.rstrip("* ").endswith(":") else ""


def _item_text(text: str) -> str:
    """`**Name** (place) - words` says `Name: words`."""
    labelled = _LABEL.match(text)
    if labelled:
        return strip_marks(f"{labelled[1].rstrip(':')}: {text[labelled.end() :]}")
    return strip_marks(text)


def strip_marks(text: str) -> str:
    """A text without emphasis and check marks; code spans stay."""
    return " ".join(_MARKS.sub("", text).split())


_SPAN = re.compile(r"`[^`\n]{1,300}`")
_SHORT = r"(?:e\.g|i\.e|etc|vs|cf|approx|resp|No|Nr|Dr|z\.B|bzw|ca|d\.h|usw|p\.ex|env)"
_END = re.compile(
    r"(?<=[.!?…])[\"'”’)\]]{0,2}\s+(?=[\"'“‘(\[]?[A-ZÀ-ÖØ-Þ0-9`\x00])|(?<=[.!?])\s{2,}"
    r"|(?<=[a-zà-ÿ)\]]{3}[.!?])\s+(?=[a-zà-ÿ])|\n+"
)
_ENDS_SHORT = re.compile(rf"(?:^|[\s(]){_SHORT}\.$")
# Stands for a code span while the text is cut, so that nothing inside of it ends a sentence.
_MASK = "\x00"


def split_sentences(text: str) -> list[str]:
    """The sentences of a text in their order."""
    spans = _SPAN.findall(text)
    masked = _SPAN.sub(_MASK, text)
    parts: list[str] = []
    at = 0
    for boundary in _END.finditer(masked):
        piece = masked[at : boundary.start()]
        if _ENDS_SHORT.search(piece):
            continue
        parts.append(piece + boundary.group().strip())
        at = boundary.end()
    parts.append(masked[at:])
    supply = iter(spans)
    restored = (re.sub(_MASK, lambda _: next(supply), part) for part in parts)
    return [sentence.strip() for sentence in restored if sentence.strip()]
