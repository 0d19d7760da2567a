"""The scratchpad of a session: what its agent noted, and what can be seen in its steps so far."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from recollect.capture.clean import clean_draft
from recollect.errors import BadInput
from recollect.learn.findings import RuleFinding
from recollect.learn.note_texts import write_sentence
from recollect.model.memory import MemoryDraft
from recollect.model.normal_form import normal_form, text_hash
from recollect.model.note import Note, NoteOrigin, NoteState
from recollect.model.session import Session
from recollect.model.subject import Subject
from recollect.model.value import replace
from recollect.store.db import Db
from recollect.store.tables import scratchpad, sessions

NOT_YET = "it has been seen; nothing is said of it yet"


def write_note(
    db: Db,
    session_id: str,
    draft: MemoryDraft,
    *,
    at: datetime,
    step: int = 0,
    agent: str = "",
    work: str = "",
    origin: NoteOrigin = NoteOrigin.AGENT,
    fields: Mapping[str, Any] | None = None,
    event_ids: Iterable[str] = (),
) -> Note:
    """Keep what an agent noted, at once and cleaned like any memory; the same words again are the same note."""
    session = sessions.find_session(db, session_id)
    if session is None and not session_id.strip():
        raise BadInput(reason="a note belongs to a session; give its id")
    cleaned = clean_draft(draft).draft
    key = f"said:{cleaned.kind}:{text_hash(normal_form(cleaned.text))}"
    note = Note(
        id=make_note_id(session_id, (key,)),
        session_id=session_id,
        at=at,
        origin=origin,
        kind=cleaned.kind,
        text=cleaned.text,
        keys=(key,),
        project_id=session.project_id if session and session.project_id else cleaned.project_id,
        agent=agent,
        step=step,
        work=work or (session.work if session else ""),
        subjects=cleaned.subjects,
        facts={"fields": {**cleaned.fields, **(fields or {})}},
        event_ids=tuple(event_ids),
    )
    with db.transaction():
        if not any(known.id == note.id for known in scratchpad.list_notes(db, session_id)):
            scratchpad.save_note(db, note, session.branch if session else "")
    return note


def make_note_id(session_id: str, keys: Iterable[str]) -> str:
    """One id for one thing in one session: written twice, it is written once."""
    return text_hash("\x1f".join((session_id, *sorted(keys))))


def to_note(seen: RuleFinding, session: Session, work: str, at: datetime) -> Note:
    """What a rule saw, as a note of its session."""
    note = Note(
        id=make_note_id(session.id, seen.keys),
        session_id=session.id,
        at=at,
        origin=seen.origin,
        kind=seen.kind,
        text=NOT_YET,
        keys=seen.keys,
        count=seen.count,
        project_id=session.project_id,
        step=seen.step,
        work=work,
        subjects=tuple(Subject("file", file) for file in seen.files),
        facts=seen.facts,
        event_ids=seen.event_ids,
        commit_sha=seen.commit_sha,
        state=NoteState.OPEN,
    )
    if seen.origin is NoteOrigin.COMMIT:
        return replace(note, text=f"Committed: {seen.facts['subject'] or seen.commit_sha}")
    sentence = write_sentence([note])
    return replace(note, text=sentence.text) if sentence else note


def merge_notes(notes: Iterable[Note]) -> list[Note]:
    """Notes of one session about the very same thing as one, counted."""
    by_id: dict[str, Note] = {}
    for note in notes:
        known = by_id.get(note.id)
        if known is None:
            by_id[note.id] = note
        else:
            event_ids = tuple(dict.fromkeys((*known.event_ids, *note.event_ids)))
            by_id[note.id] = replace(note, count=known.count + note.count, event_ids=event_ids)
    return list(by_id.values())
