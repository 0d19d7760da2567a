"""
What an agent said between its calls: read from the client's own transcript when a session is learned from.

Hooks tell what an agent did and how it ended, not what it said on the way, and there stands why something failed. Only
words before a call that a hook recorded are taken: what was said while recording was paused stays unheard.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from recollect.clients.registry import find_client
from recollect.clients.transcript_reader import TranscriptPass
from recollect.model.event import Event, EventType
from recollect.observe.import_sessions import KnownEvents, Transcript, read_transcript_events
from recollect.store.db import Db
from recollect.store.tables import events as event_rows
from recollect.store.tables import sessions

# A hook puts the place of the transcript beside the beginning and the end of a session.
PLACE = "transcript"
# A longer one is no talk any more; reading it would hold up everything else that is to be learned.
MAX_BYTES = 64_000_000
_CALLS = (EventType.TOOL_CALLED, EventType.TOOL_FINISHED)


def add_transcript_words(db: Db, session_id: str, excluded: Sequence[str] = ()) -> int:
    """Store what the agent of a session said on the way and no hook told; how many texts that are."""
    session = sessions.find_session(db, session_id)
    if session is None:
        return 0
    known = event_rows.list_events(db, session_id)
    transcript = _find_transcript(known, session.client, session_id)
    if transcript is None:
        return 0
    heard_calls = {event.call_id for event in known if event.type in _CALLS and event.call_id}
    events = read_transcript_events(transcript, TranscriptPass(), transcript.head.folder, excluded)
    own = (event for event in events if event.session_id == session_id and not event.agent)
    words = KnownEvents(db).drop_known(list(_before_calls(own, heard_calls)))
    ids = event_rows.find_known_ids(db, (event.id for event in words))
    fresh = [event for event in words if event.id not in ids]
    if fresh:
        with db.transaction():
            event_rows.save_events(db, ((event, session.project_id) for event in fresh))
    return len(fresh)


def _find_transcript(known: Sequence[Event], client_name: str, session_id: str) -> Transcript | None:
    """The transcript that the hooks of a session named, if it is there and is that session's."""
    places = [str(event.data[PLACE]) for event in known if event.data.get(PLACE)]
    client = find_client(client_name)
    if not places or client is None:
        return None
    path, transcript_format = Path(places[-1]), client.load_transcript_format()
    if path.suffix not in transcript_format.endings:
        return None
    try:
        if not path.is_file() or path.stat().st_size > MAX_BYTES:
            return None
        head = transcript_format.head(path)
    except OSError:
        return None
    if head is None or head.session_id != session_id:
        return None
    return Transcript(path=path, format=transcript_format, head=head)


def _before_calls(events: Iterable[Event], heard_calls: set[str]) -> Iterator[Event]:
    """Texts that a recorded call followed, before the person or another call came between."""
    waiting: list[Event] = []
    for event in events:
        if event.type is EventType.ASSISTANT_TEXT:
            waiting.append(event)
        elif event.type is EventType.TOOL_CALLED:
            if event.call_id in heard_calls:
                yield from waiting
            waiting = []
        elif event.type is EventType.PROMPT:
            waiting = []
