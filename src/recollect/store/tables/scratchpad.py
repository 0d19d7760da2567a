"""The scratchpad: notes, how far each session was learned from, and the trails of work that passed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime

from recollect.model.note import Note, NoteOrigin, NoteState
from recollect.model.signal import SequencePart, Trail
from recollect.model.subject import parse_subject
from recollect.store.db import Db, Row
from recollect.store.tables.row_values import from_micros, json_list, to_micros


def save_note(db: Db, note: Note, branch: str = "") -> None:
    """Keep a note as it is now; where several people share a store, it is its session's person's."""
    if db.viewer is not None:
        at = to_micros(note.at)
        db.run("session_seen", id=note.session_id, project_id=note.project_id, at=at, owner=db.viewer.person)
    db.run("note_put", **_note_to_row(note, branch))
    db.run_many("note_key_put", ({"key": key, "note_id": note.id} for key in note.keys))


def judge_note(db: Db, note_id: str, state: NoteState, why: str, memory_id: str | None = None) -> None:
    """Say what has become of a note."""
    db.run("note_judged", id=note_id, state=str(state), why=why, memory_id=memory_id)


def list_notes(db: Db, session_id: str) -> list[Note]:
    """The scratchpad of one session, in the order it was written."""
    return _notes_from_rows(db, db.rows("scratchpad_of_session", session_id=session_id))


def find_notes_with_keys(db: Db, project_id: str | None, keys: Iterable[str]) -> list[Note]:
    """Every note of a project about one of these things that was not discarded, the oldest first."""
    return _notes_from_rows(db, db.rows("notes_with_keys", project_id=project_id, keys=json_list(keys)))


def list_notes_of_origin(
    db: Db, project_id: str | None, origin: NoteOrigin, since: datetime, limit: int
) -> list[Note]:
    """The newest notes of one origin in a project since a moment, the newest first."""
    rows = db.rows(
        "notes_of_origin", project_id=project_id, origin=str(origin), since=to_micros(since), limit=limit
    )
    return _notes_from_rows(db, rows)


def list_notes_of_memory(db: Db, memory_id: str) -> list[Note]:
    """The notes that a memory came from, the oldest first."""
    return _notes_from_rows(db, db.rows("notes_of_memory", memory_id=memory_id))


def delete_old_notes(db: Db, before: datetime, limit: int) -> int:
    """Remove notes older than this; how many."""
    old = [row["id"] for row in db.rows("notes_old", before=to_micros(before), limit=limit)]
    db.run_many("note_delete", ({"id": note_id} for note_id in old))
    return len(old)


def read_learned_until(db: Db, session_id: str) -> datetime | None:
    """How far a session was learned from."""
    row = db.row("session_learned_to", id=session_id)
    return from_micros(row["learned_to"]) if row and row["learned_to"] is not None else None


def mark_learned(db: Db, session_id: str, to: datetime, outcome: str) -> None:
    """A session was learned from, up to this moment."""
    db.run("session_learned", id=session_id, learned_to=to_micros(to), outcome=outcome)


def list_sessions_to_learn(db: Db, silent_since: datetime, limit: int) -> list[str]:
    """The sessions that are over, or silent since then, and not yet learned from to their end; the oldest first."""
    return [
        row["id"] for row in db.rows("sessions_to_learn", silent_since=to_micros(silent_since), limit=limit)
    ]


def _note_to_row(note: Note, branch: str) -> dict[str, object]:
    return {
        "id": note.id,
        "project_id": note.project_id,
        "session_id": note.session_id,
        "agent": note.agent,
        "at": to_micros(note.at),
        "step": note.step,
        "origin": str(note.origin),
        "kind": note.kind,
        "text": note.text,
        "count": note.count,
        "work": note.work,
        "branch": branch,
        "subjects": json_list(note.subjects),
        "facts": json.dumps(dict(note.facts), ensure_ascii=False, separators=(",", ":")),
        "state": str(note.state),
        "why": note.why,
        "event_ids": json_list(note.event_ids),
        "commit_sha": note.commit_sha,
        "memory_id": note.memory_id,
    }


def _notes_from_rows(db: Db, rows: list[Row]) -> list[Note]:
    keys: dict[str, list[str]] = {}
    for row in db.rows("note_keys", ids=json_list(row["id"] for row in rows)) if rows else ():
        keys.setdefault(row["note_id"], []).append(row["key"])
    return [note_from_row(row, tuple(keys.get(row["id"], ()))) for row in rows]


def note_from_row(row: Row, keys: tuple[str, ...] = ()) -> Note:
    """A note as its row has it."""
    return Note(
        id=row["id"],
        project_id=row["project_id"],
        session_id=row["session_id"],
        agent=row["agent"],
        at=from_micros(row["at"]),
        step=row["step"],
        origin=NoteOrigin(row["origin"]),
        kind=row["kind"],
        text=row["text"],
        keys=keys,
        count=row["count"],
        work=row["work"],
        subjects=tuple(parse_subject(subject) for subject in json.loads(row["subjects"])),
        facts=json.loads(row["facts"]),
        state=NoteState(row["state"]),
        why=row["why"],
        event_ids=tuple(json.loads(row["event_ids"])),
        commit_sha=row["commit_sha"],
        memory_id=row["memory_id"],
    )


def save_trail(db: Db, trail: Trail) -> None:
    """Keep a trail as it is now."""
    parts = [[part.action, part.where, part.exact, part.event_id] for part in trail.parts]
    db.run(
        "trail_put",
        session_id=trail.session_id,
        work=trail.work,
        project_id=trail.project_id,
        at=to_micros(trail.at),
        task=trail.task,
        parts=json.dumps(parts, ensure_ascii=False, separators=(",", ":")),
    )


def list_trails(db: Db, project_id: str | None, since: datetime, until: datetime, limit: int) -> list[Trail]:
    """The newest trails of a project between two moments, the newest first."""
    rows = db.rows(
        "trails_between",
        project_id=project_id,
        since=to_micros(since),
        until=to_micros(until),
        limit=limit,
    )
    return [_trail_from_row(row) for row in rows]


def delete_old_trails(db: Db, before: datetime, limit: int) -> int:
    """Remove trails older than this; how many."""
    return db.run("trails_drop", before=to_micros(before), limit=limit)


def _trail_from_row(row: Row) -> Trail:
    return Trail(
        session_id=row["session_id"],
        work=row["work"],
        project_id=row["project_id"],
        at=from_micros(row["at"]),
        task=row["task"],
        parts=tuple(
            SequencePart(action=action, where=where, exact=exact, event_id=event_id)
            for action, where, exact, event_id in json.loads(row["parts"])
        ),
    )
