"""What one stage of the work has to hand to the next: memories of the unit at hand that pass the relay's filter."""

from __future__ import annotations

from collections.abc import Iterable

from recollect.model.memory import Memory
from recollect.model.method import Methodology, Relay
from recollect.model.phase import phase_weight
from recollect.model.query import Filters
from recollect.model.trust import Moment, may_speak
from recollect.model.workref import WorkRef
from recollect.store.db import Db
from recollect.store.tables import memories, sessions

MOST = 12
# Without a unit of work the newest sessions stand for it.
_RECENT_SESSIONS = 5
_LOOKED_AT = 300


def handed_on(
    db: Db, method: Methodology, relay: Relay, *, project_id: str | None, work: WorkRef | None
) -> list[Memory]:
    """The memories that go from one stage to the next, those that count most there first."""
    phase = method.phase(relay.target)
    found = [
        memory
        for memory in _at_hand(db, relay, project_id, work)
        if _is_from(memory, method, relay) and may_speak(memory, Moment.BRIEF, phase).allowed
    ]
    found.sort(key=lambda memory: (-phase_weight(phase, memory.kind) * memory.confidence, memory.id))
    return found[:MOST]


def _at_hand(db: Db, relay: Relay, project_id: str | None, work: WorkRef | None) -> Iterable[Memory]:
    filters = Filters(
        kinds=relay.kinds,
        project_id=project_id,
        min_confidence=relay.min_confidence,
        tags=relay.tags,
        fresh=True,
        work=work,
        sessions=() if work else tuple(_recent(db, project_id)),
    )
    if work is None and not filters.sessions:
        return ()
    return memories.listed(db, filters, limit=_LOOKED_AT)


def _recent(db: Db, project_id: str | None) -> list[str]:
    return sessions.newest(db, project_id, every_project=False, limit=_RECENT_SESSIONS)


def _is_from(memory: Memory, method: Methodology, relay: Relay) -> bool:
    """Whether it comes from the stage: tagged with it, made in its phase, or nobody knows when."""
    made_in = memory.provenance.phase
    return relay.source in memory.tags or made_in is None or made_in is method.phase(relay.source)
