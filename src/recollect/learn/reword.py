"""Rewording a note: better words from the agent that was there, used when the note becomes a memory."""

from __future__ import annotations

from recollect.capture.clean import clean_draft
from recollect.capture.write_context import WriteContext
from recollect.errors import AmbiguousId, BadInput, NotFound
from recollect.learn.learn_session import list_session_notes
from recollect.learn.note_texts import write_sentence
from recollect.learn.rephrase import choose_words
from recollect.model.memory import MemoryDraft
from recollect.model.note import Note, NoteOrigin, NoteState
from recollect.model.session import Session
from recollect.model.value import replace
from recollect.store.tables import scratchpad

# What an agent said itself needs no other words; figures and commits speak in their own.
_FIXED_ORIGINS = frozenset({NoteOrigin.AGENT, NoteOrigin.COMMIT, NoteOrigin.COST, NoteOrigin.PLAN})
_SETTLED_STATES = frozenset({NoteState.PROMOTED, NoteState.DISCARDED})


def reword_note(context: WriteContext, session: Session, note_id: str, text: str) -> Note:
    """Say what a note of this session means; words that would be true elsewhere, or name other files, are refused."""
    note = _find_note(list_session_notes(context, session), note_id)
    if note.origin in _FIXED_ORIGINS:
        raise BadInput(reason=f"a note of origin {note.origin} keeps its words")
    if note.state in _SETTLED_STATES:
        raise BadInput(reason=f"that note is {note.state}; its words are settled")
    sentence = write_sentence([note])
    words = clean_draft(MemoryDraft(text=text, kind=note.kind, project_id=note.project_id)).draft.text
    if sentence is None or choose_words(sentence, words) != " ".join(words.split()):
        raise BadInput(
            reason="the words must name the note's files, hold something of its error, command or saying, and be short;"
            f" the note says: {note.text}"
        )
    reworded = replace(note, facts={**note.facts, "words": words})
    with context.db.transaction():
        scratchpad.save_note(context.db, reworded, session.branch)
    return reworded


def _find_note(notes: list[Note], note_id: str) -> Note:
    matching = [note for note in notes if note_id and note.id.startswith(note_id)]
    if not matching:
        raise NotFound(what="note of this session", name=note_id)
    if len(matching) > 1:
        raise AmbiguousId(
            prefix=note_id, count=len(matching), examples=", ".join(note.id for note in matching[:3])
        )
    return matching[0]
