"""
Memories as lines of a note, each with a block id: `- Prefers Firefox ^recollect-01kr3q…`.

Short things of which there are many are read better as a list than as a folder of notes. A line is known by its block
id, wherever in the note it stands; everything else in the note is a person's. Pure: text in, text out.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterator

from recollect.model.ids import ID_LENGTH
from recollect.model.value import dataclass
from recollect.vault.properties import find_newline, split_lines, split_note

MAX_LENGTH = 400
PREFIX = "recollect-"
BLOCK_ID = re.compile(rf"[ \t]+\^{PREFIX}([0-9a-z]{{{ID_LENGTH}}})(?=[ \t]*\r?$)", re.MULTILINE)
_ITEM = re.compile(r"(?P<lead>[-*+][ \t]+)(?!\[.\][ \t])(?P<text>\S.*?)(?P<end>[ \t]*\r?\n?)\Z")
_HEADING = re.compile(r"#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*\r?\n?\Z")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")


# Makes a line anew from what it begins and ends with.
_MakeLine = Callable[[str, str], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryLine:
    """An item of a list: where it stands, under which heading, its text, and the memory it shows, if it is one's."""

    place: int
    heading: str
    text: str
    memory_id: str = ""


def fits_line(text: str) -> bool:
    """Whether a text can be one line of a list and be read back as it was."""
    return len(text) <= MAX_LENGTH and "\n" not in text and f"^{PREFIX}" not in text and text == text.strip()


def find_items(text: str) -> list[MemoryLine]:
    """The items of the lists of a note, outside of code, in their order; tasks are none."""
    return list(_items(split_lines(text), len(split_lines(_head_of(text)))))


def digest_line(text: str) -> str:
    """A short name for what a line says."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def make_line(text: str, memory_id: str) -> str:
    """A memory as a line."""
    return f"- {text} {make_block_id(memory_id)}"


def make_block_id(memory_id: str) -> str:
    """The mark at the end of the line of a memory; a link to it is `[[Note#^recollect-…]]`."""
    return f"^{PREFIX}{memory_id.lower()}"


def replace_line(text: str, memory_id: str, new: str) -> str:
    """The note with another text in the line of a memory, and nothing else changed."""
    return _changed(text, memory_id, lambda lead, end: f"{lead}{new} {make_block_id(memory_id)}{end}")


def remove_lines(text: str, memory_ids: Collection[str]) -> str:
    """The note without the lines of these memories."""
    for memory_id in memory_ids:
        text = _changed(text, memory_id, lambda lead, end: "")
    return text


def mark_item(text: str, item: str, memory_id: str) -> str:
    """The note with a block id at the first item of this text that has none."""
    lines = split_lines(text)
    for one in find_items(text):
        if one.text == item and not one.memory_id:
            line = lines[one.place]
            bare = line.rstrip("\r\n")
            lines[one.place] = f"{bare.rstrip()} {make_block_id(memory_id)}{line[len(bare) :]}"
            break
    return "".join(lines)


def add_item(text: str, heading: str, line: str) -> str:
    """The note with one line more, as the last item under a heading, which is made if there is none; or at its end."""
    newline = find_newline(text)
    lines = split_lines(text)
    start = 0
    if heading:
        named = (
            n for n, one in enumerate(lines) if (match := _HEADING.match(one)) and _same(match[1], heading)
        )
        place = next(named, None)
        if place is None:
            return _ended("".join(lines), newline) + f"{newline}## {heading}{newline}{newline}{line}{newline}"
        start = place + 1
    end = next((n for n in range(start, len(lines)) if heading and _HEADING.match(lines[n])), len(lines))
    while end > start and not lines[end - 1].strip():
        end -= 1
    before = _ended("".join(lines[:end]), newline)
    is_list = end > start and _ITEM.match(lines[end - 1]) is not None
    gap = "" if is_list else newline
    return before + gap + line + newline + "".join(lines[end:])


def strip_block_ids(text: str) -> str:
    """A text without the marks of lines: for the search, which has no use for them."""
    return BLOCK_ID.sub("", text)


def _changed(text: str, memory_id: str, make: _MakeLine) -> str:
    lines = split_lines(text)
    for one in find_items(text):
        if one.memory_id == memory_id:
            match = _ITEM.match(lines[one.place])
            assert match is not None
            lines[one.place] = make(match["lead"], match["end"])
    return "".join(lines)


def _items(lines: list[str], first: int) -> Iterator[MemoryLine]:
    heading, fence = "", ""
    for place, line in enumerate(lines):
        if place < first:
            continue
        if match := _FENCE.match(line):
            fence = "" if fence and line.strip().startswith(fence) else fence or match[1]
            continue
        if fence:
            continue
        if match := _HEADING.match(line):
            heading = match[1]
        elif match := _ITEM.match(line):
            block = BLOCK_ID.search(line)
            text = match["text"][: match["text"].rindex("^")].rstrip() if block else match["text"]
            yield MemoryLine(
                place=place, heading=heading, text=text, memory_id=block[1].upper() if block else ""
            )


def _head_of(text: str) -> str:
    parts = split_note(text)
    return parts.text[: len(parts.text) - len(parts.body)]


def _same(one: str, other: str) -> bool:
    return one.strip().lower() == other.strip().lower()


def _ended(text: str, newline: str) -> str:
    return text if not text or text.endswith("\n") else text + newline
