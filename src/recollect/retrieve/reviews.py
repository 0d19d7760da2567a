"""Reading what waits for a person, with the evidence for it."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.errors import NotFound
from recollect.model.event import Event
from recollect.model.memory import Memory, MemoryState
from recollect.model.query import Filters
from recollect.model.review import Confirmed, Quote, SessionReview, Waiting, why_waiting
from recollect.model.trust import confirmed_by_rule, origin_of
from recollect.model.value import replace
from recollect.store.db import Db
from recollect.store.tables import events, memories, reviews, sessions

MOST_WAITING = 1000
MOST_OF_A_SESSION = 1000
QUOTE_LENGTH = 300
States = Sequence[MemoryState]
_WAITING_STATES = (MemoryState.ACTIVE, MemoryState.QUARANTINED, MemoryState.INACTIVE)


def pending(db: Db, filters: Filters, *, states: States = (), limit: int = MOST_WAITING) -> list[Waiting]:
    """What waits for a person and passes a filter, newest first; what a rule confirms does not wait."""
    found = reviews.waiting(db, _in_states(filters, states), limit)
    return [_waiting(db, memory) for memory in found if _waits(memory)]


def of_session(db: Db, session_id: str, filters: Filters, *, states: States = ()) -> SessionReview:
    """What a session used and what it left. `last` is the newest session of the project."""
    name = _session_named(db, session_id, filters)
    left = memories.listed(
        db, replace(_in_states(filters, states), sessions=(name,)), limit=MOST_OF_A_SESSION
    )
    return SessionReview(
        session_id=name,
        applied=tuple(memory for memory in reviews.applied(db, name) if _is_here(memory, filters)),
        waiting=tuple(_waiting(db, memory) for memory in left if _waits(memory)),
        confirmed=tuple(
            Confirmed(memory=memory, why=confirmed_by_rule(memory) or "nothing asks for a review")
            for memory in left
            if not _waits(memory) and memory.state is MemoryState.ACTIVE
        ),
    )


def _in_states(filters: Filters, states: States) -> Filters:
    """In the states that are asked for; who names none means every one in which a memory can wait."""
    named = states or (filters.states if filters.states != Filters().states else _WAITING_STATES)
    return replace(filters, states=tuple(named))


def _session_named(db: Db, session_id: str, filters: Filters) -> str:
    if session_id == "last":
        newest = sessions.newest(db, filters.project_id, every_project=filters.every_project, limit=1)
        if not newest:
            raise NotFound("No session is known here yet.")
        return newest[0]
    if sessions.by_id(db, session_id) is None:
        raise NotFound(what="session", name=session_id)
    return session_id


def _is_here(memory: Memory, filters: Filters) -> bool:
    return filters.every_project or memory.project_id in (None, filters.project_id)


def _waits(memory: Memory) -> bool:
    if memory.state is MemoryState.ACTIVE:
        return memory.trust.needs_review and not confirmed_by_rule(memory)
    return memory.state is MemoryState.QUARANTINED or memory.trust.needs_review


def _waiting(db: Db, memory: Memory) -> Waiting:
    found = events.by_ids(db, memory.provenance.event_ids)
    return Waiting(
        memory=memory,
        origin=origin_of(memory),
        why=why_waiting(memory),
        quotes=tuple(_quote(event) for event in found),
    )


def _quote(event: Event) -> Quote:
    text = " ".join((event.output or event.text or event.command).split())
    cut = text if len(text) <= QUOTE_LENGTH else text[: QUOTE_LENGTH - 1] + "…"
    what = " ".join(filter(None, (event.tool or str(event.type), *event.files[:3])))
    return Quote(event_id=event.id, at=event.at, what=what, text=cut)
