"""Something known was said or seen again."""

from __future__ import annotations

from datetime import timedelta

from recollect.lifecycle.propagate import propagate
from recollect.lifecycle.writing import applied
from recollect.model.ageing import reinforced, restarted
from recollect.model.history import Act
from recollect.model.memory import Memory, MemoryDraft, MemoryState
from recollect.model.provenance import Channel
from recollect.model.value import replace
from recollect.store.db import Db

# So many sessions are named; that it was more than this hardly matters.
MOST_SESSIONS = 64
# Said outside any session, it counts once a day.
_DAY = timedelta(days=1)
# Who only hands on what others wrote does not make it any truer.
_HANDED_ON = frozenset({Channel.READ, Channel.VAULT_EXTERNAL, Channel.IMPORT, Channel.PLUGIN})


def said_again(db: Db, act: Act, known: Memory, draft: MemoryDraft) -> Memory:
    """A known memory, surer if subject, kind and text agree, this session is another one and the voice may do so."""
    voice = draft.provenance
    if not _counts(known, draft, act):
        return known
    confidence = max(known.confidence, min(reinforced(known.confidence), ceiling(known, voice.channel)))
    sessions = known.sessions
    if voice.session_id and voice.session_id not in sessions:
        sessions = (*sessions, voice.session_id)[-MOST_SESSIONS:]
    where = f"said again in session {voice.session_id}" if voice.session_id else "said again"
    again = replace(act, action="reinforce", why=where)
    new = applied(
        db, again, known, restarted(replace(known, confidence=confidence, sessions=sessions), act.at)
    )
    propagate(db, again, known, new)
    return new


def ceiling(known: Memory, channel: Channel) -> float:
    """How sure a memory may become by this voice; the one place to ask."""
    return known.confidence if channel in _HANDED_ON else 1.0


def _counts(known: Memory, draft: MemoryDraft, act: Act) -> bool:
    if known.state is not MemoryState.ACTIVE or not _same_subjects(known, draft):
        return False
    session = draft.provenance.session_id
    if session is None:
        return act.at - (known.reinforced_at or known.created_at) >= _DAY
    return session != known.provenance.session_id and session not in known.sessions


def _same_subjects(known: Memory, draft: MemoryDraft) -> bool:
    return bool(set(known.subjects) & set(draft.subjects)) or not (known.subjects or draft.subjects)
