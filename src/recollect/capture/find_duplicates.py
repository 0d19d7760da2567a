"""Finding what a draft may repeat: by normal form, subject, rare words and vector. Bounded work at any size."""

from __future__ import annotations

from collections import Counter
from heapq import nlargest
from itertools import chain

from recollect.capture.contradict import CONFLICT_MARGIN, Conflict, find_conflict
from recollect.capture.duplicate import Duplicate, find_same_text
from recollect.capture.write_context import WriteContext
from recollect.model.embedding import Embedding
from recollect.model.memory import Memory, MemoryDraft
from recollect.model.normal_form import normal_form, text_hash
from recollect.model.words import query_words
from recollect.store.search import fulltext
from recollect.store.tables import memories

# "Needs a restart" may be said of many things; the one it is said of again must be among them.
BY_FORM = 64
BY_SUBJECT = 16
BY_WORDS = 8
BY_VECTOR = 32
# A repetition shares most of the longest words: they are rare, and no counting is needed to know it.
LONGEST_WORDS = 4
# One that occurs more often than this tells too little to be worth reading where.
TELLING = 1000
# Among so many that share words, those of the right kind and project are looked for.
LOOKED_THROUGH = 64


def find_same_words(context: WriteContext, draft: MemoryDraft) -> list[int]:
    """Memories whose text differs from the draft's in spelling habits only."""
    return memories.find_same_form(
        context.db,
        text_hash(normal_form(draft.text)),
        kind=context.kinds.get(draft.kind).name,
        project_id=draft.project_id,
        limit=BY_FORM,
    )


def find_candidates(context: WriteContext, draft: MemoryDraft) -> set[int]:
    """
    Memories of the same kind about the same things, or with the same long words.

    Asked before a batch is written: reading the full-text index in the middle of writes makes it write in crumbs.
    """
    kind = context.kinds.get(draft.kind).name
    nums: set[int] = set()
    for subject in draft.subjects[:4]:
        nums.update(
            memories.find_near_by_subject(
                context.db, subject, kind=kind, project_id=draft.project_id, limit=BY_SUBJECT
            )
        )
    return nums | set(_find_sharing_words(context, draft, kind))


def _find_sharing_words(context: WriteContext, draft: MemoryDraft, kind: str) -> list[int]:
    """The newest memories of one kind that share two of the draft's longest words, or its only one."""
    words = nlargest(LONGEST_WORDS, query_words(draft.text), key=len)
    terms = dict.fromkeys(term for word in words for term in context.db.tokens(word))
    holders = Counter(chain.from_iterable(fulltext.find_holders(context.db, terms, TELLING).values()))
    enough = min(2, len(terms))
    sharing = nlargest(LOOKED_THROUGH, (num for num, shared in holders.items() if shared >= enough))
    if not sharing:
        return []
    return memories.filter_by_kind(
        context.db, sharing, kind=kind, project_id=draft.project_id, limit=BY_WORDS
    )


def measure_likeness(context: WriteContext, embedding: Embedding | None, near: set[int]) -> dict[int, float]:
    """How alike a draft is to those near it, and to the nearest of the newest; one look answers every question."""
    if embedding is None or context.index is None or context.embedder is None:
        return {}
    newest = context.index.nearest_recent(embedding.vector, BY_VECTOR)
    return newest | context.index.likeness(embedding.vector, near - newest.keys())


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
