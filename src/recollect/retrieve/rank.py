"""One score out of all that speaks for a memory, every part of it kept to say why."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from recollect.model.hit import Part
from recollect.model.phase import phase_weight
from recollect.model.profile import Profile
from recollect.model.provenance import Channel
from recollect.model.query import Query
from recollect.retrieve.closer import closer_look
from recollect.retrieve.gather import Found
from recollect.retrieve.ground import Ground
from recollect.retrieve.question import Question
from recollect.model.period import closeness
from recollect.store.memories import Candidate
from recollect.store.rows import from_micros, to_micros

DAY = 86_400_000_000
_STEPS = ((DAY // 24, 1.0), (DAY, 0.7), (7 * DAY, 0.4))


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate with its score and what it is made of."""

    num: int
    score: float
    why: tuple[Part, ...]


def ranked(
    ground: Ground, question: Question, query: Query, profile: Profile, found: Found, now: datetime
) -> list[Scored]:
    """The candidates, best first."""
    first = {num: _text_score(num, found, profile) for num in found.rows}
    closer = closer_look(ground, question, first) if profile.closer else {}
    moment = to_micros(now)
    most_used = max((row.access_count for row in found.rows.values()), default=0)
    scored = []
    for num, row in found.rows.items():
        text = _text_parts(num, row, question, found, closer, profile)
        facts = _fact_parts(row, moment, most_used, profile)
        scored.append(_scored(num, row, text, facts, query))
    scored.sort(key=lambda item: (-item.score, -item.num))
    return scored


def _text_score(num: int, found: Found, profile: Profile) -> float:
    return profile.lexical * found.lexical.get(num, 0.0) + profile.semantic * found.semantic.get(num, 0.0)


def _text_parts(
    num: int, row: Candidate, question: Question, found: Found, closer: dict[int, float], profile: Profile
) -> list[Part]:
    parts = [
        Part("words", found.lexical.get(num, 0.0), profile.lexical * found.lexical.get(num, 0.0)),
        Part("meaning", found.semantic.get(num, 0.0), profile.semantic * found.semantic.get(num, 0.0)),
        Part("closer", closer.get(num, 0.0), profile.closer * closer.get(num, 0.0)),
    ]
    if question.periods and profile.time:
        at = from_micros(row.happened_at)
        near, words = max((closeness(period, at), period.words) for period in question.periods)
        parts.append(Part("time", near, profile.time * near, words))
    if question.named and profile.subject:
        sure, name = _named(found.about.get(num, set()), question)
        parts.append(Part("subject", sure, profile.subject * sure, name))
    return [part for part in parts if part.added]


def _named(about: set[str], question: Question) -> tuple[float, str]:
    return max(((question.named.subjects[name], name) for name in about if name in question.named.subjects), default=(0.0, ""))


def _fact_parts(row: Candidate, now: int, most_used: int, profile: Profile) -> list[Part]:
    known = (
        ("recency", profile.recency, _recency(row, now, profile)),
        ("frequency", profile.frequency, _frequency(row, most_used)),
        ("success", profile.success, _success(row)),
        ("trust", profile.trust, 1.0 if row.verified or row.channel == Channel.USER else row.confidence),
    )
    return [Part(name, value, weight * value) for name, weight, value in known if weight]


def _scored(num: int, row: Candidate, text: list[Part], facts: list[Part], query: Query) -> Scored:
    said = sum(part.added for part in text)
    known = sum(part.added for part in facts)
    # Whatever age, use and trust add, the text decides: they never add more than it does.
    if known > said > 0:
        facts = [Part(p.name, p.value, p.added * said / known, p.words) for p in facts]
        known = said
    weight = phase_weight(query.phase, row.kind)
    parts = [*text, *facts]
    if weight != 1.0:
        parts.append(Part("phase", weight, (weight - 1.0) * (said + known), str(query.phase)))
    if row.stale_at is not None:
        parts.append(Part("stale", 1.0, -0.5 * (said + known)))
    return Scored(num, sum(part.added for part in parts), tuple(parts))


def _recency(row: Candidate, now: int, profile: Profile) -> float:
    age = max(0, now - (row.last_accessed_at or row.created_at))
    if profile.recency_falls == "steps":
        return next((value for limit, value in _STEPS if age <= limit), 0.2)
    return math.exp(-age / (30 * DAY))


def _frequency(row: Candidate, most_used: int) -> float:
    return math.log1p(row.access_count) / math.log1p(most_used) if most_used else 0.0


def _success(row: Candidate) -> float:
    if "success_rate" not in row.fields:
        return row.confidence
    rate = json.loads(row.fields).get("success_rate")
    return min(1.0, float(rate)) if isinstance(rate, int | float) else row.confidence
