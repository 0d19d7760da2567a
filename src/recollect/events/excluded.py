"""
Files that are never recorded or remembered, by glob.

A pattern without a slash names files and folders anywhere; one with a slash is seen from the top of the project.
`*` and `?` stay within a name, `**` stands for any folders, and what names a folder names all that lies in it. Case
does not matter.

A file is named by a tool's arguments, by a word of a command line, by a link that leads to it, or by a line of output
that begins with it. Of a call that names an excluded file only its kind and its end are written, and the sieve of what
was read: that holds no words, and shows later that a note repeats what was read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recollect.events.event_dict import EventDict
    from recollect.events.places import ProjectPaths

# What stands between the words of a command line that may name files.
_BETWEEN = r"[\s'\"`=:,;|<>(){}\[\]&$]+"
_MAX_WORDS = 400
_MAX_WORD = 400
_MAX_GLOBBED = 200
# An output that shows one file after another says which one comes: a diff, `head`, a search with headings.
_HEADING = r"(?:diff --git |Index: |==> |\+\+\+ |--- |# file: )"
_ABOUT_CALL = frozenset(
    "id type at session_id client folder agent call_id tool action ok exit_code duration_ms".split()
)
_ABOUT_DATA = frozenset("sieve denied interrupted background mode".split())


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


def withhold_excluded(
    event: EventDict, named: Iterable[str], patterns: Sequence[str], place: ProjectPaths
) -> None:
    """Take out of an event all that it tells of excluded files."""
    texts = [*event.get("files", ()), *named, event.get("command", "")]
    if any(names_excluded(text, patterns, place) for text in texts) or _is_inside(event, patterns, place):
        empty_event(event)
        return
    for name in ("output", "text") if event.get("type") != "prompt" else ():
        if text := event.get(name):
            event[name] = drop_excluded_lines(text, patterns, place)
    data: dict[str, Any] = event.get("data", {})
    if any(names_excluded(str(value), patterns, place) for value in data.values() if isinstance(value, str)):
        event["data"] = {name: value for name, value in data.items() if name in _ABOUT_DATA}


def names_excluded(
    text: str, patterns: Sequence[str], place: ProjectPaths | None = None, *, in_prose: bool = False
) -> bool:
    """Whether a word of a text names an excluded file; in prose only what looks like a path is one."""
    for word in re.split(_BETWEEN, text, maxsplit=_MAX_WORDS)[:_MAX_WORDS]:
        if not word or len(word) > _MAX_WORD:
            continue
        word = word.rstrip(".") if in_prose else word
        if in_prose and not re.search(r"[/\\]|.\.\w|^\.\w", word):
            continue
        if any(find_excluded(_list_readings(path, place), patterns) for path in _expand(word, place)):
            return True
    return False


def drop_excluded_lines(text: str, patterns: Sequence[str], place: ProjectPaths | None = None) -> str:
    """A text without the lines that name an excluded file, and without what a heading says to be of one."""
    lines: list[str] = []
    is_withheld = False
    for line in text.splitlines(keepends=True):
        is_named = names_excluded(line, patterns, place, in_prose=True)
        if re.match(_HEADING, line):
            is_withheld = is_named or (is_withheld and not line.startswith(("diff ", "Index", "==>")))
        elif is_named and " " not in line.strip() and not re.search(r":\d", line):
            is_withheld = True  # a name alone: what is found in it follows
        elif not line.strip():
            is_withheld = is_withheld and bool(lines) and lines[-1:] == ["\n"]
        if not (is_named or is_withheld):
            lines.append(line)
    return "".join(lines)


def empty_event(event: EventDict) -> None:
    """Leave of an event only what kind of call it was and how it ended."""
    event.setdefault("data", {})
    for name in [name for name in event if name not in _ABOUT_CALL]:
        if name == "data":
            data = {part: value for part, value in event["data"].items() if part in _ABOUT_DATA}
            event["data"] = {**data, "excluded": True}
        else:
            del event[name]


def _is_inside(event: EventDict, patterns: Sequence[str], place: ProjectPaths) -> bool:
    """Whether a command runs in a folder that is excluded."""
    inside = place.inside(event.get("folder", "")) if event.get("command") else None
    return inside is not None and find_excluded([inside], patterns) is not None


def _expand(word: str, place: ProjectPaths | None) -> Iterable[str]:
    if place is None or not re.search(r"[*?]", word) or not place.folder:
        return (word,)
    # Loaded here: few command lines hold a pattern where files are excluded at all.
    from glob import iglob
    from itertools import islice

    try:
        return [word, *islice(iglob(word, root_dir=place.folder), _MAX_GLOBBED)]  # noqa: PTH207
    except (OSError, ValueError, re.error):
        return (word,)


def _list_readings(path: str, place: ProjectPaths | None) -> Iterable[str]:
    """A path as it is written, as the project sees it, and where a link leads."""
    yield path
    if path.startswith(("a/", "b/")):  # as a diff writes it
        yield path[2:]
    if place is None or not place.root or "\0" in path:
        return
    if (inside := place.inside(path)) and inside != path:
        yield inside
    here = path if os.path.isabs(path) else f"{place.folder}/{path}"  # noqa: PTH117
    try:
        real = os.path.realpath(here)
    except (OSError, ValueError):
        return
    if real != here and (target := place.inside(real)):
        yield target
