"""Better words for a note, from the agent that was there: kept beside it, and used when the note becomes a memory."""

from __future__ import annotations

from recollect.capture.clean import clean
from recollect.capture.write_context import Door
from recollect.errors import AmbiguousId, BadInput, NotFound
from recollect.learn.learn_session import notes_of
from recollect.learn.note_texts import sentence_of
from recollect.learn.rephrase import better
from recollect.model.memory import MemoryDraft
from recollect.model.note import Note, NoteOrigin, NoteState
from recollect.model.session import Session
from recollect.model.value import replace
from recollect.store.tables import scratchpad

# What an agent said itself needs no other words; figures and commits speak in their own.
_AS_THEY_ARE = frozenset({NoteOrigin.AGENT, NoteOrigin.COMMIT, NoteOrigin.COST, NoteOrigin.PLAN})
_SETTLED = frozenset({NoteState.PROMOTED, NoteState.DISCARDED})


def reword(door: Door, session: Session, note_id: str, text: str) -> Note:
    """Say what a note of this session means; words that would be true elsewhere, or name other files, are refused."""
    note = _named(notes_of(door, session), note_id)
    if note.origin in _AS_THEY_ARE:
        raise BadInput(reason=f"a note of origin {note.origin} keeps its words")
    if note.state in _SETTLED:
        raise BadInput(reason=f"that note is {note.state}; its words are settled")
    sentence = sentence_of([note])
    words = clean(MemoryDraft(text=text, kind=note.kind, project_id=note.project_id)).draft.text
    if sentence is None or better(sentence, words) != " ".join(words.split()):
        raise BadInput(
            reason="the words must name the note's files, hold something of its error, command or saying, and be short;"
            f" the note says: {note.text}"
        )
    kept = replace(note, facts={**note.facts, "words": words})
    with door.db.transaction():
        scratchpad.put(door.db, kept, session.branch)
    return kept


def _named(notes: list[Note], note_id: str) -> Note:
    found = [note for note in notes if note_id and note.id.startswith(note_id)]
    if not found:
        raise NotFound(what="note of this session", name=note_id)
    if len(found) > 1:
        raise AmbiguousId(prefix=note_id, count=len(found), examples=", ".join(note.id for note in found[:3]))
    return found[0]
