"""
The one renderer of injected text.

A block opens and closes with a line that bears a random id; between them stands one line per item. No field can break
out: what could end a line, open a tag, a fence or a citation is escaped (`citation_format.py`), and `parse_blocks`
gives back exactly what went in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from recollect.errors import BadInput
from recollect.inject import citation_format
from recollect.inject.citation_format import BOUNDARY, CITATION_SIGN, NAME_LENGTH, NOTICE, escape
from recollect.model.memory import Memory
from recollect.model.value import dataclass

__all__ = [
    "CITATION_SIGN",
    "NAME_LENGTH",
    "Block",
    "CitedItem",
    "cite_item",
    "escape",
    "parse_blocks",
    "render_block",
    "to_item",
    "unescape",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedItem:
    """One memory as an agent sees it: what it says, and a citation that leads back to it."""

    kind: str
    name: str
    text: str
    about: str = ""
    # Such as "observed": how it came to be, where that matters.
    mark: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A heading and its items, as they are put before an agent."""

    heading: str
    items: tuple[CitedItem, ...]


def to_item(memory: Memory, mark: str = "") -> CitedItem:
    """A memory as an item."""
    files = [subject.name for subject in memory.subjects if subject.type in ("file", "symbol")]
    about = files or [str(subject) for subject in memory.subjects]
    return CitedItem(
        kind=memory.kind,
        name=memory.id[:NAME_LENGTH],
        text=memory.text,
        about=about[0] if about else "",
        mark=mark,
    )


def render_block(block: Block, boundary: str) -> str:
    """The block as text. `boundary` is new and random for each: who wrote a memory cannot have known it."""
    if not re.fullmatch(BOUNDARY, boundary):
        raise BadInput(reason=f"a boundary is 8 to 32 letters and digits, not {boundary!r}")
    return citation_format.frame_block(block.heading, [write_item(item) for item in block.items], boundary)


def write_item(item: CitedItem) -> str:
    """An item as its line."""
    return citation_format.write_line(item.kind, item.name, item.text, item.about, item.mark)


def parse_blocks(text: str) -> list[Block]:
    """The blocks in a text, exactly as they were put in; what stands around them is passed over."""
    lines = iter(text.split("\n"))
    return [_parse_block(head, lines) for line in lines if (head := _compiled(_HEAD).fullmatch(line))]


def cite_item(item: CitedItem) -> str:
    """The citation that names a memory in running text."""
    return citation_format.write_citation(item.kind, item.name, item.about, item.mark)


def unescape(text: str) -> str:
    """What was escaped."""
    return _compiled(_ENTITY).sub(lambda match: chr(int(match[1], 16)), text)


# As text until they are used: a hook that writes a block reads none.
_HEAD = rf"\[recollect (?P<boundary>{BOUNDARY}): (?P<count>\d{{1,6}}) notes? {NOTICE}: (?P<heading>[^\]]*)\]"
_ITEM = (
    rf"- \[{CITATION_SIGN} (?P<kind>[^\s:|\]]*) (?P<name>[^\s:|\]]*)"
    r"(?:: (?P<about>[^|\]]*?))?(?: \| (?P<mark>[^|\]]*))?\]"
    r" (?P<text>.*)"
)
_ENTITY = r"&#x([0-9a-f]{1,6});"


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _parse_block(head: re.Match[str], lines: Iterator[str]) -> Block:
    end = f"[end of recollect {head['boundary']}]"
    items = tuple(_parse_item(line) for line in iter(lambda: next(lines, end), end))
    if len(items) != int(head["count"]):
        reason = f"the block {head['boundary']} says {head['count']} items and holds {len(items)}"
        raise BadInput(reason=reason)
    return Block(heading=unescape(head["heading"]), items=items)


def _parse_item(line: str) -> CitedItem:
    match = _compiled(_ITEM).fullmatch(line)
    if match is None:
        raise BadInput(reason=f"this is no item of a block: {line[:80]!r}")
    return CitedItem(**{name: unescape(value or "") for name, value in match.groupdict().items()})
