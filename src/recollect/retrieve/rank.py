"""One score out of all that speaks for a memory; every part of it can be told afterwards."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from heapq import nlargest
from types import MappingProxyType
from typing import NamedTuple

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
# One whose file has changed may still hold: among equals the other comes first.
CHANGED_COSTS = 0.05
_AGENT = str(Channel.AGENT)
_WEIGHTS = {"words": "lexical", "meaning": "semantic"}

_NOTHING: Mapping[int, float] = MappingProxyType({})

# Something told about a memory: a part's name, what it adds, and the words that speak for it.
Told = tuple[str, float, str]


class Scored(NamedTuple):
    """A candidate with its score and what it is made of."""

    num: int
    score: float
    why: tuple[Part, ...]


def ranked(
    ground: Ground, question: Question, query: Query, profile: Profile, found: Found, now: datetime
) -> list[Scored]:
    """The best candidates, as many as were asked for. Only they are asked for their parts."""
    most_used = max((row.access_count for row in found.rows.values()), default=0)
    judge = _Judge(question, query, profile, found, to_micros(now), math.log1p(most_used))
    texts = judge.texts()
    closer = closer_look(ground, question, found.rows, texts) if profile.closer else {}
    if closer:
        texts = judge.texts_looked_at(texts, closer)
    scores = {num: judge.score(found.rows[num], text) for num, text in judge.in_reach(texts)}
    best = nlargest(query.limit, zip(scores.values(), scores, strict=True))
    return [Scored(num, score, judge.why(num, texts[num], closer)) for score, num in best]


@dataclass(frozen=True, slots=True)
class _Judge:
    question: Question
    query: Query
    profile: Profile
    found: Found
    now: int
    most_used: float

    def texts(self) -> dict[int, float]:
        """What the text of each candidate and the question add, before any closer look."""
        profile, lexical, semantic = self.profile, self.found.lexical, self.found.semantic
        texts = {
            num: profile.lexical * lexical.get(num, 0.0) + profile.semantic * semantic.get(num, 0.0)
            for num in self.found.rows
        }
        if self.question.periods or self.question.named:
            for num, row in self.found.rows.items():
                texts[num] += self._time(row)[0] + self._subject(num)[0]
        for num, row in self.found.rows.items():
            if row.asks:
                texts[num] -= profile.asks
            if row.channel == _AGENT and not row.verified:
                texts[num] -= profile.unconfirmed
        return texts

    def texts_looked_at(self, texts: dict[int, float], closer: dict[int, float]) -> dict[int, float]:
        """The same with the closer look in the place of the meaning, where one was taken."""
        return {
            num: text - self._meaning(num) + self._meaning(num, closer) + self._closer(num, closer)
            for num, text in texts.items()
        }

    def in_reach(self, texts: dict[int, float]) -> Iterable[tuple[int, float]]:
        """Those that may be among the best once all is known about them: facts add only so much to the text."""
        profile, rows = self.profile, self.found.rows.values()
        if self.query.phase or any(row.stale_at or row.changed for row in rows):
            return texts.items()
        best = sorted(texts.values(), reverse=True)[: self.query.limit]
        known = profile.recency + profile.success + (profile.frequency if self.most_used else 0.0)
        if any(row.judged for row in rows):  # being called noise takes as much as being called useful adds
            known += 2 * profile.judged
        enough = best[-1] - known if best else 0.0
        return [(num, text) for num, text in texts.items() if text >= enough]

    def score(self, row: Candidate, text: float) -> float:
        """All parts together. Whatever age, use and success add, the text decides: never more than it says."""
        facts = sum(self._facts(row))
        so_far = text + (facts if facts < text else max(0.0, text))
        return so_far + sum(added for _, added, _ in self._weighed(row, so_far))

    def why(self, num: int, text: float, closer: dict[int, float]) -> tuple[Part, ...]:
        """The parts of a score by name; they add up to it."""
        row = self.found.rows[num]
        recency, frequency, success, judged = facts = self._facts(row)
        known, most = sum(facts), max(0.0, text)
        share = most / known if known > most else 1.0
        told: list[Told] = [
            ("words", self.profile.lexical * self.found.lexical.get(num, 0.0), ""),
            ("meaning", self._meaning(num, closer), ""),
            ("closer", self._closer(num, closer), ""),
            ("time", *self._time(row)),
            ("subject", *self._subject(num)),
            ("asks", -self.profile.asks if row.asks else 0.0, ""),
            ("unconfirmed", -self.profile.unconfirmed if _is_unconfirmed(row) else 0.0, ""),
            ("recency", share * recency, ""),
            ("frequency", share * frequency, ""),
            ("success", share * success, ""),
            ("judged", share * judged, ""),
            *self._weighed(row, text + share * known),
        ]
        return tuple(
            Part(name, self._value(name, added), added, words) for name, added, words in told if added
        )

    def _meaning(self, num: int, closer: Mapping[int, float] = _NOTHING) -> float:
        return 0.0 if num in closer else self.profile.semantic * self.found.semantic.get(num, 0.0)

    def _closer(self, num: int, closer: Mapping[int, float]) -> float:
        if num in closer:
            return self.profile.closer * closer[num]
        # For a kind without vectors its words stand in.
        without = bool(closer) and num not in self.found.semantic
        return self.profile.closer * self.found.lexical.get(num, 0.0) if without else 0.0

    def _time(self, row: Candidate) -> tuple[float, str]:
        if not self.question.periods:
            return 0.0, ""
        at = from_micros(row.happened_at)
        near, words = max((closeness(period, at), period.words) for period in self.question.periods)
        return self.profile.time * near, words

    def _subject(self, num: int) -> tuple[float, str]:
        named = self.question.named.subjects
        sure = [(named[name], name) for name in self.found.about.get(num, ()) if name in named]
        if not sure:
            return 0.0, ""
        surest, name = max(sure)
        return self.profile.subject * surest, name

    def _facts(self, row: Candidate) -> tuple[float, float, float, float]:
        """What age, use and success would add."""
        profile = self.profile
        return (
            profile.recency * _recency(row, self.now, profile) if profile.recency else 0.0,
            profile.frequency * math.log1p(row.access_count) / self.most_used if row.access_count else 0.0,
            profile.success * _success(row) if profile.success else 0.0,
            profile.judged * _judged(row) if row.judged else 0.0,
        )

    def _weighed(self, row: Candidate, so_far: float) -> tuple[Told, ...]:
        """What the phase adds or takes, and what is taken off for being stale or about a file that changed."""
        phase = self.query.phase
        if phase is None and row.stale_at is None and not row.changed:
            return ()
        by_phase = (phase_weight(phase, row.kind) - 1.0) * so_far if phase else 0.0
        stale = -STALE_COSTS * so_far if row.stale_at is not None else 0.0
        changed = -CHANGED_COSTS * so_far if row.changed else 0.0
        return ("phase", by_phase, str(phase or "")), ("stale", stale, ""), ("changed", changed, "")

    def _value(self, name: str, added: float) -> float:
        weight = getattr(self.profile, _WEIGHTS.get(name, name), 1.0)
        return abs(added / weight) if weight else added


def _is_unconfirmed(row: Candidate) -> bool:
    return row.channel == _AGENT and not row.verified


def _recency(row: Candidate, now: int, profile: Profile) -> float:
    age = max(0, now - (row.last_accessed_at or row.created_at))
    if profile.recency_falls == "steps":
        return next((value for limit, value in _STEPS if age <= limit), 0.2)
    return math.exp(-age / (30 * DAY))


def _judged(row: Candidate) -> float:
    """From -1 to 1: the first judgements count most, and no number of them counts for more than one."""
    return row.judged / (abs(row.judged) + 2)


def _success(row: Candidate) -> float:
    """How often a recipe worked, where it is known; else how sure the memory is."""
    if "success_rate" not in row.fields:
        return row.confidence
    rate = json.loads(row.fields).get("success_rate")
    return min(1.0, float(rate)) if isinstance(rate, int | float) else row.confidence
