"""A session begins or was compacted: the inbox is stored, what is due is learned, and the session gets its brief."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from recollect import config
from recollect.api.wiring import Wiring
from recollect.clients.registry import START_UNHEARD
from recollect.events.event_dict import as_mapping
from recollect.events.inbox import count_waiting_bytes
from recollect.hooks import background
from recollect.hooks.hook_context import HookContext
from recollect.hooks.session_text import BUSY_MILLISECONDS, SessionText
from recollect.model.event import EventType
from recollect.model.kinds import Kinds
from recollect.model.policy import CONSOLIDATE_HOURS, CONSOLIDATED_KEY, SESSION_SILENT_HOURS
from recollect.model.provenance import Channel
from recollect.observe.killed_sessions import end_killed_sessions
from recollect.store.open import open_db
from recollect.store.tables import events, meta, scratchpad, sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.events.event_dict import EventDict
    from recollect.hooks.watchdog import Watchdog
    from recollect.inject.injection import InjectionText

_SILENT = timedelta(hours=SESSION_SILENT_HOURS)
_CONSOLIDATE = timedelta(hours=CONSOLIDATE_HOURS)
# More bytes than this are not stored while an agent waits: it would give up in the middle, every time anew.
_MAX_BYTES_AT_ONCE = 500_000
# After these an agent waits for its person; what it does else, it is in the middle of.
_AT_REST = frozenset({EventType.ASSISTANT_TEXT, EventType.INJECTED})


# Of the time that is left to it, a start waits so much for what an earlier session taught.
_SHARE_WAITED = 0.5


def answer_start(
    act: str, context: HookContext, event: EventDict, watchdog: Watchdog
) -> InjectionText | None:
    """Learn what is due; write the brief, unless the client cannot be told anything at this moment."""
    data = as_mapping(event.get("data"))
    is_unheard = act == START_UNHEARD
    with _open_start(context, lambda: datetime.now(UTC)) as start:
        _learn_due(start, context, watchdog, ends_others=is_unheard and not data.get("parent"))
        if is_unheard:
            return None
        is_compacted = data.get("source") == "compact"
        return start.text.write_after_compaction() if is_compacted else start.text.write_brief()


def answer_first_prompt(context: HookContext, question: str, watchdog: Watchdog) -> InjectionText | None:
    """The first prompt of a client that could not be told its brief; its start may still be under way beside this."""
    with _open_start(context, lambda: datetime.now(UTC)) as start:
        _learn_due(start, context, watchdog, ends_others=not start.is_of_subagent())
        return start.text.write_prompt_answer(question, opening=True)


def _learn_due(start: SessionStart, context: HookContext, watchdog: Watchdog, *, ends_others: bool) -> None:
    """In a process of its own: it may take longer than anybody waits here."""
    start.end_killed()
    if ends_others:
        start.end_others()
    if start.has_server():
        # What the server learned meanwhile is read at the next moment; nobody waits for a line.
        background.start_learning(context.db, context.folder)
    elif start.learning_is_due():
        background.start_learning(context.db, context.folder, wait=watchdog.left() * _SHARE_WAITED)
    elif start.has_vault():
        # What a person wrote there since the last session is taken in; nobody waits for it.
        background.start_learning(context.db, context.folder)


class SessionStart:
    """A session at its start."""

    def __init__(self, wiring: Wiring, context: HookContext) -> None:
        self._wiring = wiring
        self._context = context
        self.text = SessionText(wiring.reading, context, wiring.now)

    def end_others(self) -> None:
        """Where a client tells no end, a session that has come to rest is over when the next one begins."""
        db = self._wiring.db
        for session_id in sessions.list_open_sessions(db, self._wiring.project_id(), self._context.client):
            last = events.find_last_event(db, session_id)
            if session_id != self._context.session_id and last is not None and last.type in _AT_REST:
                sessions.end_session(db, session_id)

    def end_killed(self) -> None:
        """A session whose process is gone is over, whoever failed to say so."""
        end_killed_sessions(self._wiring.db, self._wiring.new_id, but_not=self._context.session_id)

    def is_of_subagent(self) -> bool:
        """Whether it is the session of a subagent."""
        session = sessions.find_session(self._wiring.db, self._context.session_id)
        return session is not None and session.parent_id is not None

    def has_server(self) -> bool:
        """Whether the memories are a server's, and here is a mirror of them."""
        return bool(self._wiring.settings.text("url"))

    def has_vault(self) -> bool:
        """Whether notes are kept in step with memory."""
        return bool(
            self._wiring.settings.text("vault.path") or meta.read_meta(self._wiring.db, meta.VAULT_KEY)
        )

    def learning_is_due(self) -> bool:
        """Whether sessions were not learned from, too much waits to be stored, or consolidation is four hours old."""
        return (
            _waits_much(self._context)
            or bool(scratchpad.list_sessions_to_learn(self._wiring.db, self._wiring.now() - _SILENT, 1))
            or self._consolidation_is_due()
        )

    def _consolidation_is_due(self) -> bool:
        """Not before it ran for the first time, after a session: until then there is nothing to consolidate."""
        last = meta.read_meta(self._wiring.db, f"{CONSOLIDATED_KEY}{self._wiring.project_id() or ''}")
        return last is not None and abs(self._wiring.now() - datetime.fromisoformat(last)) >= _CONSOLIDATE


@contextmanager
def _open_start(context: HookContext, now: Callable[[], datetime]) -> Iterator[SessionStart]:
    """The session of a hook at its start, with what was written down before it, unless that is very much."""
    db = open_db(context.db, now())
    wiring = Wiring(
        db,
        folder=context.folder or None,
        settings=config.load_settings(config.project_folder(Path(context.folder))),
        embedder=None,
        kinds=Kinds(),
        clock=now,
        actor="agent",
        channel=Channel.AGENT,
    )
    try:
        db.wait_at_most(BUSY_MILLISECONDS)
        if not _waits_much(context):
            wiring.drain_inbox()
        yield SessionStart(wiring, context)
    finally:
        wiring.close()


def _waits_much(context: HookContext) -> bool:
    return count_waiting_bytes(context.inbox) > _MAX_BYTES_AT_ONCE
