"""One score out of all that speaks for a memory; every part of it can be told afterwards."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from datetime import datetime
from heapq import nlargest

from recollect.model.hit import Part
from recollect.model.period import closeness
from recollect.model.phase import phase_weight
from recollect.model.profile import Profile
from recollect.model.provenance import Channel
from recollect.model.query import Query
from recollect.retrieve.closer import closer_look
from recollect.retrieve.gather import Found
from recollect.retrieve.ground import Ground
from recollect.retrieve.question import Question
from recollect.store.memories import Candidate
from recollect.store.rows import from_micros, to_micros

DAY = 86_400_000_000
_STEPS = ((DAY // 24, 1.0), (DAY, 0.7), (7 * DAY, 0.4))
# A memory whose file is gone comes last, however well it fits.
STALE_COSTS = 0.5


# What a part is called, its value, what it adds, and the words behind it.
_Part = tuple[str, float, float, str]


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate with its score and what it is made of."""

    num: int
    score: float
    why: tuple[Part, ...]


def ranked(
    ground: Ground, question: Question, query: Query, profile: Profile, found: Found, now: datetime
) -> list[Scored]:
    """The best candidates, as many as were asked for."""
    judge = _Judge(
        question=question,
        query=query,
        profile=profile,
        found=found,
        now=to_micros(now),
        most_used=max((row.access_count for row in found.rows.values()), default=0),
    )
    closer: dict[int, float] = {}
    if profile.closer:
        first = {num: _total(judge.said(row, closer)) for num, row in found.rows.items()}
        closer = closer_look(ground, question, found.rows, first)
    parts = {num: judge.parts(row, closer) for num, row in found.rows.items()}
    scores = {num: _total(told) for num, told in parts.items()}
    best = nlargest(query.limit, scores, key=lambda num: (scores[num], num))
    return [Scored(num, scores[num], tuple(Part(*part) for part in parts[num] if part[2])) for num in best]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judge:
    question: Question
    query: Query
    profile: Profile
    found: Found
    now: int
    most_used: int

    def parts(self, row: Candidate, closer: dict[int, float]) -> list[_Part]:
        """All parts of a candidate's score; they add up to it."""
        said, known = self.said(row, closer), self._known(row)
        text, facts = _total(said), _total(known)
        if facts > text:  # whatever age and use add, the text decides: they never add more than it does
            share = max(0.0, text) / facts
            known = [(name, value, added * share, words) for name, value, added, words in known]
            facts = max(0.0, text)
        parts = said + known
        weight = phase_weight(self.query.phase, row.kind)
        if weight != 1.0:
            parts.append(("phase", weight, (weight - 1.0) * (text + facts), str(self.query.phase)))
        if row.stale_at is not None:
            parts.append(("stale", 1.0, -STALE_COSTS * (text + facts), ""))
        return parts

    def said(self, row: Candidate, closer: dict[int, float]) -> list[_Part]:
        """What the text and the question say: words, meaning or the closer look, time, names."""
        profile, num = self.profile, row.num
        words, meaning = self.found.lexical.get(num, 0.0), self.found.semantic.get(num)
        parts: list[_Part] = [("words", words, profile.lexical * words, "")]
        if num in closer:
            parts.append(("closer", closer[num], profile.closer * closer[num], ""))
        elif meaning is not None:
            parts.append(("meaning", meaning, profile.semantic * meaning, ""))
        elif closer:  # a kind without vectors: its words stand in for the closer look the others got
            parts.append(("closer", words, profile.closer * words, ""))
        if self.question.periods and profile.time:
            near, spoken = self._closest(row)
            parts.append(("time", near, profile.time * near, spoken))
        if self.question.named and profile.subject:
            sure, name = self._named(num)
            parts.append(("subject", sure, profile.subject * sure, name))
        if row.asks and profile.asks:
            parts.append(("asks", 1.0, -profile.asks, ""))
        if profile.unconfirmed and row.channel == Channel.AGENT and not row.verified:
            parts.append(("unconfirmed", 1.0, -profile.unconfirmed, ""))
        return parts

    def _known(self, row: Candidate) -> list[_Part]:
        """What is known about the memory: age, use, success."""
        profile = self.profile
        parts: list[_Part] = []
        if profile.recency:
            value = _recency(row, self.now, profile)
            parts.append(("recency", value, profile.recency * value, ""))
        if profile.frequency and row.access_count:
            value = math.log1p(row.access_count) / math.log1p(self.most_used)
            parts.append(("frequency", value, profile.frequency * value, ""))
        if profile.success:
            value = _success(row)
            parts.append(("success", value, profile.success * value, ""))
        return parts

    def _closest(self, row: Candidate) -> tuple[float, str]:
        at = from_micros(row.happened_at)
        return max((closeness(period, at), period.words) for period in self.question.periods)

    def _named(self, num: int) -> tuple[float, str]:
        named = self.question.named.subjects
        return max(
            ((named[name], name) for name in self.found.about.get(num, ()) if name in named),
            default=(0.0, ""),
        )


def _total(parts: list[_Part]) -> float:
    return sum(part[2] for part in parts)


def _recency(row: Candidate, now: int, profile: Profile) -> float:
    age = max(0, now - (row.last_accessed_at or row.created_at))
    if profile.recency_falls == "steps":
        return next((value for limit, value in _STEPS if age <= limit), 0.2)
    return math.exp(-age / (30 * DAY))


def _success(row: Candidate) -> float:
    """How often a recipe worked, where it is known; else how sure the memory is."""
    if "success_rate" not in row.fields:
        return row.confidence
    rate = json.loads(row.fields).get("success_rate")
    return min(1.0, float(rate)) if isinstance(rate, int | float) else row.confidence
