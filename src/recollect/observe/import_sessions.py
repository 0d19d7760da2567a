"""
Past sessions, replayed as if we had been there: found, read in the order of time, cleaned, stored once.

An import can be stopped at any moment and goes on where it was: how far each file was read is stored together
with its events. What a hook told already is not told again by the transcript of the same session.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from pathlib import Path

from recollect.clients.transcript_reader import Head, Reading
from recollect.clients.transcripts import Format
from recollect.events.event_dict import string
from recollect.events.places import Place, place_of
from recollect.events.sanitize import tidy
from recollect.model.event import Event, event_from_json
from recollect.model.session import Session
from recollect.model.value import dataclass, field
from recollect.observe.folders import Folders, is_here
from recollect.observe.known_events import Heard
from recollect.observe.take_in import Taken, take_in
from recollect.store.db import Db
from recollect.store.tables import events as event_rows
from recollect.store.tables import sessions, transcripts

# So many events share a commit; with a `learn` that looks at each session, every session has its own.
BATCH = 4000
# A session that was silent for so long is over.
_OVER = timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A transcript and whose session it is."""

    path: Path
    format: Format
    head: Head


@dataclass(slots=True, kw_only=True)
class Imported:
    """What an import did, or would do."""

    files: int = 0
    sessions: int = 0
    events: int = 0
    known: int = 0
    # Files that have not changed since they were read.
    unchanged: int = 0
    # Files of other projects.
    elsewhere: int = 0
    lines: int = 0
    not_understood: int = 0
    unknown: dict[str, int] = field(default_factory=dict)
    # FILE: REASON
    failed: list[str] = field(default_factory=list)
    # Formats that were used and never tried on a real file.
    unverified: list[str] = field(default_factory=list)
    broken_plugins: tuple[str, ...] = ()
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Importer:
    """What an import works with."""

    db: Db
    folders: Folders
    now: datetime
    # Called with each session when its events are stored, in the order of time.
    learn: Callable[[str], object] | None = None
    # Where a session took place whose transcript does not say so.
    folder: str = ""
    progress: Callable[[int, int], None] = lambda done, total: None
    dry_run: bool = False


def import_sessions(importer: Importer, found: Sequence[Found], done: Imported) -> Imported:
    """Take in transcripts, the oldest session first."""
    batch = _Batch(importer, done)
    ordered = sorted(found, key=lambda transcript: (transcript.head.started_at, str(transcript.path)))
    for number, transcript in enumerate(ordered, start=1):
        _read_one(importer, transcript, batch, done)
        importer.progress(number, len(ordered))
    batch.store()
    done.sessions = len(batch.session_ids)
    return done


def find_transcripts(
    formats: Iterable[Format], home: Path, named: Path | None, done: Imported
) -> Iterator[Found]:
    """Transcripts where the agents keep them, or in a file or folder somebody names."""
    seen: set[Path] = set()
    for known in formats:
        for path in _named_files(named, known) if named is not None else known.find(home):
            if path in seen:
                continue
            head = _head(known, path, done)
            if head is not None:
                seen.add(path)
                yield Found(path=path, format=known, head=head)


def events_of(transcript: Found, reading: Reading, folder: str) -> Iterator[Event]:
    """The events of a transcript, cleaned as a hook would; what cannot be read is counted."""
    for form in transcript.format.read(transcript.path, reading):
        form.setdefault("folder", folder)
        place = _place(string(form.get("folder")), transcript.head.folder)
        try:
            event = event_from_json(tidy(form, place))
        except (ValueError, TypeError):
            reading.bad += 1
            continue
        if event.at.tzinfo is None:
            reading.bad += 1
            continue
        yield event


def _named_files(named: Path, known: Format) -> Iterator[Path]:
    if named.is_file():
        yield from [named] if named.suffix in known.endings else []
        return
    for ending in known.endings:
        yield from sorted(named.rglob(f"*{ending}"))


def _head(known: Format, path: Path, done: Imported) -> Head | None:
    try:
        return known.head(path)
    except Exception as error:  # noqa: BLE001 - a reader may be another package's; a file may be anything
        done.failed.append(f"{path}: {type(error).__name__}: {error}")
        return None


def _read_one(importer: Importer, transcript: Found, batch: _Batch, done: Imported) -> None:
    facts = transcript.path.stat()
    state = transcripts.state(importer.db, str(transcript.path))
    if state is not None and (state.size, state.modified_at) == (facts.st_size, facts.st_mtime_ns):
        done.unchanged += 1
        return
    # A file that became shorter was written anew.
    reading = Reading(start=state.read_to if state and state.size <= facts.st_size else 0)
    try:
        events = list(events_of(transcript, reading, importer.folder))
    except Exception as error:  # noqa: BLE001 - as above; the other files are still worth reading
        done.failed.append(f"{transcript.path}: {type(error).__name__}: {error}")
        return
    done.files += 1
    done.lines += reading.lines
    done.not_understood += reading.not_understood
    for name, count in reading.unknown.items():
        done.unknown[name] = done.unknown.get(name, 0) + count
    if not transcript.format.verified and transcript.format.name not in done.unverified:
        done.unverified.append(transcript.format.name)
    batch.add(
        events,
        transcript,
        transcripts.State(size=facts.st_size, modified_at=facts.st_mtime_ns, read_to=reading.read_to),
    )


def _place(folder: str, first: str) -> Place:
    """The place of a folder; where it is gone, the folder the session began in is the top."""
    if _is_here(folder):
        return place_of(folder)
    return place_of(folder, first if first and (folder + "/").startswith(first + "/") else folder)


@lru_cache(maxsize=256)
def _is_here(folder: str) -> bool:
    return is_here(folder)


class _Batch:
    """Events and file states that are stored together."""

    def __init__(self, importer: Importer, done: Imported) -> None:
        self._importer = importer
        self._done = done
        self._events: list[Event] = []
        self._files: list[tuple[Found, transcripts.State]] = []
        self.session_ids: dict[str, None] = {}

    def add(self, events: list[Event], transcript: Found, state: transcripts.State) -> None:
        for event in events:
            self.session_ids[event.session_id] = None
        if self._importer.dry_run:
            self._done.events += len(events)
            return
        self._events += Heard(self._importer.db).without(events)
        self._files.append((transcript, state))
        if len(self._events) >= BATCH or self._importer.learn is not None:
            self.store()

    def store(self) -> None:
        events, files = self._events, self._files
        self._events, self._files = [], []
        if not files:
            return
        for event in events:
            if event.folder:
                self._importer.folders.project_of(event.folder)
        with self._importer.db.transaction():
            taken = take_in(self._importer.db, events, self._importer.folders)
            self._end_sessions(events)
            for transcript, state in files:
                transcripts.put(
                    self._importer.db,
                    str(transcript.path),
                    transcript.format.name,
                    state,
                    transcript.head.session_id,
                )
        self._count(taken)
        if self._importer.learn is not None:
            for session_id in taken.sessions:
                self._importer.learn(session_id)

    def _count(self, taken: Taken) -> None:
        self._done.events += taken.stored
        self._done.known += taken.known

    def _end_sessions(self, events: list[Event]) -> None:
        told: dict[str, list[Event]] = {}
        for event in events:
            told.setdefault(event.session_id, []).append(event)
        for session_id, own in told.items():
            first, last = min(event.at for event in own), max(event.at for event in own)
            parent = self._copied_from(session_id, own)
            if self._importer.now - last > _OVER or parent:
                over = last if self._importer.now - last > _OVER else None
                sessions.put(
                    self._importer.db,
                    Session(id=session_id, started_at=first, last_at=last, ended_at=over, parent_id=parent),
                )

    def _copied_from(self, session_id: str, own: list[Event]) -> str | None:
        """The session whose events stand at the beginning of this one: a fork or a resumed copy."""
        first = next((event for event in own if event.type != "session_started"), None)
        home = event_rows.session_of(self._importer.db, first.id) if first else None
        return home if home != session_id else None
