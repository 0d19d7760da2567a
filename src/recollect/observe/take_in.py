"""Events into the store, each once, and the sessions they belong to kept up to date: one transaction a batch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from recollect.events.event_dict import tool_event_id
from recollect.model.event import Event, EventType
from recollect.model.session import Session
from recollect.model.value import dataclass, replace
from recollect.observe.folders import Folders
from recollect.observe.usage import update_ledger
from recollect.store.db import Db
from recollect.store.tables import events as event_rows
from recollect.store.tables import read_statements, sessions

_SENTENCES = frozenset({"statements", "written"})
_STATED = _SENTENCES | {"unseen", "excluded"}


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredEvents:
    """What a batch brought."""

    stored: int = 0
    # Stored before, by a hook, an earlier import or a reader that died.
    known: int = 0
    # Of a type this version has no name for; kept as they came.
    unknown: int = 0
    sessions: tuple[str, ...] = ()

    def __add__(self, other: StoredEvents) -> StoredEvents:
        return StoredEvents(
            stored=self.stored + other.stored,
            known=self.known + other.known,
            unknown=self.unknown + other.unknown,
            sessions=tuple(dict.fromkeys((*self.sessions, *other.sessions))),
        )


def store_events(db: Db, events: Sequence[Event], folders: Folders) -> StoredEvents:
    """Store what is new of a batch."""
    if not events:
        return StoredEvents()
    # Asked before the transaction: git may have to walk a history, and nobody should wait for that.
    homes = {event.folder: folders.ensure_project_of(event.folder) for event in events if event.folder}
    with db.transaction():
        known = event_rows.find_known_ids(db, (event.id for event in events))
        fresh = _fresh(db, events, known)
        event_rows.save_events(db, ((_without_statements(event), homes.get(event.folder)) for event in fresh))
        read_statements.save_statements(
            db, ((event, homes.get(event.folder)) for event in fresh if _STATED & event.data.keys())
        )
        for session in _sessions(db, fresh, homes, folders):
            sessions.save_session(db, session)
        update_ledger(db, fresh)
    return StoredEvents(
        stored=len(fresh),
        known=len(events) - len(fresh),
        unknown=sum(event.type is EventType.UNKNOWN for event in fresh),
        sessions=tuple(dict.fromkeys(event.session_id for event in fresh)),
    )


def _without_statements(event: Event) -> Event:
    """What was read is kept once for all events that read it."""
    if _SENTENCES.isdisjoint(event.data):
        return event
    return replace(event, data={name: event.data[name] for name in event.data if name not in _SENTENCES})


def _fresh(db: Db, events: Sequence[Event], known: set[str]) -> list[Event]:
    fresh = {event.id: event for event in reversed(events) if event.id not in known}
    # A second witness of how calls ended is heard only when the first is silent.
    first = {event.id: _first_witness(event) for event in fresh.values() if event.data.get("batch")}
    if first:
        spoken = event_rows.find_known_ids(db, first.values()) | fresh.keys()
        for witness, spoken_by in first.items():
            if spoken_by in spoken:
                del fresh[witness]
    return [event for event in events if fresh.get(event.id) is event]


def _first_witness(event: Event) -> str:
    return tool_event_id("tool_finished", event.client, event.session_id, event.call_id)


def _sessions(
    db: Db, events: Iterable[Event], homes: dict[str, str | None], folders: Folders
) -> Iterable[Session]:
    by_session: dict[str, list[Event]] = {}
    for event in events:
        by_session.setdefault(event.session_id, []).append(event)
    for session_id, own_events in by_session.items():
        earlier = sessions.find_session(db, session_id)
        yield _session(session_id, own_events, earlier, homes, folders)


def _session(
    session_id: str,
    events: list[Event],
    earlier: Session | None,
    homes: dict[str, str | None],
    folders: Folders,
) -> Session:
    ended = max((event.at for event in events if event.type is EventType.SESSION_ENDED), default=None)
    tokens = sum(_tokens(event) for event in events)
    home = next((homes[event.folder] for event in events if homes.get(event.folder)), None)
    return Session(
        id=session_id,
        started_at=min(event.at for event in events),
        last_at=max(event.at for event in events),
        # Where it began is where it belongs, wherever the agent went afterwards.
        project_id=None if earlier and earlier.project_id else home,
        client=next((event.client for event in events if event.client), ""),
        branch=_branch(events, earlier, folders),
        work=_said_last(events, "work"),
        phase=_said_last(events, "phase"),
        outcome=_said_last(events, "outcome"),
        tokens=(earlier.tokens if earlier else 0) + tokens,
        parent_id=_said_last(events, "parent") or None,
        ended_at=ended,
    )


def _branch(events: list[Event], earlier: Session | None, folders: Folders) -> str:
    if branch := _said_last(events, "branch"):
        return branch
    if earlier and earlier.branch:
        return ""
    # Only while it is young: later, another branch may be checked out.
    started = next((event for event in events if event.type is EventType.SESSION_STARTED), None)
    return folders.branch_of(started.folder) if started else ""


def _said_last(events: list[Event], name: str) -> str:
    return next((event.data[name] for event in reversed(events) if isinstance(event.data.get(name), str)), "")


def _tokens(event: Event) -> int:
    tokens = event.data.get("tokens")
    return tokens if isinstance(tokens, int) else 0
