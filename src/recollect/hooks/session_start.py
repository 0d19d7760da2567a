"""A session begins: what hooks have written down is stored, what is over can be learned from, and it is spoken to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

from recollect import config
from recollect.api.wiring import Wiring
from recollect.events.inbox import waiting_bytes
from recollect.hooks.hook_context import Here
from recollect.hooks.session_text import BUSY_MILLISECONDS, Moments
from recollect.model.event import EventType
from recollect.model.kinds import Kinds
from recollect.model.provenance import Channel
from recollect.store.open import open_db
from recollect.store.tables import events, scratchpad, sessions

__all__ = ["SessionStart", "opened"]

# As learn_session has it: of which nothing was heard for so long is over.
_SILENT = timedelta(hours=6)
# More bytes than this are not stored while an agent waits: it would give up in the middle, every time anew.
_MOST_AT_ONCE = 500_000
# After these an agent waits for its person; what it does else, it is in the middle of.
_AT_REST = frozenset({EventType.ASSISTANT_TEXT, EventType.INJECTED})


class SessionStart:
    """A session at its start."""

    def __init__(self, wiring: Wiring, here: Here) -> None:
        self._wiring = wiring
        self._here = here
        self.moments = Moments(wiring.reading, here, wiring.now)

    def end_others(self) -> None:
        """Where a client tells no end, a session that has come to rest is over when the next one begins."""
        db = self._wiring.db
        for session_id in sessions.left_open(db, self._wiring.project_id(), self._here.client):
            last = events.last(db, session_id)
            if session_id != self._here.session_id and last is not None and last.type in _AT_REST:
                sessions.end(db, session_id)

    def is_of_another(self) -> bool:
        """Whether it is the session of a subagent."""
        session = sessions.by_id(self._wiring.db, self._here.session_id)
        return session is not None and session.parent_id is not None

    def learning_is_due(self) -> bool:
        """Whether earlier sessions are over and were not learned from, or too much waits to be stored here."""
        return _is_much(self._here) or bool(
            scratchpad.to_learn(self._wiring.db, self._wiring.now() - _SILENT, 1)
        )


@contextmanager
def opened(here: Here, now: Callable[[], datetime]) -> Iterator[SessionStart]:
    """The session of a hook at its start, with what was written down before it, unless that is very much."""
    db = open_db(here.db, now())
    wiring = Wiring(
        db,
        folder=here.folder or None,
        settings=config.load(config.project_folder(Path(here.folder))),
        embedder=None,
        kinds=Kinds(),
        clock=now,
        actor="agent",
        channel=Channel.AGENT,
    )
    try:
        db.wait_at_most(BUSY_MILLISECONDS)
        if not _is_much(here):
            wiring.take_in_mail_quietly()
        yield SessionStart(wiring, here)
    finally:
        wiring.close()


def _is_much(here: Here) -> bool:
    return waiting_bytes(here.inbox) > _MOST_AT_ONCE
