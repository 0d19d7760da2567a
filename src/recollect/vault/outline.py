"""
The outline of a note: title, headings, tags, links and the parts that are searched, each with its line.

A scanner of lines, not a Markdown parser: it knows fences, comments, inline code and Obsidian's links and tags, which
is all an index needs, and takes a fraction of a parser's time. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from recollect.model.value import dataclass
from recollect.vault.properties import PropertyValue, read_properties, split_note

# A part of a note is about so long; a heading begins a new one.
PART_LENGTH = 1_600
_FENCE = re.compile(r"\s{0,3}(?:>\s?)*(`{3,}|~{3,})")
_HEADING = re.compile(r"(#{1,6})[ \t]+(.+?)[ \t]*#*\Z")
_WIKILINK = re.compile(r"\[\[([^\[\]|#^\n]+)(?:[#^][^\[\]|\n]*)?(?:\\?\|[^\[\]\n]*)?\]\]")
_MARKDOWN_LINK = re.compile(r"\]\(<?([^()<>\s:]+?\.md)(?:#[^()\s]*)?>?\)")
_TAG = re.compile(r"(?:^|(?<=[\s(]))#([^\W_][\w/-]*|_[\w/-]+)")
_CODE = re.compile(r"(`+).+?\1")
_BULLET = re.compile(r"\s{0,3}(?:[-*+]|\d+[.)])\s|\[\^")
_COMMENT = re.compile(r"%%.*?%%")


@dataclass(frozen=True, slots=True)
class NotePart:
    """A stretch of a note: the line it begins in, the headings above it, its text."""

    line: int
    heading: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteOutline:
    """What can be found of a note."""

    title: str
    tags: tuple[str, ...]
    aliases: tuple[str, ...]
    # Names in links, with the line of each.
    links: tuple[tuple[str, int], ...]
    parts: tuple[NotePart, ...]


def parse_outline(text: str, path: str) -> NoteOutline:
    """The outline of a note at a path."""
    parts = split_note(text)
    properties = read_properties(parts.block)
    first_line = parts.text[: len(parts.text) - len(parts.body)].count("\n") + 1
    tags = dict.fromkeys(_words_in(properties.get("tags")))
    links: dict[tuple[str, int], None] = {}
    for number, line in enumerate(parts.block.split("\n"), start=2):
        links.update(dict.fromkeys((key, number) for key in _targets(line)))
    reader = _Reader()
    lines = [line.rstrip("\r") for line in parts.body.split("\n")]
    prose = [reader.shown(line) for line in lines]
    for number, shown in enumerate(prose, start=first_line):
        if "#" in shown:
            tags.update(dict.fromkeys(tag.lower() for tag in _TAG.findall(shown) if not tag.isdigit()))
        if "](" in shown or "[[" in shown:
            links.update(dict.fromkeys((key, number) for key in _targets(shown)))
    return NoteOutline(
        title=path.rpartition("/")[2].removesuffix(".md"),
        tags=tuple(tags),
        aliases=_words_in(properties.get("aliases")),
        links=tuple(links),
        parts=tuple(_parts(lines, prose, first_line)),
    )


def link_key(target: str) -> str:
    """By which name a link finds its note: the last part of what it says, in lower case."""
    return target.replace("\\", "/").rstrip("/").rpartition("/")[2].removesuffix(".md").strip().lower()


def follow_fence(fence: str, line: str) -> str:
    """The fence of the code that goes on after a line, given the one before it; empty where there is none."""
    if fence:
        return "" if line.lstrip(" >").startswith(fence) else fence
    begins = _FENCE.match(line) if "`" in line or "~~~" in line else None
    return begins[1] if begins else ""


class _Reader:
    """Follows fences and comments from line to line, and shows what of a line is prose."""

    def __init__(self) -> None:
        self._fence = ""
        self._in_comment = False
        # Whether an indented line would be code: after a blank line, outside of a list.
        self._after_blank = True
        self._in_list = False

    def shown(self, line: str) -> str:
        """What of a line is prose: no code, no comment."""
        is_indented = line.startswith(("    ", "\t"))
        if is_indented and self._after_blank and not self._in_list and line.strip():
            return ""
        self._after_blank = not line.strip()
        if line.strip() and not is_indented:
            self._in_list = _BULLET.match(line) is not None
        return self._prose(line)

    def _prose(self, line: str) -> str:
        was, self._fence = self._fence, follow_fence(self._fence, line)
        if was or self._fence:
            return ""
        if "`" in line:
            line = _CODE.sub(" ", line)
        if "%%" in line or self._in_comment:
            line = self._without_comments(line)
        return line

    def _without_comments(self, line: str) -> str:
        if self._in_comment:
            _, end, line = line.partition("%%")
            if not end:
                return ""
            self._in_comment = False
        line = _COMMENT.sub(" ", line)
        before, begins, _ = line.partition("%%")
        self._in_comment = bool(begins)
        return before


def _parts(lines: list[str], prose: list[str], first_line: int) -> Iterator[NotePart]:
    """The body in parts: at headings, and where one would become too long."""
    above: list[str] = []
    held: list[str] = []
    start, size = first_line, 0
    for number, (line, shown) in enumerate(zip(lines, prose, strict=True), start=first_line):
        heading = _HEADING.match(shown) if shown.startswith("#") else None
        if heading or (size > PART_LENGTH and not line.strip()) or size > 2 * PART_LENGTH:
            yield from _part(start, above, held)
            held, size, start = [], 0, number
        if heading:
            level = len(heading[1])
            above = [*above[: level - 1], *[""] * (level - 1 - len(above)), heading[2]]
        held.append(line)
        size += len(line) + 1
    yield from _part(start, above, held)


def _part(start: int, above: list[str], lines: list[str]) -> Iterator[NotePart]:
    text = "\n".join(lines)
    if text.strip():
        yield NotePart(start, " > ".join(filter(None, above)), text)


def _targets(line: str) -> Iterator[str]:
    for target in (*_WIKILINK.findall(line), *_MARKDOWN_LINK.findall(line)):
        if key := link_key(target.replace("%20", " ")):
            yield key


def _words_in(value: PropertyValue | None) -> tuple[str, ...]:
    if isinstance(value, tuple):
        return tuple(item.lstrip("#").strip() for item in value if item.strip("# "))
    if isinstance(value, str):
        return tuple(word.lstrip("#") for word in re.split(r"[,\s]+", value) if word.strip("#"))
    return ()
