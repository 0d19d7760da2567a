"""Reading the ledger: what the agents of a session were told, in words."""

from __future__ import annotations

from recollect.model.injection import Told
from recollect.store.db import Db
from recollect.store.tables import injections, scratchpad


def in_session(db: Db, session_id: str) -> list[Told]:
    """Every line of a session's ledger with what was said there, as far as it is still kept."""
    lines = injections.of_session(db, session_id)
    if not lines:
        return []
    said = {
        memory_id: (memory.kind, memory.text)
        for memory_id, memory in injections.memories_named(db, {line.memory_id for line in lines}).items()
    }
    said |= {note.id: (note.kind, note.text) for note in scratchpad.of_session(db, session_id)}
    return [
        Told(injection=line, kind=kind, text=text)
        for line in lines
        for kind, text in [_said(said, line.memory_id)]
    ]


def _said(said: dict[str, tuple[str, str]], name: str) -> tuple[str, str]:
    kind, _, path = name.partition(":")
    return said.get(name, (kind, path) if path else ("", ""))
