"""
What went wrong in hooks: a small file beside the database, one line of JSON each.

A client shows nothing of a hook that fails, so this is where `recollect doctor` looks. It holds no words of a session,
and when it has grown it keeps its newer half.
"""

from __future__ import annotations

import json
import os
import time

from recollect.events.bounded_read import open_regular, read_beginning
from recollect.events.locks import open_own_file, open_private

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.events.event_dict import EventDict

MOST_BYTES = 65_536
_MOST_WORDS = 500


def log_of(db: str) -> str:
    """The log that belongs to a database."""
    return f"{db}.hooks.log"


def note(log: str, client: str, event: str, trouble: str, *, seconds: float) -> None:
    """Write down that a hook failed, at so many seconds since 1970. Where even that fails, nobody is told."""
    at = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(seconds))
    entry = {"at": at, "client": client[:40], "event": event[:60], "trouble": trouble[:_MOST_WORDS]}
    line = json.dumps(entry, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
    try:
        _make_room(log)
        file = open_private(log)
        try:
            os.write(file, line)
        finally:
            os.close(file)
    except OSError:
        return


def failures(log: str) -> list[EventDict]:
    """What is written down, oldest first; a line that is none is passed over."""
    try:
        lines = read_beginning(log, 2 * MOST_BYTES).splitlines()
    except OSError:
        return []
    return [entry for line in lines if (entry := _parsed(line))]


def _make_room(log: str) -> None:
    try:
        if os.stat(log).st_size < MOST_BYTES:  # noqa: PTH116
            return
    except OSError:
        return
    with os.fdopen(open_regular(log), "rb") as stream:
        stream.seek(-MOST_BYTES // 2, os.SEEK_END)
        newer = stream.read(MOST_BYTES).partition(b"\n")[2]
    shorter = f"{log}.{os.getpid()}"
    with os.fdopen(open_own_file(shorter, os.O_TRUNC), "wb") as stream:
        stream.write(newer)
    os.replace(shorter, log)  # noqa: PTH105


def _parsed(line: bytes) -> EventDict | None:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) else None
