"""From a question to hits, top to bottom."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from recollect.errors import NotFound
from recollect.model.hit import Hit, Recalled
from recollect.model.memory import Memory
from recollect.model.profile import PROFILES, Profile
from recollect.model.query import Query
from recollect.retrieve import gather, rank
from recollect.retrieve.ground import Ground
from recollect.retrieve.present import checked
from recollect.retrieve.question import read
from recollect.retrieve.temporal import narrowed


def search(ground: Ground, query: Query, now: datetime) -> Recalled:
    """The memories that answer a question, best first, each with why. Reads only."""
    profile = _profile(query.profile)
    filters = narrowed(ground.db, query, now, lambda asked: _best(ground, asked, now))
    if filters is None:
        return Recalled(hits=(), notes=("No session has been recorded yet.",))
    query = replace(query, filters=filters)
    question = read(ground, query, profile, now)
    with ground.db.one_moment():
        found = gather.candidates(ground, question, query)
        ranked = rank.ranked(ground, question, query, profile, found, now)
        whole = ground.shelf.memories([scored.num for scored in ranked])
    hits = tuple(
        Hit(memory=memory, score=scored.score, why=scored.why)
        for scored in ranked
        if (memory := whole[scored.num])
    )
    return Recalled(hits=checked(ground, hits, filters, now), notes=question.notes)


def _best(ground: Ground, query: Query, now: datetime) -> Memory | None:
    found = search(ground, query, now)
    return found[0].memory if found.hits else None


def _profile(name: str | Profile) -> Profile:
    if isinstance(name, Profile):
        return name
    if name not in PROFILES:
        raise NotFound(f"There is no ranking profile {name!r}. The profiles are: {', '.join(PROFILES)}.")
    return PROFILES[name]
