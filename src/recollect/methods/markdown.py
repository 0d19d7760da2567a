"""What the files of these ways of working have in common: headings, a status, boxes that are ticked."""

from __future__ import annotations

import re
from collections.abc import Iterator

from recollect.model.value import dataclass

LONGEST_QUOTE = 100
_HEADING = re.compile(r"^(#{1,6})\s+(.{1,200}?)\s*#*$")
_BOX = re.compile(r"^(?P<indent>[ \t]{0,12})[-*+] \[(?P<mark>[ xX])\]\s+(?P<text>.{1,500})$")
_STATUS = re.compile(
    r"^(?:#{1,6}\s+|\*\*)?Status(?:\*\*)?\s*:?\s*(?:\*\*)?\s*(?P<said>[\w -]{0,40})", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A line with a box to tick. `depth` is 0 for the outermost."""

    text: str
    done: bool
    depth: int


def title(text: str) -> str:
    """The first heading."""
    return next((found[2] for line in text.splitlines() if (found := _HEADING.match(line))), "")


def section(text: str, name: str) -> list[str]:
    """The lines under the first heading that begins with this name, up to the next one of its rank."""
    lines: list[str] = []
    rank = 0
    for line in text.splitlines():
        found = _HEADING.match(line)
        if rank and found and len(found[1]) <= rank:
            break
        if rank:
            lines.append(line)
        elif found and found[2].lower().startswith(name.lower()):
            rank = len(found[1])
    return lines


def boxes(lines: list[str]) -> Iterator[Box]:
    """The boxes among these lines."""
    for line in lines:
        if found := _BOX.match(line.rstrip()):
            depth = len(found["indent"].expandtabs(4)) // 2
            yield Box(text=found["text"].strip(), done=found["mark"] != " ", depth=depth)


def status(text: str) -> str:
    """The status a file gives itself: `Status: In Progress`, or the line under a heading `Status`; `in_progress`."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if found := _STATUS.match(line.strip()):
            said = found["said"] or next((after for after in lines[number + 1 :] if after.strip()), "")
            return named(said)
    return ""


def named(words: str) -> str:
    """`Ready for Review`, `ready-for-review` and `ReadyForReview` are the same: `ready_for_review`."""
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", words)
    return "_".join(re.findall(r"[a-z0-9]+", parted.lower()))


def quoted(text: str) -> str:
    """One line of a file's words, cut, as a quotation: what stands in a repository is shown, not said."""
    line = " ".join(text.split()).replace("“", '"').replace("”", '"')
    return f"“{line if len(line) <= LONGEST_QUOTE else line[: LONGEST_QUOTE - 1].rstrip() + '…'}”"
