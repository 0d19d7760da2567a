"""Small pieces of sentences: commands and error lines as a reader wants to see them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from posixpath import basename

from recollect.model.cochange import name_likeness

LONGEST_QUOTE = 160
LONGEST_COMMAND = 80
_REDIRECTION = re.compile(r"\s*\d?>{1,2}(?:&\d|\s*\S+)")
_JOINTS = re.compile(r"\s*(?:&&|\|\||;|\||\n)\s*")
_ASSIGNMENT = re.compile(r"^(?:\w+=\S*\s+)+")


def short_command(command: str, tool: str) -> str:
    """The part of a line that runs the tool, without what cuts down its output: `pytest 2>&1 | tail` → `pytest`."""
    parts = [_REDIRECTION.sub("", part).strip() for part in _JOINTS.split(command)]
    # The last one that names the tool: what stands before it prepares.
    chosen = next((part for part in reversed(parts) if _names(part, tool)), parts[0])
    chosen = _ASSIGNMENT.sub("", chosen)
    return chosen if len(chosen) <= LONGEST_COMMAND else chosen[: LONGEST_COMMAND - 1].rstrip() + "…"


def _names(part: str, tool: str) -> bool:
    return bool(tool) and any(basename(word) == basename(tool) for word in part.split())


def quoted(text: str, longest: int = LONGEST_QUOTE) -> str:
    """One line of somebody else's words, cut, as a quotation."""
    line = " ".join(text.split()).replace("“", '"').replace("”", '"')
    return f"“{line if len(line) <= longest else line[: longest - 1].rstrip() + '…'}”"


def listed(names: Iterable[str], most: int = 3) -> str:
    """`a, b and c`; of many the first few."""
    found = list(dict.fromkeys(names))
    shown, more = found[:most], len(found) - most
    if more > 0:
        return ", ".join(shown) + f" and {more} more"
    return " and ".join(([", ".join(shown[:-1])] if len(shown) > 1 else []) + shown[-1:])


def is_own_test(one: str, other: str) -> bool:
    """Whether one file is plainly the other's test: that they go together needs no telling."""
    return name_likeness(one, other) == 1.0
