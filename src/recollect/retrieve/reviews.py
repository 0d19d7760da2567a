"""Reading for a review: what waits for a person with its evidence, and what a session's agents were told."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.errors import NotFound
from recollect.model.event import Event
from recollect.model.injection import InjectedMemory
from recollect.model.memory import Memory, MemoryState
from recollect.model.query import Filters
from recollect.model.review import ConfirmedMemory, Quote, SessionReview, WaitingMemory, explain_waiting
from recollect.model.trust import find_confirming_rule, origin_of
from recollect.model.value import replace
from recollect.store.db import Db
from recollect.store.tables import events, injections, memories, reviews, scratchpad, sessions

MAX_WAITING = 1000
MAX_OF_A_SESSION = 1000
_NO_LIMIT = 1_000_000_000
QUOTE_LENGTH = 300
States = Sequence[MemoryState]
_WAITING_STATES = (MemoryState.ACTIVE, MemoryState.QUARANTINED, MemoryState.INACTIVE)


def list_waiting(
    db: Db, filters: Filters, *, states: States = (), limit: int = MAX_WAITING
) -> list[WaitingMemory]:
    """What waits for a person and passes a filter, newest first; what a rule confirms does not wait."""
    waiting_memories = reviews.list_waiting(db, _with_states(filters, states), limit)
    return [describe_origin(db, memory) for memory in waiting_memories if _is_waiting(memory)]


def count_waiting(db: Db, filters: Filters) -> int:
    """How many memories `list_waiting` would give if it had no limit."""
    rows = reviews.list_waiting(db, _with_states(filters, ()), _NO_LIMIT)
    return sum(map(_is_waiting, rows))


def review_session(db: Db, session_id: str, filters: Filters, *, states: States = ()) -> SessionReview:
    """What a session used and what it left. `last` is the newest session of the project."""
    name = _resolve_session(db, session_id, filters)
    session_memories = memories.list_memories(
        db, replace(_with_states(filters, states), sessions=(name,)), limit=MAX_OF_A_SESSION
    )
    return SessionReview(
        session_id=name,
        applied=tuple(memory for memory in reviews.list_applied(db, name) if _is_in_project(memory, filters)),
        waiting=tuple(describe_origin(db, memory) for memory in session_memories if _is_waiting(memory)),
        confirmed=tuple(
            ConfirmedMemory(memory=memory, why=find_confirming_rule(memory) or "nothing asks for a review")
            for memory in session_memories
            if not _is_waiting(memory) and memory.state is MemoryState.ACTIVE
        ),
    )


def _with_states(filters: Filters, states: States) -> Filters:
    """In the states that are asked for; who names none means every one in which a memory can wait."""
    chosen_states = states or (filters.states if filters.states != Filters().states else _WAITING_STATES)
    return replace(filters, states=tuple(chosen_states))


def _resolve_session(db: Db, session_id: str, filters: Filters) -> str:
    if session_id == "last":
        newest = sessions.list_newest_sessions(
            db, filters.project_id, every_project=filters.every_project, limit=1
        )
        if not newest:
            raise NotFound("No session is known here yet.")
        return newest[0]
    if sessions.find_session(db, session_id) is None:
        raise NotFound(what="session", name=session_id)
    return session_id


def _is_in_project(memory: Memory, filters: Filters) -> bool:
    return filters.every_project or memory.project_id in (None, filters.project_id)


def _is_waiting(memory: Memory) -> bool:
    if memory.state is MemoryState.ACTIVE:
        return memory.trust.needs_review and not find_confirming_rule(memory)
    return memory.state is MemoryState.QUARANTINED or memory.trust.needs_review


def describe_origin(db: Db, memory: Memory) -> WaitingMemory:
    """Where a memory comes from, with the lines that it rests on."""
    evidence = events.read_events(db, memory.provenance.event_ids)
    return WaitingMemory(
        memory=memory,
        origin=origin_of(memory),
        why=explain_waiting(memory),
        quotes=tuple(_quote_event(event) for event in evidence),
    )


def _quote_event(event: Event) -> Quote:
    text = " ".join((event.output or event.text or event.command).split())
    cut = text if len(text) <= QUOTE_LENGTH else text[: QUOTE_LENGTH - 1] + "…"
    headline = " ".join(filter(None, (event.tool or str(event.type), *event.files[:3])))
    return Quote(event_id=event.id, at=event.at, what=headline, text=cut)


def read_session_injections(db: Db, session_id: str) -> list[InjectedMemory]:
    """Every injection of a session with the text of its memory, as far as that still exists."""
    lines = injections.list_injections(db, session_id)
    if not lines:
        return []
    kind_and_text = {
        memory_id: (memory.kind, memory.text)
        for memory_id, memory in injections.read_memories_by_id(
            db, {line.memory_id for line in lines}
        ).items()
    }
    kind_and_text |= {note.id: (note.kind, note.text) for note in scratchpad.list_notes(db, session_id)}
    return [
        InjectedMemory(injection=line, kind=kind, text=text)
        for line in lines
        for kind, text in [_text_of(kind_and_text, line.memory_id)]
    ]


def _text_of(kind_and_text: dict[str, tuple[str, str]], name: str) -> tuple[str, str]:
    kind, _, path = name.partition(":")
    return kind_and_text.get(name, (kind, path) if path else ("", ""))
