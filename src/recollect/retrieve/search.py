"""From a question to hits, top to bottom."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from recollect.errors import NotFound
from recollect.model.hit import Hit, Recalled
from recollect.model.memory import Memory
from recollect.model.profile import PROFILES, Profile
from recollect.model.query import Query
from recollect.model.value import replace
from recollect.retrieve import gather, rank
from recollect.retrieve.file_presence import checked
from recollect.retrieve.question import Question, read
from recollect.retrieve.read_context import Ground
from recollect.retrieve.temporal import narrowed


class Asked(NamedTuple):
    """A question that was read: what is asked, how hits are ranked, and what it says."""

    query: Query
    profile: Profile
    question: Question


def search(ground: Ground, query: Query, now: datetime) -> Recalled:
    """The memories that answer a question, best first, each with why. Reads only."""
    asked = understood(ground, query, now)
    if asked is None:
        return Recalled(hits=(), notes=("No session has been recorded yet.",))
    return answered(ground, asked, now)


def understood(ground: Ground, query: Query, now: datetime) -> Asked | None:
    """The question, read; None if it asks for sessions and there are none."""
    profile = _profile(query.profile)
    filters = narrowed(ground.db, query, now, lambda asked: _best(ground, asked, now))
    if filters is None:
        return None
    if filters is not query.filters:
        query = replace(query, filters=filters)
    return Asked(query, profile, read(ground, query, profile, now))


def answered(ground: Ground, asked: Asked, now: datetime) -> Recalled:
    """What answers a question that was read."""
    query, profile, question = asked
    with ground.db.one_moment():
        found = gather.candidates(ground, question, query)
        ranked = rank.ranked(ground, question, query, profile, found, now)
        whole = ground.shelf.memories([scored.num for scored in ranked])
    hits = tuple(
        Hit(memory=memory, score=scored.score, tell=scored.tell)
        for scored in ranked
        if (memory := whole[scored.num])
    )
    return Recalled(hits=checked(ground, hits, query.filters, now), notes=question.notes)


def _best(ground: Ground, query: Query, now: datetime) -> Memory | None:
    found = search(ground, query, now)
    return found[0].memory if found.hits else None


def _profile(name: str | Profile) -> Profile:
    if isinstance(name, Profile):
        return name
    if name not in PROFILES:
        raise NotFound(f"There is no ranking profile {name!r}. The profiles are: {', '.join(PROFILES)}.")
    return PROFILES[name]
