"""Failures as rows of the scratchpad: written with the session they belong to, kept as long as its notes are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from recollect.learn.lessons.gather import find_failures
from recollect.model.event import Event
from recollect.model.failure import Failure, FailureSource, WayOut
from recollect.model.note import Note, NoteOrigin, NoteState
from recollect.model.session import Session
from recollect.model.step import Steps
from recollect.model.subject import Subject
from recollect.store.db import Db
from recollect.store.tables import scratchpad

KIND = "lesson"
MAX_READ = 1_000


def record_failures(db: Db, session: Session, steps: Steps, events: Sequence[Event]) -> list[Failure]:
    """Keep what failed in a session; written twice it is written once. Inside the caller's transaction."""
    known = {note.id: note for note in scratchpad.list_notes(db, session.id)}
    failures = find_failures(session, steps, events)
    for failure in failures:
        before = known.get(failure.id)
        scratchpad.save_note(db, to_note(failure, before.memory_id if before else None), session.branch)
    return failures


def list_failures(db: Db, project_id: str | None, since: datetime, limit: int = MAX_READ) -> list[Failure]:
    """The newest failures of a project since a moment, the oldest first."""
    notes = scratchpad.list_notes_of_origin(db, project_id, NoteOrigin.FAILURE, since, limit)
    return [from_note(note) for note in reversed(notes)]


def list_failures_of_lesson(db: Db, lesson_id: str) -> list[Failure]:
    """The failures that a lesson was made of, the oldest first."""
    notes = scratchpad.list_notes_of_memory(db, lesson_id)
    return [from_note(note) for note in notes if note.origin is NoteOrigin.FAILURE]


def tie_to_lesson(db: Db, failures: Iterable[Failure], lesson_id: str, why: str) -> None:
    """Say which lesson these failures became."""
    for failure in failures:
        scratchpad.judge_note(db, failure.id, NoteState.PROMOTED, why, lesson_id)


def to_note(failure: Failure, lesson_id: str | None = None) -> Note:
    """A failure as a note of its session."""
    way_out = failure.way_out
    return Note(
        id=failure.id,
        session_id=failure.session_id,
        at=failure.at,
        origin=NoteOrigin.FAILURE,
        kind=KIND,
        text=failure.what,
        keys=(f"failure:{failure.source}:{failure.key}",) if failure.key else (),
        count=failure.count,
        project_id=failure.project_id,
        step=failure.step,
        subjects=tuple(Subject("file", file) for file in failure.files),
        facts={
            "source": str(failure.source),
            "where": failure.where,
            "key": failure.key,
            "acts": failure.acts,
            "commands": way_out.commands,
            "files": way_out.files,
            "words": way_out.words,
        },
        # That it failed is a fact; nothing has to prove it.
        state=NoteState.PROMOTED if lesson_id else NoteState.VALIDATED,
        event_ids=failure.event_ids,
        memory_id=lesson_id,
    )


def from_note(note: Note) -> Failure:
    """A failure as its note has it."""
    facts = note.facts
    return Failure(
        id=note.id,
        session_id=note.session_id,
        at=note.at,
        source=FailureSource(facts["source"]),
        what=note.text,
        where=facts["where"],
        key=facts["key"],
        step=note.step,
        acts=tuple(facts["acts"]),
        files=note.files,
        way_out=WayOut(
            commands=tuple(facts["commands"]), files=tuple(facts["files"]), words=str(facts["words"])
        ),
        count=note.count,
        project_id=note.project_id,
        event_ids=note.event_ids,
        lesson_id=note.memory_id,
    )
