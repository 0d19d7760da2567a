"""Finding what drafts may repeat or contradict: by normal form and by vector. Bounded work at any size."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.capture.contradict import CONFLICT_MARGIN, Conflict, find_conflict
from recollect.capture.duplicate import Duplicate, find_same_text
from recollect.capture.write_context import WriteContext
from recollect.model.embedding import Embedding
from recollect.model.memory import Memory, MemoryDraft
from recollect.model.normal_form import normal_form, text_hash
from recollect.store.search.vectors import Likenesses
from recollect.store.tables import memories

# "Needs a restart" may be said of many things; the one it is said of again must be among them.
BY_FORM = 64

# What makes two texts the same word for word: their normal form, and of what kind and project they are.
Form = tuple[str, str, str | None]


def form_of(context: WriteContext, draft: MemoryDraft) -> Form:
    """The draft without its spelling habits."""
    return text_hash(normal_form(draft.text)), context.kinds.get(draft.kind).name, draft.project_id


def find_same_words(context: WriteContext, form: Form) -> list[int]:
    """Memories whose text differs from one of this form in spelling habits only."""
    normal_hash, kind, project_id = form
    return memories.find_same_form(context.db, normal_hash, kind=kind, project_id=project_id, limit=BY_FORM)


def measure_likeness(context: WriteContext, embeddings: Sequence[Embedding]) -> Likenesses:
    """What is like each of these, near enough to repeat or to contradict it: one look for a whole batch."""
    if context.index is None or context.embedder is None:
        return Likenesses([{} for _ in embeddings])
    at_least = context.embedder.duplicate_threshold - CONFLICT_MARGIN
    return context.index.look([embedding.vector for embedding in embeddings], at_least)


def find_duplicate(
    context: WriteContext, draft: MemoryDraft, same_form: list[int], alike: dict[int, float]
) -> Duplicate | None:
    """The memory that says the same as this draft, word for word or nearly so."""
    duplicate = _compare(context, draft, dict.fromkeys(same_form, 1.0)) if same_form else None
    return duplicate or _compare(context, draft, alike)


def find_contradicted(context: WriteContext, draft: MemoryDraft, alike: dict[int, float]) -> Conflict | None:
    """The memory that this draft contradicts."""
    if context.embedder is None:
        return None
    close_above = context.embedder.duplicate_threshold - CONFLICT_MARGIN
    close = {num: cosine for num, cosine in alike.items() if cosine >= close_above}
    return (
        find_conflict(draft.text, draft.subjects, _read_comparable(context, draft, close), close_above)
        if close
        else None
    )


def _compare(context: WriteContext, draft: MemoryDraft, cosines: dict[int, float]) -> Duplicate | None:
    duplicate_threshold = context.embedder.duplicate_threshold if context.embedder else 1.0
    close = [num for num, cosine in cosines.items() if cosine >= duplicate_threshold]
    if not close:
        return None
    return find_same_text(
        draft.text,
        draft.subjects,
        _read_comparable(context, draft, {n: cosines[n] for n in close}),
        duplicate_threshold,
    )


def _read_comparable(
    context: WriteContext, draft: MemoryDraft, cosines: dict[int, float]
) -> list[tuple[Memory, float]]:
    """Those of the draft's kind and project that are in use, or may be."""
    kind = context.kinds.get(draft.kind).name
    return [
        (memory, cosines[num])
        for num, memory in memories.read_memories(context.db, cosines).items()
        if memory.kind == kind and memory.project_id == draft.project_id and memory.state in _LIVE
    ]


_LIVE = ("active", "quarantined", "candidate")
