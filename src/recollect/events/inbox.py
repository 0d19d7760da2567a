"""
The inbox: a file beside the database into which hooks write, one line of JSON an event.

Writers append under a lock and are done when the line is on disk. A reader moves the file aside, waits for
the last writer, stores all lines in one transaction and only then deletes it. A reader that died leaves its
file, and the next one reads it again: events have ids, so twice is once. Every line ends with a checksum of itself;
one that a killed writer left half, or that was altered on disk, is put aside and counted.
"""

from __future__ import annotations

import contextlib
import json
import os
from binascii import crc32

from recollect.events.locks import lock, lock_within, open_private
from recollect.model.policy import INBOX_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from recollect.events.event_dict import EventDict

MAX_BYTES = INBOX_BYTES
_MOST_TORN_BYTES = 1_000_000
# A writer is done in milliseconds; one that is not was stopped.
_WRITER_SECONDS = 1.0
_CLAIMED = ".claimed"
_TRIES = 100


def inbox_path(db: str) -> str:
    """The inbox of a database; empty for one that is no file."""
    return "" if db == ":memory:" or "://" in db else f"{db}.inbox"


def append(inbox: str, lines: Sequence[str], *, most_bytes: int = MAX_BYTES) -> int:
    """Add lines; how many are safe on disk: all of them, or none when the inbox is full."""
    if not lines:
        return 0
    with _held(inbox) as file:
        return _added(inbox, file, lines, most_bytes)


def append_after_reading(
    inbox: str, decide: Callable[[bytes], Sequence[str]], *, most_bytes: int = MAX_BYTES
) -> int:
    """
    Add the lines that `decide` makes of all that waits, with nobody writing in between.

    A reader may move the inbox away meanwhile: what it holds is in the database when it is no longer here, so `decide`
    asks the database last.
    """
    with _held(inbox) as file:
        lines = decide(read_waiting(inbox))
        return _added(inbox, file, lines, most_bytes) if lines else 0


def read_waiting(inbox: str) -> bytes:
    """All that waits, as it lies there."""
    waiting = _whole_file(inbox)
    # Looked at second, put first: what was moved away is older, and is not missed if that happens just now.
    return b"".join(map(_whole_file, list_left_over(inbox))) + waiting


def list_waiting_events(waiting: bytes, session_id: str, types: Sequence[str]) -> Iterator[EventDict]:
    """The events of one session in lines that still wait, of these types, in the order they were written."""
    named = json.dumps(session_id, ensure_ascii=False).encode("utf-8", "replace")
    marks = [f'"type":"{kind}"'.encode() for kind in types]
    # Nothing of it is read that cannot be meant: an inbox may hold a long day.
    for line in waiting.splitlines():
        if named in line and any(mark in line for mark in marks):
            event = _parsed(line) or {}
            if event.get("session_id") == session_id and event.get("type") in types:
                yield event


def _added(inbox: str, file: int, lines: Sequence[str], most_bytes: int) -> int:
    written = b"".join(seal_line(line.encode("utf-8", "replace")) + b"\n" for line in lines)
    size = os.fstat(file).st_size
    if size + len(written) > most_bytes:
        _count_dropped(inbox, len(lines))
        return 0
    if size and _last_byte(file) != b"\n":
        written = b"\n" + written  # a writer was killed in the middle of its line
    _write_whole(file, written, size)
    if not size:
        _sync_folder(inbox)
    return len(lines)


def _whole_file(path: str) -> bytes:
    try:
        with open(path, "rb") as stream:  # noqa: PTH123
            return stream.read()
    except OSError:
        return b""


class Claim:
    """Lines taken out of an inbox, held until they are stored."""

    def __init__(self, path: str, file: int, inbox: str) -> None:
        self.path = path
        self.torn = 0
        self.is_done = False
        self._file = file
        self._inbox = inbox

    def forms(self) -> Iterator[EventDict]:
        """Every event, in the order it was written; what is no event is put aside."""
        with os.fdopen(os.dup(self._file), "rb") as stream:
            stream.seek(0)
            for line in stream:
                if not line.strip():
                    continue
                event = _parsed(line)
                if event is None:
                    self.torn += 1
                    _put_aside(self._inbox, line)
                else:
                    yield event

    def done(self) -> None:
        """All is stored: the lines go when the claim ends."""
        self.is_done = True


def has_waiting(inbox: str) -> bool:
    """Whether anything waits: one look at the disk."""
    try:
        return os.stat(inbox).st_size > 0  # noqa: PTH116
    except OSError:
        return False


@contextlib.contextmanager
def claim_inbox(inbox: str, name: str) -> Iterator[Claim | None]:
    """
    The waiting lines, moved aside under a name nobody else uses; None when nothing waits.

    None too when a writer that was stopped in the middle does not let go: its lines stay aside for a later reader.
    """
    path = f"{inbox}.{name}{_CLAIMED}"
    try:
        os.rename(inbox, path)  # noqa: PTH104
    except OSError:  # nothing there, or, on Windows, a writer is at it: the next call will do
        yield None
        return
    with _open_claim(inbox, path, _WRITER_SECONDS) as claim:
        yield claim


def list_left_over(inbox: str) -> list[str]:
    """Files that a reader moved aside and did not finish."""
    folder, name = os.path.split(inbox)
    try:
        names = os.listdir(folder or ".")  # noqa: PTH208
    except OSError:
        return []
    return [
        os.path.join(folder, file)  # noqa: PTH118
        for file in sorted(names)
        if file.startswith(name + ".") and file.endswith(_CLAIMED)
    ]


@contextlib.contextmanager
def claim_left_over(inbox: str, path: str) -> Iterator[Claim | None]:
    """What another reader left; None while that reader lives."""
    with _open_claim(inbox, path, 0) as claim:
        yield claim


def count_waiting_bytes(inbox: str) -> int:
    """How much waits to be stored."""
    return sum(_size(path) for path in (inbox, *list_left_over(inbox)))


def count_dropped(inbox: str) -> int:
    """How many events came while the inbox was full, and are lost."""
    return _size(inbox + ".dropped")


def count_torn(inbox: str) -> int:
    """How many lines were put aside because a writer was killed in the middle of them."""
    try:
        with open(inbox + ".torn", "rb") as stream:  # noqa: PTH123
            return stream.read().count(b"\n")
    except OSError:
        return 0


def reset_counts(inbox: str) -> None:
    """Start counting anew."""
    for end in (".dropped", ".torn"):
        _remove(inbox + end)


@contextlib.contextmanager
def _held(path: str) -> Iterator[int]:
    """The file of this name, open and locked. A reader may move it away between the two, so we look again."""
    for _ in range(_TRIES):
        file = open_private(path)
        try:
            if not lock(file, wait=True):
                raise OSError(f"{path} cannot be locked")
            if _is_still(path, file):
                yield file
                return
        finally:
            os.close(file)
    raise TimeoutError(f"{path} was moved away {_TRIES} times")


def _last_byte(file: int) -> bytes:
    os.lseek(file, -1, os.SEEK_END)
    return os.read(file, 1)


def _sync_folder(path: str) -> None:
    """A new file is safe when its name is: the folder has to reach the disk too."""
    if os.name == "posix":
        folder = os.open(os.path.dirname(path) or ".", os.O_RDONLY)  # noqa: PTH120
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _write_whole(file: int, written: bytes, size: int) -> None:
    """All of it or nothing: a disk that is full must not leave half a line."""
    try:
        if os.write(file, written) != len(written):
            raise OSError(28, "No space left on device")
        os.fsync(file)
    except OSError:
        os.ftruncate(file, size)
        raise


@contextlib.contextmanager
def _open_claim(inbox: str, path: str, seconds: float) -> Iterator[Claim | None]:
    try:
        file = os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0))
    except OSError:
        yield None
        return
    # The lock is held until the lines are stored: whoever finds the file locked knows that its reader lives.
    claim = Claim(path, file, inbox) if lock_within(file, seconds) and _is_still(path, file) else None
    try:
        yield claim
        if claim and claim.is_done and os.name == "posix":
            _remove(path)
    finally:
        os.close(file)
    if claim and claim.is_done and os.name != "posix":
        _remove(path)  # Windows deletes no file that is open


def _is_still(path: str, file: int) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(file))  # noqa: PTH116
    except OSError:
        return False


def seal_line(line: bytes) -> bytes:
    """A line of JSON with a checksum of itself as its last value."""
    return line[:-1] + _SEAL % crc32(line) if line.endswith(b"}") and line != b"{}" else line


def unseal_line(line: bytes) -> bytes | None:
    """The line without its checksum; None if it is not what was written. One without a checksum is taken as it is."""
    sealed = line.rstrip()
    body = sealed[:-_SEAL_LENGTH] + b"}"
    if sealed[-_SEAL_LENGTH:-10] != _SEAL[:8]:
        return sealed
    return body if sealed == seal_line(body) else None


_SEAL = b',"crc":"%08x"}'
_SEAL_LENGTH = 18


def _parsed(line: bytes) -> EventDict | None:
    try:
        event = json.loads(unseal_line(line) or b"")
    except (ValueError, RecursionError):
        return None
    is_event = isinstance(event, dict) and all(isinstance(event.get(name), str) for name in _NEEDED)
    return event if is_event else None


_NEEDED = ("id", "type", "at", "session_id")


def _put_aside(inbox: str, line: bytes) -> None:
    if _size(inbox + ".torn") + len(line) > _MOST_TORN_BYTES:
        line = b"\n"  # counted all the same
    _add(inbox + ".torn", line if line.endswith(b"\n") else line + b"\n")


def _count_dropped(inbox: str, count: int) -> None:
    # A byte each: appending is the one change that many processes can make without asking each other.
    _add(inbox + ".dropped", b"." * count)


def _add(path: str, written: bytes) -> None:
    file = open_private(path)
    try:
        os.write(file, written)
    finally:
        os.close(file)


def _remove(path: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)  # noqa: PTH108


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size  # noqa: PTH116
    except OSError:
        return 0
