"""
Files that are never recorded or remembered, by glob.

A pattern without a slash names files and folders anywhere; one with a slash is seen from the top of the project.
`*` and `?` stay within a name, `**` stands for any folders, and what names a folder names all that lies in it. Case
does not matter. Hooks ask this before they write a line.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase


def parse_patterns(text: str) -> tuple[str, ...]:
    """The patterns of a setting: one after another, with commas between them."""
    return tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))


def find_excluded(paths: Iterable[str], patterns: Sequence[str]) -> tuple[str, str] | None:
    """The first of these paths that must not be kept, and the pattern that says so."""
    if not patterns:
        return None
    return next(
        ((path, pattern) for path in paths for pattern in patterns if is_excluded(path, pattern)), None
    )


def is_excluded(path: str, pattern: str) -> bool:
    """Whether a path, relative to the project, is named by a pattern."""
    names = [name for name in path.replace("\\", "/").lower().split("/") if name not in ("", ".")]
    wanted = [part for part in pattern.lower().strip("/").split("/") if part]
    if not wanted:
        return False
    if len(wanted) == 1 and not pattern.startswith("/"):
        return any(fnmatchcase(name, wanted[0]) for name in names)
    return _begins(names, wanted)


def _begins(names: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether the path, or a folder it lies in, is what the pattern names. Work grows with names times parts."""
    # Where in the pattern a reading may stand after each name.
    places = _past_any({0}, wanted)
    for name in names:
        if len(wanted) in places:
            return True
        stays = {place for place in places if wanted[place] == "**"}
        goes = {place + 1 for place in places if fnmatchcase(name, wanted[place])}
        places = _past_any(stays | goes, wanted)
    return len(wanted) in places


def _past_any(places: set[int], wanted: Sequence[str]) -> set[int]:
    reached = set(places)
    for place, part in enumerate(wanted):
        if place in reached and part == "**":  # it may stand for no folder at all
            reached.add(place + 1)
    return reached
