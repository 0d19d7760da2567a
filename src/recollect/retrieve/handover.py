"""Handover between stages of work: the memories one stage passes to the next, and the open states of the work."""

from __future__ import annotations

from collections.abc import Iterable

from recollect.model.memory import Memory
from recollect.model.method import Methodology, Relay
from recollect.model.phase import phase_weight
from recollect.model.query import Filters
from recollect.model.scope import WorkRef
from recollect.model.trust import Moment, may_speak
from recollect.store.db import Db
from recollect.store.tables import memories, sessions

MAX_HANDED_ON = 12
# Without a unit of work the newest sessions stand for it.
_RECENT_SESSIONS = 5
_MAX_READ = 300


def select_handover(
    db: Db, method: Methodology, relay: Relay, *, project_id: str | None, work: WorkRef | None
) -> list[Memory]:
    """The memories that go from one stage to the next, those that count most there first."""
    phase = method.phase(relay.target)
    handed_on = [
        memory
        for memory in _list_from_stage(db, relay, project_id, work)
        if _is_from(memory, method, relay) and may_speak(memory, Moment.BRIEF, phase).allowed
    ]
    handed_on.sort(key=lambda memory: (-phase_weight(phase, memory.kind) * memory.confidence, memory.id))
    return handed_on[:MAX_HANDED_ON]


def _list_from_stage(db: Db, relay: Relay, project_id: str | None, work: WorkRef | None) -> Iterable[Memory]:
    filters = Filters(
        kinds=relay.kinds,
        project_id=project_id,
        min_confidence=relay.min_confidence,
        tags=relay.tags,
        fresh=True,
        work=work,
        sessions=() if work else tuple(_list_recent_sessions(db, project_id)),
    )
    if work is None and not filters.sessions:
        return ()
    return memories.list_memories(db, filters, limit=_MAX_READ)


def _list_recent_sessions(db: Db, project_id: str | None) -> list[str]:
    return sessions.list_newest_sessions(db, project_id, every_project=False, limit=_RECENT_SESSIONS)


def _is_from(memory: Memory, method: Methodology, relay: Relay) -> bool:
    """Whether it comes from the stage: tagged with it, made in its phase, or nobody knows when."""
    made_in = memory.provenance.phase
    return relay.source in memory.tags or made_in is None or made_in is method.phase(relay.source)


_MAX_STATES = 200


def list_work_states(db: Db, project_id: str | None, *, work: WorkRef | None, branch: str) -> list[Memory]:
    """What is open here, the newest first; once a unit is finished its state goes out of use by itself."""
    filters = Filters(kinds=("work_state",), project_id=project_id, fresh=True)
    states = memories.list_memories(db, filters, limit=_MAX_STATES)
    return [memory for memory in states if _is_of_unit(memory, work, branch)]


def _is_of_unit(memory: Memory, work: WorkRef | None, branch: str) -> bool:
    if work and memory.work:
        return memory.work.methodology == work.methodology and memory.work.hierarchy[
            : len(work.hierarchy)
        ] == (work.hierarchy)
    return bool(branch) and memory.fields.get("branch") == branch
