"""Observation masking: what stands in the window instead of a long or old output, with the way back to all of it."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase

# The tool that reads stored outputs back.
READ_TOOL = "read_output"
STALE_MARK = "[Stale output of "
OVERFLOW_MARK = "[Long output of "
CUT_MARK = "[Long text, "
IMAGE_NOTE = "[An image stood here; it was dropped from the window. Take or open it again if you need it.]"
# The sentence around a mask is shorter than this.
_MAX_SENTENCE = 200


def is_critical(tool: str, patterns: Iterable[str]) -> bool:
    """Whether later steps lean on a tool's outputs as a whole."""
    name = tool.lower()
    return any(fnmatchcase(name, pattern.lower()) for pattern in patterns)


def mask_text(text: str, *, tool: str, handle: str, size: int, characters: int, is_error: bool) -> str:
    """An old output in so many characters: the beginning of it, of an error the end."""
    body = " ".join(_without_mark(text).split())
    excerpt = body[-characters:] if is_error else body[:characters]
    return f"{STALE_MARK}{tool}, compressed from {size:,} characters; {_way_back(tool, handle)}] {excerpt}"


def preview_text(text: str, *, tool: str, handle: str, characters: int) -> str:
    """A long output as a preview: three quarters its beginning, the rest its end."""
    head, tail = _ends(text, characters)
    heading = f"{OVERFLOW_MARK}{tool}: {len(text):,} characters, here its beginning and end; {_way_back(tool, handle)}]"
    return f"{heading}\n{head}\n[…]\n{tail}"


def cut_text(text: str, *, handle: str, characters: int) -> str:
    """A text of a message that alone is too long for the window."""
    head, tail = _ends(text, characters)
    way = f'all of it: {READ_TOOL}(handle="{handle}")' if handle else "the middle is not kept"
    return f"{CUT_MARK}{len(text):,} characters, here its beginning and end; {way}]\n{head}\n[…]\n{tail}"


def is_masked(text: str, characters: int) -> bool:
    """Whether a text is a mask already."""
    return text.startswith(STALE_MARK) and len(text) <= characters + _MAX_SENTENCE + 100


def handle_in(text: str) -> str:
    """The handle that a mask or preview names; empty if none."""
    if not text.startswith((STALE_MARK, OVERFLOW_MARK, CUT_MARK)):
        return ""
    return text[:_MAX_SENTENCE].partition(f'{READ_TOOL}(handle="')[2].partition('"')[0]


def _without_mark(text: str) -> str:
    """A preview without the sentence about itself."""
    return text.partition("]\n")[2] if text.startswith(OVERFLOW_MARK) else text


def _way_back(tool: str, handle: str) -> str:
    return f'all of it: {READ_TOOL}(handle="{handle}")' if handle else f"call {tool} again if you need it"


def _ends(text: str, characters: int) -> tuple[str, str]:
    tail = characters // 4
    return text[: characters - tail].rstrip(), (text[-tail:].lstrip() if tail else "")
