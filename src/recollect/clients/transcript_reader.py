"""
What all readers of transcripts share: how a format is described, where a pass is in a file, what it did not understand.

A format is a module with `find` (where an agent keeps such files), `head` (whose session a file is, without reading all
of it) and `read` (its events). Third parties add theirs through the entry-point group `recollect.transcripts`.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import ModuleType

from recollect.events.bounded_read import open_regular, parse_json, read_bounded
from recollect.model.value import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.events.event_dict import EventDict

GROUP = "recollect.transcripts"
# One line of a transcript can hold a picture; beyond this nobody wrote it on purpose.
_MOST_LINE = 64 * 1024 * 1024
_MAX_FILE_BYTES = 256 * 1024 * 1024
_HEAD_LINES = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptHead:
    """Whose session a file is."""

    session_id: str
    folder: str = ""
    # The folder as a hash, where that is all an agent wrote down.
    folder_sha256: str = ""
    started_at: str = ""


@dataclass(slots=True, kw_only=True)
class TranscriptPass:
    """One pass over one file: from where events are wanted, how far it came, and what it passed over."""

    start: int = 0
    read_to: int = 0
    lines: int = 0
    # Not JSON, or not what a line of this format is.
    bad: int = 0
    # Well-formed, but of a type that this version does not know.
    unknown: Counter[str] = field(default_factory=Counter)
    # Whether the line at hand lies behind `start`; what lies before was read by an earlier import.
    is_new: bool = True

    @property
    def not_understood(self) -> int:
        """How many lines told nothing."""
        return self.bad + self.unknown.total()


def json_lines(
    path: Path, reading: TranscriptPass, skip: Callable[[bytes], bool] = lambda line: False
) -> Iterator[EventDict]:
    """
    The objects of a JSONL file. Lines that `skip` knows by their beginning are passed over unread.

    The last line of a session that still runs may be half: it is left for the next time.
    """
    with os.fdopen(open_regular(path, follow=True), "rb") as stream:
        at = 0
        while line := stream.readline(_MOST_LINE):
            at += len(line)
            whole = line.endswith(b"\n")
            event = {} if skip(line) else _object(line)
            if event is None and not whole:
                return
            reading.lines += 1
            reading.read_to = at
            reading.is_new = at > reading.start
            if event is None:
                reading.bad += reading.is_new
            elif event:
                yield event


def first_lines(path: Path) -> Iterator[EventDict]:
    """The objects at the beginning of a JSONL file, enough to see whose session it is."""
    for number, event in enumerate(json_lines(path, TranscriptPass())):
        if number == _HEAD_LINES:
            return
        yield event


def json_file(path: Path, reading: TranscriptPass) -> EventDict | None:
    """The object a JSON file holds."""
    reading.lines += 1
    try:
        value = parse_json(read_bounded(path, _MAX_FILE_BYTES, follow=True))
    except (ValueError, OSError):
        value = None
    if not isinstance(value, dict):
        reading.bad += 1
        return None
    return value


def below(folder: Path, pattern: str) -> Iterator[Path]:
    """The files of a pattern in a folder, if there is such a folder."""
    if folder.is_dir():
        yield from sorted(folder.glob(pattern))


def moment_by_number(path: Path, number: int) -> str:
    """A time for what has none: the file's own, and a millisecond more for each entry, so that order stays."""
    changed = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    return (changed + timedelta(milliseconds=number)).isoformat()


def _object(line: bytes) -> EventDict | None:
    """The object of a line, empty for an empty line; None for what is no object."""
    if not line.strip():
        return {}
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptFormat:
    """One way of keeping sessions."""

    name: str
    find: Callable[[Path], Iterator[Path]]
    head: Callable[[Path], TranscriptHead | None]
    read: Callable[[Path, TranscriptPass], Iterator[EventDict]]
    # Endings of its files, to find them in a folder somebody names.
    endings: tuple[str, ...] = (".jsonl",)
    # False when no real file was at hand to try it on.
    verified: bool = False


def format_of_module(module: ModuleType) -> TranscriptFormat:
    """A module of this shape, as a value; a plugin names one in its entry point."""
    return TranscriptFormat(
        name=module.NAME,
        find=module.find,
        head=module.head,
        read=module.read,
        endings=tuple(module.ENDINGS),
        verified=bool(getattr(module, "VERIFIED", False)),
    )
