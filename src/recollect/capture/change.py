"""Changing what is remembered: edit, pin, forget, purge, and taking any of it back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from recollect.capture import rights, trust
from recollect.capture.clean import clean
from recollect.capture.intake import check_relations
from recollect.capture.write_context import Act, Door, begin
from recollect.errors import NothingToUndo
from recollect.lifecycle.writing import applied, remove
from recollect.model.ageing import restarted
from recollect.model.embedding import Embedding
from recollect.model.history import Change
from recollect.model.json_form import with_changes
from recollect.model.kinds import checked_fields
from recollect.model.memory import Memory, MemoryDraft, MemoryState, citation_of
from recollect.model.value import dataclass, replace
from recollect.store.safety import snapshots
from recollect.store.search import vectors
from recollect.store.tables import history, memories, projects

# What the model made of texts, by text.
Ready = dict[str, Embedding]


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    """What was taken back: the action, who had done it, and the memories as they are now."""

    action: str
    actor: str
    memories: tuple[Memory, ...]


def edit(
    door: Door,
    memory_id: str,
    changes: Mapping[str, Any],
    *,
    actor: str,
    why: str = "",
    action: str = "edit",
) -> Memory:
    """Change parts of a memory, given in their JSON form; the new words go through the same cleaning."""
    act = begin(door, action, actor, why)
    new = _cleaned(door, memories.get(door.db, memory_id), changes)
    ready = _embedded(door, [new.text] if "text" in changes else [])
    with door.db.transaction():
        old = memories.get(door.db, memory_id)
        new = _cleaned(door, old, _looked_at(act, old, changes))
        return changed(door, act, old, restarted(new, act.at) if "confidence" in changes else new, ready)


def set_state(
    door: Door, memory_ids: Sequence[str], state: MemoryState, *, action: str, actor: str, why: str = ""
) -> list[Memory]:
    """Move memories to a state, all in one act: `forget` archives them."""
    act = begin(door, action, actor, why)
    with door.db.transaction():
        olds = [memories.get(door.db, memory_id) for memory_id in memory_ids]
        return [changed(door, act, old, replace(old, state=state)) for old in olds]


def pin(door: Door, memory_id: str, *, pinned: bool, actor: str) -> Memory:
    """Keep a memory from ageing, or let it age again."""
    act = begin(door, "pin" if pinned else "unpin", actor)
    with door.db.transaction():
        old = memories.get(door.db, memory_id)
        if old.pinned == pinned:
            return old
        # What was kept from ageing does not age for all that time when it is let go.
        return changed(door, act, old, restarted(replace(old, pinned=pinned), act.at))


def changed(door: Door, act: Act, old: Memory, new: Memory, ready: Ready | None = None) -> Memory:
    """Make a memory what somebody wants it to be, if they may; inside a transaction of the caller."""
    rights.check_change(act, old, new)
    return _applied(door, act, old, trust.after_change(door, act, old, new), ready)


def purge(door: Door, memory_ids: Sequence[str], *, actor: str) -> list[str]:
    """Remove memories for good: text, vectors, index entries, story. Only the fact of it is kept."""
    act = begin(door, "purge", actor)
    rights.check_person(act, "remove a memory for good")
    door.db.overwrite_deleted_rows()
    with door.db.transaction():
        gone = [memories.get(door.db, memory_id) for memory_id in memory_ids]
        for memory in gone:
            remove(door.db, act, memory)
        door.db.run("subject_words_orphaned")
        door.db.run("fulltext_optimize")
    door.db.scrub()
    snapshots.drop_what_was_purged(door.db, act.at)
    return [memory.id for memory in gone]


def undo(door: Door, memory_id: str | None = None, *, actor: str) -> Undone:
    """Take back the last act, or the last that touched one memory."""
    act = begin(door, "undo", actor)
    full = memories.full_id(door.db, memory_id) if memory_id else None
    ready = _embedded(door, [str(c.before["text"]) for c in _last(door, full) if "text" in c.before])
    with door.db.transaction():
        changes = _last(door, full)
        rights.check_undo(act, changes[0].actor)
        restored = [memory for change in changes if (memory := _taken_back(door, act, change, ready))]
        history.mark_undone(door.db, changes[0].act_id, act.id)
    return Undone(action=changes[0].action, actor=changes[0].actor, memories=tuple(restored))


def _last(door: Door, memory_id: str | None) -> list[Change]:
    act_id = history.last_act(door.db, memory_id)
    if act_id is None:
        raise NothingToUndo(where=f" for {memory_id}" if memory_id else "")
    return history.of_act(door.db, act_id)


def _embedded(door: Door, texts: Sequence[str]) -> Ready:
    """The texts as the model sees them, before the transaction: a slow server must not hold up other writers."""
    if door.embedder is None or not texts:
        return {}
    return dict(zip(texts, door.embedder.embed(texts), strict=True))


def _looked_at(act: Act, old: Memory, changes: Mapping[str, Any]) -> Mapping[str, Any]:
    # Who puts a waiting memory into words of their own has looked at it.
    if act.by_person and "text" in changes and old.state is MemoryState.QUARANTINED:
        return {"state": "active", **changes}
    return changes


def _cleaned(door: Door, old: Memory, changes: Mapping[str, Any]) -> Memory:
    if "text" in changes and "citation" not in changes:
        changes = {**changes, "citation": ""}
    new = with_changes(old, changes)
    draft = clean(
        MemoryDraft(
            text=new.text,
            kind=new.kind,
            subjects=new.subjects,
            tags=new.tags,
            work=new.work,
            relations=new.relations,
            citation=new.citation,
            confidence=new.confidence,
            half_life_days=new.half_life_days,
            fields=new.fields,
        )
    ).draft
    # A kind whose plugin is gone cannot be checked any more; what it is and carries may stay.
    kind = door.kinds.of(draft.kind) if draft.kind == old.kind else door.kinds.get(draft.kind)
    if draft.kind != old.kind or draft.fields != old.fields:
        checked_fields(kind, draft.fields)
    check_relations(door, new.relations)
    if new.project_id is not None and new.project_id != old.project_id:
        new = replace(new, project_id=projects.called(door.db, new.project_id).id)
    suspicious = draft.state is MemoryState.QUARANTINED and new.state is MemoryState.ACTIVE
    return replace(
        new,
        state=MemoryState.QUARANTINED if suspicious else new.state,
        work=draft.work,
        relations=draft.relations,
        kind=kind.name,
        text=draft.text,
        subjects=draft.subjects,
        tags=draft.tags,
        citation=draft.citation or citation_of(draft.text),
        fields=draft.fields,
    )


def _applied(door: Door, act: Act, old: Memory, new: Memory, ready: Ready | None = None) -> Memory:
    # The clock may have gone back since; nothing is changed before it was made.
    now = applied(door.db, act, old, replace(new, updated_at=max(act.at, old.updated_at)))
    if (now.text, now.kind) != (old.text, old.kind):
        _embed_again(door, now, ready or {})
    return now


def _embed_again(door: Door, memory: Memory, ready: Ready) -> None:
    num = memories.num_of(door.db, memory.id)
    if not door.kinds.of(memory.kind).embedded:
        door.db.run("vector_delete", model_num=door.model, memory_num=num)
        return
    embedding = ready.get(memory.text) or _embedded(door, [memory.text]).get(memory.text)
    if embedding is not None:
        vectors.put(door.db, door.model, num, embedding)


def _taken_back(door: Door, act: Act, change: Change, ready: Ready) -> Memory | None:
    current = memories.by_id(door.db, change.memory_id)
    if current is None:  # purged since; nothing is left to restore
        return None
    if change.before.get("state", "") is None:  # it did not exist before: out of sight, not out of the store
        return _applied(door, act, current, replace(current, state=MemoryState.ARCHIVED))
    earlier = with_changes(current, change.before)
    # What a memory bore on may have been purged since.
    kept = tuple(r for r in earlier.relations if not r.memory_id or memories.by_id(door.db, r.memory_id))
    return _applied(door, act, current, replace(earlier, relations=kept), ready)
