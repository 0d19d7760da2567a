"""Memories that could be put before an agent unasked. Nothing here counts as an access, and nothing stale comes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from recollect.model.hit import Hit
from recollect.model.memory import Memory
from recollect.model.profile import PROFILES
from recollect.model.query import Filters, Query
from recollect.retrieve.ground import Ground
from recollect.retrieve.search import search
from recollect.store import ledger, memories
from recollect.store.db import Db

_MOST_QUESTION = 2_000
_RANKED_BY = PROFILES["default"]


def of_kinds(db: Db, kinds: Sequence[str], project_id: str | None, limit: int) -> list[Hit]:
    """The newest of some kinds, those a person stands by first; the score is how sure each is."""
    filters = Filters(kinds=tuple(kinds), project_id=project_id, fresh=True)
    found = memories.listed(db, filters, limit=limit)
    found.sort(key=lambda memory: not memory.trust.verified)
    return [Hit(memory=memory, score=memory.confidence, why=()) for memory in found]


def on_question(
    ground: Ground,
    question: str,
    project_id: str | None,
    *,
    kinds: Sequence[str],
    limit: int,
    now: datetime,
) -> Sequence[Hit]:
    """What of some kinds answers a question, best first; the score is how well its text fits, from 0 to 1."""
    filters = Filters(kinds=tuple(kinds), project_id=project_id, fresh=True)
    query = Query(text=question[:_MOST_QUESTION], limit=limit, filters=filters)
    return [replace(hit, score=_fit(hit, ground)) for hit in search(ground, query, now)]


def named(db: Db, memory_ids: Sequence[str]) -> list[Hit]:
    """These, in this order, as far as they are still kept."""
    found = ledger.memories_named(db, memory_ids)
    kept = [found[memory_id] for memory_id in memory_ids if memory_id in found]
    return [Hit(memory=memory, score=memory.confidence, why=()) for memory in kept]


def _fit(hit: Hit, ground: Ground) -> float:
    """A score as a share of the best a text can reach. Who said it is left out: that is for whoever lets it speak."""
    best = _RANKED_BY.lexical + (_RANKED_BY.closer if ground.embedder else 0.0)
    trusted = hit.score - sum(part.added for part in hit.why if part.name == "unconfirmed")
    return max(0.0, min(1.0, trusted / best))


def is_of_work(memory: Memory, branch: str, work: str) -> bool:
    """Whether a state of work is that of this unit, or of this branch where nobody has named a unit yet."""
    if memory.work is not None and work:
        return str(memory.work) == work
    return bool(branch) and memory.fields.get("branch") == branch
