"""Changing what is remembered: edit, pin, supersede, forget (also a whole source), purge, and undo of any of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from recollect.capture import rights, trust
from recollect.capture.clean import clean_draft
from recollect.capture.intake import check_relations, take_in
from recollect.capture.write_context import Act, WriteContext, begin_act
from recollect.errors import NothingToUndo
from recollect.events.statements import sketch_sentence, split_sentences
from recollect.lifecycle.writing import apply_change, remove_memory
from recollect.model.ageing import restart_ageing
from recollect.model.embedding import Embedding
from recollect.model.history import MemoryChange
from recollect.model.json_form import with_changes
from recollect.model.kinds import check_fields
from recollect.model.memory import (
    Intake,
    Memory,
    MemoryDraft,
    MemoryState,
    Refused,
    Relation,
    RelationType,
    make_citation,
)
from recollect.model.purged_text import PurgedText
from recollect.model.source_name import DerivedMemory, ForgottenSource, SourceName
from recollect.model.value import dataclass, replace
from recollect.store.safety import erase, snapshots
from recollect.store.search import fulltext, vectors
from recollect.store.tables import history, lineage, memories, memory_writes, projects, subjects

# What the model made of texts, by text.
Ready = dict[str, Embedding]
# A field of fewer letters is a number, a name or a state.
# Fewer words than these are everybody's.
_MIN_SKETCHED = 3
_LONG_FIELD = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    """What was taken back: the action, who had done it, and the memories as they are now."""

    action: str
    actor: str
    memories: tuple[Memory, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PurgedMemories:
    """Memories that are gone for good, and their words, which must be gone from other places too."""

    ids: tuple[str, ...]
    texts: PurgedText


def edit_memory(
    context: WriteContext,
    memory_id: str,
    changes: Mapping[str, Any],
    *,
    actor: str,
    why: str = "",
    action: str = "edit",
) -> Memory:
    """Change parts of a memory, given in their JSON form; the new words go through the same cleaning."""
    act = begin_act(context, action, actor, why)
    new = _clean_changes(context, memories.get_memory(context.db, memory_id), changes)
    is_embedded = "text" in changes and context.kinds.of(new.kind).embedded
    ready = _embed_texts(context, [new.text] if is_embedded else [])
    with context.db.transaction():
        old = memories.get_memory(context.db, memory_id)
        new = _clean_changes(context, old, _wake_if_reworded(act, old, changes))
        return apply_checked_change(
            context, act, old, restart_ageing(new, act.at) if "confidence" in changes else new, ready
        )


def set_state(
    context: WriteContext,
    memory_ids: Sequence[str],
    state: MemoryState,
    *,
    action: str,
    actor: str,
    why: str = "",
) -> list[Memory]:
    """Move memories to a state, all in one act: `forget` archives them."""
    act = begin_act(context, action, actor, why)
    with context.db.transaction():
        olds = [memories.get_memory(context.db, memory_id) for memory_id in memory_ids]
        return [apply_checked_change(context, act, old, replace(old, state=state)) for old in olds]


def pin_memory(context: WriteContext, memory_id: str, *, pinned: bool, actor: str) -> Memory:
    """Keep a memory from ageing, or let it age again."""
    act = begin_act(context, "pin" if pinned else "unpin", actor)
    with context.db.transaction():
        old = memories.get_memory(context.db, memory_id)
        if old.pinned == pinned:
            return old
        # What was kept from ageing does not age for all that time when it is let go.
        return apply_checked_change(context, act, old, restart_ageing(replace(old, pinned=pinned), act.at))


def apply_checked_change(
    context: WriteContext, act: Act, old: Memory, new: Memory, ready: Ready | None = None
) -> Memory:
    """Make a memory what somebody wants it to be, if they may; inside a transaction of the caller."""
    rights.check_change(act, old, new)
    return _apply(context, act, old, trust.judge_change(context, act, old, new), ready)


def purge_memories(context: WriteContext, memory_ids: Sequence[str], *, actor: str) -> PurgedMemories:
    """Remove memories for good, and their words wherever we repeated them. Only the fact of it is kept."""
    act = begin_act(context, "purge", actor)
    rights.check_person(act, "remove a memory for good")
    context.db.overwrite_deleted_rows()
    with context.db.transaction():
        purged = [memories.get_memory(context.db, memory_id) for memory_id in memory_ids]
        own = [text for memory in purged for text in _list_own_texts(context, memory)]
        texts = PurgedText([*own, *_list_sketches(own)])
        sources = {name for memory in purged for name in (memory.id, *memory.provenance.event_ids)}
        for memory in purged:
            remove_memory(context.db, act, memory)
        subjects.delete_unused_words(context.db)
        fulltext.optimize_index(context.db)
        erase.erase_rows(context.db, texts, sources)
    done = PurgedMemories(ids=tuple(memory.id for memory in purged), texts=texts)
    erase_copies(context, done)
    return done


def erase_copies(context: WriteContext, purged: PurgedMemories) -> None:
    """What was deleted leaves the database's file, its log, its snapshots and what lies beside it."""
    context.db.scrub()
    snapshots.replace_after_purge(context.db, context.now())
    erase.erase_files(context.db.path, purged.texts, purged.ids)


def _list_own_texts(context: WriteContext, memory: Memory) -> list[str]:
    """All that a memory has ever said."""
    changes = history.list_changes_of_memory(context.db, memory.id)
    states = [change_side for change in changes for change_side in (change.before, change.after)]
    stated = [str(side[name]) for side in states for name in ("text", "citation") if side.get(name)]
    fields = [
        value for value in memory.fields.values() if isinstance(value, str) and len(value) >= _LONG_FIELD
    ]
    return [memory.text, memory.citation, *stated, *fields]


def _list_sketches(texts: Iterable[str]) -> Iterator[str]:
    """The same as it is kept of what was read and written: the words of sentences, without the small ones."""
    for text in texts:
        sketches = map(sketch_sentence, split_sentences(text))
        yield from (words for words in sketches if words.count(" ") >= _MIN_SKETCHED - 1)


def undo_act(context: WriteContext, memory_id: str | None = None, *, actor: str) -> Undone:
    """Take back the last act, or the last that touched one memory."""
    act = begin_act(context, "undo", actor)
    full = memories.complete_id(context.db, memory_id) if memory_id else None
    ready = _embed_texts(
        context, [str(c.before["text"]) for c in _find_last_changes(context, full) if "text" in c.before]
    )
    with context.db.transaction():
        changes = _find_last_changes(context, full)
        rights.check_undo(act, changes[0].actor)
        restored = [memory for change in changes if (memory := _take_back(context, act, change, ready))]
        history.mark_undone(context.db, changes[0].act_id, act.id)
    return Undone(action=changes[0].action, actor=changes[0].actor, memories=tuple(restored))


def _find_last_changes(context: WriteContext, memory_id: str | None) -> list[MemoryChange]:
    act_id = history.find_last_act(context.db, memory_id)
    if act_id is None:
        raise NothingToUndo(where=f" for {memory_id}" if memory_id else "")
    return history.list_changes_of_act(context.db, act_id)


def _embed_texts(context: WriteContext, texts: Sequence[str]) -> Ready:
    """The texts as the model sees them, before the transaction: a slow server must not hold up other writers."""
    if context.embedder is None or not texts:
        return {}
    return dict(zip(texts, context.embedder.embed(texts), strict=True))


def _wake_if_reworded(act: Act, old: Memory, changes: Mapping[str, Any]) -> Mapping[str, Any]:
    # Who puts a waiting memory into words of their own has looked at it.
    if act.by_person and "text" in changes and old.state is MemoryState.QUARANTINED:
        return {"state": "active", **changes}
    return changes


def _clean_changes(context: WriteContext, old: Memory, changes: Mapping[str, Any]) -> Memory:
    if "text" in changes and "citation" not in changes:
        changes = {**changes, "citation": ""}
    new = with_changes(old, changes)
    draft = clean_draft(
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
    kind = context.kinds.of(draft.kind) if draft.kind == old.kind else context.kinds.get(draft.kind)
    if draft.kind != old.kind or draft.fields != old.fields:
        check_fields(kind, draft.fields)
    check_relations(context, new.relations)
    if new.project_id is not None and new.project_id != old.project_id:
        new = replace(new, project_id=projects.get_project(context.db, new.project_id).id)
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
        citation=draft.citation or make_citation(draft.text),
        fields=draft.fields,
    )


def _apply(context: WriteContext, act: Act, old: Memory, new: Memory, ready: Ready | None = None) -> Memory:
    # The clock may have gone back since; nothing is changed before it was made.
    now = apply_change(context.db, act, old, replace(new, updated_at=max(act.at, old.updated_at)))
    if (now.text, now.kind) != (old.text, old.kind):
        _embed_again(context, now, ready or {})
    return now


def _embed_again(context: WriteContext, memory: Memory, ready: Ready) -> None:
    num = memories.get_num(context.db, memory.id)
    if not context.kinds.of(memory.kind).embedded:
        vectors.delete_vector(context.db, context.model, num)
        return
    embedding = ready.get(memory.text) or _embed_texts(context, [memory.text]).get(memory.text)
    if embedding is not None:
        vectors.replace_vector(context.db, context.model, num, embedding)


def _take_back(context: WriteContext, act: Act, change: MemoryChange, ready: Ready) -> Memory | None:
    current = memories.find_memory(context.db, change.memory_id)
    if current is None:  # purged since; nothing is left to restore
        return None
    if change.before.get("state", "") is None:  # it did not exist before: out of sight, not out of the store
        return _apply(context, act, current, replace(current, state=MemoryState.ARCHIVED))
    if "owner" in change.before:  # it was shared
        memory_writes.set_owner(context.db, current.id, change.before["owner"])  # type: ignore[arg-type]
        return memories.find_memory(context.db, current.id)
    earlier = with_changes(current, change.before)
    # What a memory bore on may have been purged since.
    relations = tuple(
        r for r in earlier.relations if not r.memory_id or memories.find_memory(context.db, r.memory_id)
    )
    return _apply(context, act, current, replace(earlier, relations=relations), ready)


class _NotTaken(Exception):
    """Ends the transaction: what would have succeeded was refused, so the older memory stays."""


def supersede(
    context: WriteContext,
    act: Act,
    old: Memory,
    draft: MemoryDraft,
    *,
    unlike: AbstractSet[str] = frozenset(),
) -> Intake:
    """Offer a draft in place of an older memory; if it is refused, nothing changes. `unlike` is as in `take_in`."""
    link = Relation(type=RelationType.SUPERSEDES, memory_id=old.id)
    try:
        with context.db.transaction():
            # First out of use: two figures for one thing would speak against each other.
            retire_memory(context, act, old)
            [answer] = take_in(
                context, act, [replace(draft, relations=(*draft.relations, link))], unlike=unlike
            )
            if isinstance(answer, Refused):
                raise _NotTaken
    except _NotTaken:
        return answer
    return answer


def retire_memory(context: WriteContext, act: Act, old: Memory) -> Memory:
    """Put out of use what does not hold any more."""
    with context.db.transaction():
        return apply_checked_change(context, act, old, replace(old, state=MemoryState.INACTIVE))


def find_memories_from(
    context: WriteContext, source: SourceName, project_id: str | None, *, every_project: bool
) -> ForgottenSource:
    """Everything from a source and what was derived from it, over any depth; nothing is changed."""
    own = lineage.list_ids_from_source(context.db, source, project_id, every_project=every_project)
    steps = lineage.find_descendants(context.db, own)
    derived = (
        (memories.get_memory(context.db, name), far) for name, far in steps.items() if name not in set(own)
    )
    return ForgottenSource(
        source=source,
        own=tuple(memories.get_memory(context.db, name) for name in own),
        derived=tuple(
            DerivedMemory(memory=memory, steps=far)
            for memory, far in derived
            if memory.state is not MemoryState.ARCHIVED
        ),
    )


def forget_source(
    context: WriteContext,
    source: SourceName,
    project_id: str | None,
    *,
    every_project: bool,
    actor: str,
    why: str = "",
) -> ForgottenSource:
    """Take everything from a source out of use, with what was derived from it, as one act."""
    with context.db.transaction():
        forgotten = find_memories_from(context, source, project_id, every_project=every_project)
        ids = [memory.id for memory in forgotten.memories]
        if ids:
            reason = f"everything from {source}" + (f": {why}" if why else "")
            set_state(context, ids, MemoryState.ARCHIVED, action="forget", actor=actor, why=reason)
    return forgotten
