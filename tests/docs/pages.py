"""The documentation as tests see it: the pages, and the blocks of code in them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = (*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md")))

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Block:
    """A block of code: its language and text, its first line, and what stands between it and the last."""

    language: str
    text: str
    line: int
    before: str


def text_of(name: str) -> str:
    """A page by its path from the top."""
    return (ROOT / name).read_text("utf-8")


def blocks(text: str) -> list[Block]:
    """The blocks of a page, in order."""
    found: list[Block] = []
    end = 0
    for match in _BLOCK.finditer(text):
        line = text.count("\n", 0, match.start()) + 2
        found.append(Block(match[1], match[2], line, text[end : match.start()]))
        end = match.end()
    return found


def shell_commands() -> Iterator[tuple[str, list[str]]]:
    """Every `recollect …` in a shell block, with the page it is on."""
    for page in PAGES:
        for block in blocks(page.read_text("utf-8")):
            if block.language == "sh":
                yield from ((page.name, words) for words in recollect_commands(block.text))


def recollect_commands(text: str) -> Iterator[list[str]]:
    """The words after `recollect` of every command in a piece of shell, also behind a pipe."""
    for line in text.splitlines():
        reader = shlex.shlex(line, posix=True, punctuation_chars="|><;&")
        reader.wordchars += ":"  # a shell has it inside a word, shlex does not
        words = list(reader)
        for place, word in enumerate(words):
            if word == "recollect" and (place == 0 or words[place - 1] == "|"):
                rest = words[place + 1 :]
                ends = [i for i, other in enumerate(rest) if set(other) <= set("|><;&")]
                yield rest[: min(ends, default=len(rest))]
