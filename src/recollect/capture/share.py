"""
Sharing: a memory that is one person's becomes everybody's in its project, or in the organisation.

Where a project wants a second person to agree, it waits in quarantine until somebody else has confirmed it; who rejects
it gives it back. One that says the opposite of what others know waits beside that for a review.
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.capture import find_duplicates, rights
from recollect.capture.settle import wait_beside
from recollect.capture.write_context import Act, WriteContext, begin_act, embed_texts
from recollect.errors import SecondPersonNeeded
from recollect.lifecycle.writing import apply_change
from recollect.model.embedding import Embedding
from recollect.model.memory import Memory, MemoryDraft, MemoryState
from recollect.model.team import ShareRequest, Sharing
from recollect.model.value import replace
from recollect.store.db import Db
from recollect.store.tables import history, memories, memory_writes, team


def share_memory(context: WriteContext, memory_id: str, *, actor: str, why: str = "") -> Memory:
    """Make a memory everybody's, or ask for it, as its project has it."""
    act = begin_act(context, "share", actor, why)
    rights.check_person(act, "share a memory with others")
    text = memories.get_memory(context.db, memory_id).text
    embeddings, _ = embed_texts(context, [text])
    with context.db.transaction():
        old = memories.get_memory(context.db, memory_id)
        if old.owner is None:
            return old
        shared = _beside_conflict(context, old, embeddings[0])
        if find_sharing(context, old) is Sharing.REVIEW:
            request = ShareRequest(memory_id=old.id, person=old.owner, at=act.at, why=act.why)
            team.save_share_request(context.db, request)
            shared = replace(
                shared,
                state=MemoryState.QUARANTINED,
                trust=replace(shared.trust, needs_review=True, verified=False),
            )
        shared = apply_change(context.db, act, old, shared)
        _give_to(context.db, act, old, None)
        return replace(shared, owner=None)


def find_sharing(context: WriteContext, memory: Memory) -> Sharing:
    """How the memory's project, or the organisation, shares."""
    return Sharing(team.read_sharing(context.db, memory.project_id or "") or Sharing.PERSONAL)


def check_second_person(context: WriteContext, memory_ids: Sequence[str], actor: str) -> None:
    """Refuse that whoever would share a memory agrees to it themselves."""
    for memory_id in memory_ids:
        request = team.find_share_request(context.db, memories.complete_id(context.db, memory_id))
        if request is not None and request.person == actor:
            raise SecondPersonNeeded(memory=request.memory_id)


def grant_requests(context: WriteContext, confirmed: Sequence[Memory]) -> None:
    """A second person has agreed: nothing is asked for any more."""
    for memory in confirmed:
        team.delete_share_request(context.db, memory.id)


def return_rejected(db: Db, memory_ids: Sequence[str], act: Act) -> None:
    """
    What somebody would share and another rejected is theirs again, as it was.

    Done on a store that shows everything: who rejects it may not see it from then on, and the database would refuse.
    """
    for memory_id in memory_ids:
        memory = memories.find_memory(db, memories.complete_id(db, memory_id))
        request = team.find_share_request(db, memory.id) if memory else None
        if memory is None or request is None or memory.state is not MemoryState.ARCHIVED:
            continue
        with db.transaction():
            trusted = replace(memory.trust, needs_review=False)
            apply_change(db, act, memory, replace(memory, state=MemoryState.ACTIVE, trust=trusted))
            _give_to(db, act, memory, request.person)
            team.delete_share_request(db, memory.id)


def _beside_conflict(context: WriteContext, memory: Memory, embedding: Embedding | None) -> Memory:
    """The memory, waiting beside what it contradicts, if others know something that it speaks against."""
    if embedding is None:
        return memory
    draft = MemoryDraft(
        text=memory.text, kind=memory.kind, subjects=memory.subjects, project_id=memory.project_id
    )
    num = memories.get_num(context.db, memory.id)
    alike = {
        other: cosine
        for other, cosine in find_duplicates.measure_likeness(context, [embedding]).of(0).items()
        if other != num
    }
    conflict = find_duplicates.find_contradicted(context, draft, alike)
    known = {relation.memory_id for relation in memory.relations}
    if conflict is None or conflict.memory.owner is not None or conflict.memory.id in known:
        return memory
    return wait_beside(memory, conflict)


def _give_to(db: Db, act: Act, memory: Memory, owner: str | None) -> None:
    memory_writes.set_owner(db, memory.id, owner)
    history.record_act(db, act, memory.id, {"owner": memory.owner}, {"owner": owner})
