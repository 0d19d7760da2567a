"""What an end-to-end test saw of the interface, where a later session sees something else at the same place."""

from __future__ import annotations

from recollect.capture.write_context import Act, WriteContext
from recollect.learn.inference import e2e_key
from recollect.lifecycle.confidence import adjust_confidence
from recollect.model.memory import MemoryState
from recollect.model.note import Note
from recollect.model.observation import E2EClass
from recollect.store.tables import memories, scratchpad

E2E_CONTRADICTED = 0.2


def lower_contradicted(
    door: WriteContext, act: Act, session_id: str, project_id: str | None, seen: Note
) -> None:
    """Make what was seen before less sure, once, however many sessions had seen it."""
    others = [key for key in _list_other_classes(seen) if key not in seen.keys]
    earlier = scratchpad.find_notes_with_keys(door.db, project_id, others)
    for memory_id in dict.fromkeys(note.memory_id for note in earlier if note.session_id != session_id):
        memory = memories.find_memory(door.db, memory_id) if memory_id else None
        if memory and memory.state is MemoryState.ACTIVE:
            confidence = memory.confidence - E2E_CONTRADICTED
            why = "a later session saw it otherwise"
            adjust_confidence(door.db, memory, confidence, act_id=act.id, at=act.at, actor=act.actor, why=why)


def _list_other_classes(seen: Note) -> list[str]:
    facts = seen.facts
    if not (facts["about"] or facts["page"]):
        return []
    return [e2e_key(one, facts["act"], facts["about"], facts["page"]) for one in E2EClass]
