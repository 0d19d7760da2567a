"""Finding what a draft might repeat: by form, by subject, by rare words, by vector. Bounded work at any size."""

from __future__ import annotations

from collections import Counter
from heapq import nlargest
from itertools import chain

from recollect.capture.contradict import MARGIN, Conflict, conflicting
from recollect.capture.duplicate import Alike, same_thing
from recollect.capture.write_context import Door
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


def word_for_word(door: Door, draft: MemoryDraft) -> list[int]:
    """Memories whose text differs from the draft's in spelling habits only."""
    rows = door.db.tuples(
        "memory_same_form",
        normal_hash=text_hash(normal_form(draft.text)),
        kind=door.kinds.get(draft.kind).name,
        project_id=draft.project_id,
        limit=BY_FORM,
    )
    return [num for (num,) in rows]


def candidates(door: Door, draft: MemoryDraft) -> set[int]:
    """
    Memories of the same kind about the same things, or with the same long words.

    Asked before a batch is written: reading the full-text index in the middle of writes makes it write in crumbs.
    """
    kind = door.kinds.get(draft.kind).name
    nums: set[int] = set()
    for subject in draft.subjects[:4]:
        rows = door.db.tuples(
            "memory_near_by_subject",
            subject=str(subject),
            kind=kind,
            project_id=draft.project_id,
            limit=BY_SUBJECT,
        )
        nums.update(num for (num,) in rows)
    return nums | set(_sharing_words(door, draft, kind))


def _sharing_words(door: Door, draft: MemoryDraft, kind: str) -> list[int]:
    """The newest memories of one kind that share two of the draft's longest words, or its only one."""
    words = nlargest(LONGEST_WORDS, query_words(draft.text), key=len)
    terms = dict.fromkeys(term for word in words for term in door.db.tokens(word))
    holders = Counter(chain.from_iterable(fulltext.holders(door.db, terms, TELLING).values()))
    enough = min(2, len(terms))
    sharing = nlargest(LOOKED_THROUGH, (num for num, shared in holders.items() if shared >= enough))
    if not sharing:
        return []
    return memories.of_kind(door.db, sharing, kind=kind, project_id=draft.project_id, limit=BY_WORDS)


def look(door: Door, embedding: Embedding | None, near: set[int]) -> dict[int, float]:
    """How alike a draft is to those near it, and to the nearest of the newest; one look answers every question."""
    if embedding is None or door.index is None or door.embedder is None:
        return {}
    newest = door.index.nearest_recent(embedding.vector, BY_VECTOR)
    return newest | door.index.likeness(embedding.vector, near - newest.keys())


def known(door: Door, draft: MemoryDraft, same_form: list[int], alike: dict[int, float]) -> Alike | None:
    """The memory that says the same as this draft, word for word or nearly so."""
    found = _compared(door, draft, dict.fromkeys(same_form, 1.0)) if same_form else None
    return found or _compared(door, draft, alike)


def opposed(door: Door, draft: MemoryDraft, alike: dict[int, float]) -> Conflict | None:
    """The memory that this draft contradicts."""
    if door.embedder is None:
        return None
    close_above = door.embedder.same_above - MARGIN
    close = {num: cosine for num, cosine in alike.items() if cosine >= close_above}
    return (
        conflicting(draft.text, draft.subjects, _same_sort(door, draft, close), close_above)
        if close
        else None
    )


def _compared(door: Door, draft: MemoryDraft, cosines: dict[int, float]) -> Alike | None:
    same_above = door.embedder.same_above if door.embedder else 1.0
    close = [num for num, cosine in cosines.items() if cosine >= same_above]
    if not close:
        return None
    return same_thing(
        draft.text, draft.subjects, _same_sort(door, draft, {n: cosines[n] for n in close}), same_above
    )


def _same_sort(door: Door, draft: MemoryDraft, cosines: dict[int, float]) -> list[tuple[Memory, float]]:
    """Those of the draft's kind and project that are in use, or may be."""
    kind = door.kinds.get(draft.kind).name
    return [
        (memory, cosines[num])
        for num, memory in memories.by_nums(door.db, cosines).items()
        if memory.kind == kind and memory.project_id == draft.project_id and memory.state in _LIVE
    ]


_LIVE = ("active", "quarantined", "candidate")
