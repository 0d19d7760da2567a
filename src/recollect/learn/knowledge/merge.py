"""
Merging memories that say the same: one stays with its own words and standing, the others go to the archive.

The door lets no duplicate in; those that came by a copy, an import or before a change of the model are found here. What
stays is the more trusted one, and it takes nothing from the others but the mark of where it is also from: neither
confidence nor proof, so that nothing becomes surer by having been written twice.
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.capture.duplicate import find_same_text
from recollect.capture.find_duplicates import measure_likeness
from recollect.capture.write_context import Act, WriteContext
from recollect.lifecycle.writing import apply_change
from recollect.model.memory import Memory, MemoryState, Relation, RelationType
from recollect.model.normal_form import normal_form
from recollect.model.proposal import LearningProposal
from recollect.model.query import Filters
from recollect.model.trust import LADDER, origin_of
from recollect.model.value import replace
from recollect.store.tables import memories

STEP = "knowledge"
MAX_LOOKED_AT = 500
_RANKS = {row.origin: rank for rank, row in enumerate(LADDER)}


def merge_duplicates(
    context: WriteContext, act: Act | None, project_id: str | None
) -> list[LearningProposal]:
    """Merge what says the same among the newest memories; without an act, only say what would be merged."""
    filters = Filters(project_id=project_id)
    newest = memories.list_memories(context.db, filters, limit=MAX_LOOKED_AT)
    own = [memory for memory in newest if memory.project_id == project_id]
    gone: set[str] = set()
    proposals: list[LearningProposal] = []
    for memory, other in _find_pairs(context, own):
        staying, going = sorted((memory, other), key=_rank)
        if {staying.id, going.id} & gone or not _may_drop(staying, going):
            continue
        gone.add(going.id)
        if act is not None:
            _merge(context, act, staying, going)
        proposals.append(
            LearningProposal(
                step=STEP,
                act="merge",
                text=staying.text,
                why=f"{going.id} says the same",
                evidence=(f"{staying.id}: {staying.text}", f"{going.id}: {going.text}"),
                memory_id=staying.id,
            )
        )
    return proposals


def _find_pairs(context: WriteContext, own: Sequence[Memory]) -> list[tuple[Memory, Memory]]:
    """Each memory with one that says the same, word for word or nearly so."""
    by_form: dict[tuple[str, str], list[Memory]] = {}
    for memory in own:
        by_form.setdefault((memory.kind, normal_form(memory.text)), []).append(memory)
    pairs = [
        (group[0], other) for group in by_form.values() for other in group[1:] if _share(group[0], other)
    ]
    if context.embedder is None or context.index is None or len(own) < 2:
        return pairs
    embeddings = context.embedder.embed([memory.text for memory in own])
    likenesses = measure_likeness(context, embeddings)
    by_id = {memory.id: memory for memory in own}
    for place, memory in enumerate(own):
        near = likenesses.of(place)
        others = [
            (by_id[one.id], near[num])
            for num, one in memories.read_memories(context.db, near).items()
            if one.id in by_id and one.id != memory.id and one.kind == memory.kind
        ]
        same = find_same_text(memory.text, memory.subjects, others, context.embedder.duplicate_threshold)
        if same is not None:
            pairs.append((memory, same.memory))
    return pairs


def _share(memory: Memory, other: Memory) -> bool:
    return set(memory.subjects) == set(other.subjects) and memory.work == other.work


def _rank(memory: Memory) -> tuple[int, bool, float, str]:
    """The one to keep first: more trusted, pinned, surer, older."""
    return _RANKS[origin_of(memory)], not memory.pinned, -memory.confidence, memory.id


def _may_drop(staying: Memory, going: Memory) -> bool:
    """A pinned memory stays; and what a person said goes only where it says the very same words."""
    is_same = normal_form(staying.text) == normal_form(going.text)
    is_persons = _RANKS[origin_of(going)] == 0
    return (
        staying.id != going.id
        and not going.pinned
        and staying.work == going.work
        and (is_same or not is_persons)
    )


def _merge(context: WriteContext, act: Act, staying: Memory, going: Memory) -> None:
    derived = Relation(type=RelationType.DERIVED_FROM, memory_id=going.id, auto_extracted=True)
    with context.db.transaction():
        if not any(relation.memory_id == going.id for relation in staying.relations):
            # As it is now: an earlier merge of this act may have changed it.
            current = memories.get_memory(context.db, staying.id)
            merged = replace(current, relations=(*current.relations, derived))
            apply_change(
                context.db, replace(act, action="merge", why=f"{going.id} says the same"), current, merged
            )
        why = f"{staying.id} says the same"
        archived = replace(going, state=MemoryState.ARCHIVED)
        apply_change(context.db, replace(act, action="merge", why=why), going, archived)
