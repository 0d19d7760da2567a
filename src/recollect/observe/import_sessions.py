"""
Importing transcripts of past sessions: found, read in the order of time, cleaned, each event stored once.

An import can be stopped at any moment and goes on where it was: how far each file was read is stored together
with its events. What a hook told already is not told again by the transcript of the same session.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from pathlib import Path

from recollect.clients.transcript_reader import TranscriptFormat, TranscriptHead, TranscriptPass
from recollect.events.event_dict import as_text
from recollect.events.excluded import empty_event
from recollect.events.places import ProjectPaths, paths_of_folder
from recollect.events.sanitize import sanitize_event
from recollect.model.event import Event, EventType, event_from_json
from recollect.model.session import Session
from recollect.model.value import dataclass, field
from recollect.observe.folders import Folders, is_here
from recollect.observe.take_in import StoredEvents, store_events
from recollect.store.db import Db
from recollect.store.tables import events as event_rows
from recollect.store.tables import sessions

# So many events share a commit; with a `learn` that looks at each session, every session has its own.
MAX_BATCH_EVENTS = 4000
# A session that was silent for so long is over.
_SILENCE_THAT_ENDS = timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """A transcript and whose session it is."""

    path: Path
    format: TranscriptFormat
    head: TranscriptHead


@dataclass(slots=True, kw_only=True)
class SessionImport:
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
class SessionImporter:
    """What an import works with."""

    db: Db
    folders: Folders
    now: datetime
    # Called with each session when its events are stored, in the order of time.
    learn: Callable[[str], object] | None = None
    # Where a session took place whose transcript does not say so.
    folder: str = ""
    # Patterns of files that are never recorded.
    excluded: tuple[str, ...] = ()
    progress: Callable[[int, int], None] = lambda done, total: None
    dry_run: bool = False


def import_sessions(
    importer: SessionImporter, transcripts: Sequence[Transcript], report: SessionImport
) -> SessionImport:
    """Take in transcripts, the oldest session first."""
    batch = _ImportBatch(importer, report)
    ordered = sorted(transcripts, key=lambda transcript: (transcript.head.started_at, str(transcript.path)))
    for number, transcript in enumerate(ordered, start=1):
        _read_transcript(importer, transcript, batch, report)
        importer.progress(number, len(ordered))
    batch.store()
    report.sessions = len(batch.session_ids)
    return report


def find_transcripts(
    formats: Iterable[TranscriptFormat], home: Path, path_given: Path | None, report: SessionImport
) -> Iterator[Transcript]:
    """Transcripts where the agents keep them, or in a file or folder somebody names."""
    paths_seen: set[Path] = set()
    for transcript_format in formats:
        for path in (
            _list_named_files(path_given, transcript_format)
            if path_given is not None
            else transcript_format.find(home)
        ):
            if path in paths_seen:
                continue
            head = _read_head(transcript_format, path, report)
            if head is not None:
                paths_seen.add(path)
                yield Transcript(path=path, format=transcript_format, head=head)


def read_transcript_events(
    transcript: Transcript, reading: TranscriptPass, folder: str, excluded: Sequence[str] = ()
) -> Iterator[Event]:
    """The events of a transcript, cleaned as a hook would; what cannot be read is counted."""
    withheld: set[str] = set()
    for form in transcript.format.read(transcript.path, reading):
        form.setdefault("folder", folder)
        place = _find_place(as_text(form.get("folder")), transcript.head.folder)
        try:
            cleaned = sanitize_event(form, place, excluded)
            if form.get("call_id") in withheld:  # which file it reads was said when it was called
                empty_event(cleaned)
            event = event_from_json(cleaned)
        except (ValueError, TypeError):
            reading.bad += 1
            continue
        if event.at.tzinfo is None:
            reading.bad += 1
            continue
        if event.call_id and event.data.get("excluded"):
            withheld.add(event.call_id)
        yield event


def _list_named_files(path_given: Path, transcript_format: TranscriptFormat) -> Iterator[Path]:
    if path_given.is_file():
        yield from [path_given] if path_given.suffix in transcript_format.endings else []
        return
    for ending in transcript_format.endings:
        yield from sorted(path_given.rglob(f"*{ending}"))


def _read_head(
    transcript_format: TranscriptFormat, path: Path, report: SessionImport
) -> TranscriptHead | None:
    try:
        return transcript_format.head(path)
    except Exception as error:  # noqa: BLE001 - a reader may be another package's; a file may be anything
        report.failed.append(f"{path}: {type(error).__name__}: {error}")
        return None


def _read_transcript(
    importer: SessionImporter, transcript: Transcript, batch: _ImportBatch, report: SessionImport
) -> None:
    facts = transcript.path.stat()
    state = sessions.find_transcript_state(importer.db, str(transcript.path))
    if state is not None and (state.size, state.modified_at) == (facts.st_size, facts.st_mtime_ns):
        report.unchanged += 1
        return
    # A file that became shorter was written anew.
    reading = TranscriptPass(start=state.read_to if state and state.size <= facts.st_size else 0)
    try:
        events = list(read_transcript_events(transcript, reading, importer.folder, importer.excluded))
    except Exception as error:  # noqa: BLE001 - as above; the other files are still worth reading
        report.failed.append(f"{transcript.path}: {type(error).__name__}: {error}")
        return
    report.files += 1
    report.lines += reading.lines
    report.not_understood += reading.not_understood
    for name, count in reading.unknown.items():
        report.unknown[name] = report.unknown.get(name, 0) + count
    if not transcript.format.verified and transcript.format.name not in report.unverified:
        report.unverified.append(transcript.format.name)
    batch.add(
        events,
        transcript,
        sessions.TranscriptState(size=facts.st_size, modified_at=facts.st_mtime_ns, read_to=reading.read_to),
    )


def _find_place(folder: str, first: str) -> ProjectPaths:
    """The place of a folder; where it is gone, the folder the session began in is the top."""
    if _is_here(folder):
        return paths_of_folder(folder)
    return paths_of_folder(folder, first if first and (folder + "/").startswith(first + "/") else folder)


@lru_cache(maxsize=256)
def _is_here(folder: str) -> bool:
    return is_here(folder)


class _ImportBatch:
    """Events and file states that are stored together."""

    def __init__(self, importer: SessionImporter, report: SessionImport) -> None:
        self._importer = importer
        self._done = report
        self._events: list[Event] = []
        self._files: list[tuple[Transcript, sessions.TranscriptState]] = []
        self.session_ids: dict[str, None] = {}

    def add(self, events: list[Event], transcript: Transcript, state: sessions.TranscriptState) -> None:
        for event in events:
            self.session_ids[event.session_id] = None
        if self._importer.dry_run:
            self._done.events += len(events)
            return
        self._events += KnownEvents(self._importer.db).drop_known(events)
        self._files.append((transcript, state))
        if len(self._events) >= MAX_BATCH_EVENTS or self._importer.learn is not None:
            self.store()

    def store(self) -> None:
        events, files = self._events, self._files
        self._events, self._files = [], []
        if not files:
            return
        for event in events:
            if event.folder:
                self._importer.folders.ensure_project_of(event.folder)
        with self._importer.db.transaction():
            stored = store_events(self._importer.db, events, self._importer.folders)
            self._end_sessions(events)
            for transcript, state in files:
                sessions.save_transcript_state(
                    self._importer.db,
                    str(transcript.path),
                    transcript.format.name,
                    state,
                    transcript.head.session_id,
                )
        self._count(stored)
        if self._importer.learn is not None:
            for session_id in stored.sessions:
                self._importer.learn(session_id)

    def _count(self, stored: StoredEvents) -> None:
        self._done.events += stored.stored
        self._done.known += stored.known

    def _end_sessions(self, events: list[Event]) -> None:
        events_by_session: dict[str, list[Event]] = {}
        for event in events:
            events_by_session.setdefault(event.session_id, []).append(event)
        for session_id, session_events in events_by_session.items():
            first, last = min(event.at for event in session_events), max(event.at for event in session_events)
            parent = self._find_parent(session_id, session_events)
            if self._importer.now - last > _SILENCE_THAT_ENDS or parent:
                over = last if self._importer.now - last > _SILENCE_THAT_ENDS else None
                sessions.save_session(
                    self._importer.db,
                    Session(id=session_id, started_at=first, last_at=last, ended_at=over, parent_id=parent),
                )

    def _find_parent(self, session_id: str, session_events: list[Event]) -> str | None:
        """The session whose events stand at the beginning of this one: a fork or a resumed copy."""
        first = next((event for event in session_events if event.type != "session_started"), None)
        home = event_rows.find_session_of(self._importer.db, first.id) if first else None
        return home if home != session_id else None


_MAX_APART = timedelta(minutes=2)


class KnownEvents:
    """The events of sessions that are stored already."""

    def __init__(self, db: Db) -> None:
        self._db = db

    def drop_known(self, events: list[Event]) -> list[Event]:
        """These events, without those that are stored already under another id."""
        ids = {event.id for event in events}
        known_by_content: dict[Hashable, list[Event]] = defaultdict(list)
        for session_id in dict.fromkeys(event.session_id for event in events):
            if sessions.find_session(self._db, session_id) is None:
                continue
            for known_event in event_rows.list_events(self._db, session_id):
                if known_event.id not in ids:
                    known_by_content[_content_key(known_event)].append(known_event)
        return (
            [event for event in events if not _is_known(known_by_content.get(_content_key(event)), event)]
            if known_by_content
            else events
        )


def _content_key(event: Event) -> Hashable:
    if event.type in (EventType.TOOL_CALLED, EventType.TOOL_FINISHED):
        return event.session_id, event.type, event.agent, event.tool, event.command, event.files
    if event.type in (EventType.SESSION_STARTED, EventType.COMPACTED):
        return event.session_id, event.type
    return event.session_id, event.type, event.agent, event.text


def _is_known(known_events: list[Event] | None, event: Event) -> bool:
    for known_event in known_events or ():
        # Two calls that both have ids are two calls, however alike they are.
        if abs(known_event.at - event.at) <= _MAX_APART and not (known_event.call_id and event.call_id):
            known_events.remove(known_event)  # type: ignore[union-attr]  # there is one, or the loop would not run
            return True
    return False
