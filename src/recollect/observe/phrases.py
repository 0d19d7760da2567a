"""Phrases for the texts of memories: shortened commands, quotations, lists of names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from posixpath import basename

from recollect.model.cochange import name_likeness

MAX_QUOTE = 160
MAX_COMMAND = 80
_REDIRECTION = re.compile(r"\s*\d?>{1,2}(?:&\d|\s*\S+)")
_JOINTS = re.compile(r"\s*(?:&&|\|\||;|\||\n)\s*")
_ASSIGNMENT = re.compile(r"^(?:\w+=\S*\s+)+")


def shorten_command(command: str, tool: str) -> str:
    """The part of a line that runs the tool, without what cuts down its output: `pytest 2>&1 | tail` → `pytest`."""
    parts = [_REDIRECTION.sub("", part).strip() for part in _JOINTS.split(command)]
    # The last one that names the tool: what stands before it prepares.
    chosen = next((part for part in reversed(parts) if _is_naming(part, tool)), parts[0])
    chosen = _ASSIGNMENT.sub("", chosen)
    return chosen if len(chosen) <= MAX_COMMAND else chosen[: MAX_COMMAND - 1].rstrip() + "…"


def _is_naming(part: str, tool: str) -> bool:
    return bool(tool) and any(basename(word) == basename(tool) for word in part.split())


def quote_text(text: str, longest: int = MAX_QUOTE) -> str:
    """One line of somebody else's words, cut, as a quotation."""
    line = " ".join(text.split()).replace("“", '"').replace("”", '"')
    return f"“{line if len(line) <= longest else line[: longest - 1].rstrip() + '…'}”"


def join_names(names: Iterable[str], most: int = 3) -> str:
    """`a, b and c`; of many the first few."""
    unique_names = list(dict.fromkeys(names))
    first_names, more = unique_names[:most], len(unique_names) - most
    if more > 0:
        return ", ".join(first_names) + f" and {more} more"
    return " and ".join(([", ".join(first_names[:-1])] if len(first_names) > 1 else []) + first_names[-1:])


def is_own_test(file: str, other_file: str) -> bool:
    """Whether one file is plainly the other's test: that they go together needs no telling."""
    return name_likeness(file, other_file) == 1.0
