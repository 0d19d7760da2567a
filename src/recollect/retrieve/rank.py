"""One score out of all that speaks for a memory; every part of it can be told afterwards."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import partial
from heapq import nlargest
from types import MappingProxyType
from typing import NamedTuple

from recollect.model.hit import Part
from recollect.model.period import closeness
from recollect.model.phase import phase_weight
from recollect.model.profile import Profile
from recollect.model.query import Query
from recollect.model.value import dataclass
from recollect.retrieve.gather import Found
from recollect.retrieve.late_interaction import closer_look
from recollect.retrieve.question import Question
from recollect.retrieve.read_context import Ground
from recollect.store.tables.memories import Candidate
from recollect.store.tables.row_values import from_micros, to_micros

DAY = 86_400_000_000
_STEPS = ((DAY // 24, 1.0), (DAY, 0.7), (7 * DAY, 0.4))
# A memory whose file is gone comes last, however well it fits.
STALE_COSTS = 0.5
# One whose file has changed may still hold: among equals the other comes first.
CHANGED_COSTS = 0.05

# Something told about a memory: a part's name, what it adds, what that part weighs, and the words that speak for it.
Told = tuple[str, float, float, str]

_NOTHING: Mapping[int, float] = MappingProxyType({})


class Scored(NamedTuple):
    """A candidate with its score, and who can tell what that is made of."""

    num: int
    score: float
    tell: Callable[[], tuple[Part, ...]]


def ranked(
    ground: Ground, question: Question, query: Query, profile: Profile, found: Found, now: datetime
) -> list[Scored]:
    """The best candidates, as many as were asked for."""
    most_used = max([row.access_count for row in found.rows.values()], default=0)
    judge = _Judge(question, query, profile, found, to_micros(now), math.log1p(most_used))
    texts = judge.texts()
    closer = closer_look(ground, question, found.rows, texts) if profile.closer else {}
    if closer:
        texts = judge.texts_looked_at(texts, closer)
    scores = {num: judge.score(found.rows[num], text) for num, text in judge.in_reach(texts)}
    best = nlargest(query.limit, zip(scores.values(), scores, strict=True))
    return [Scored(num, score, partial(judge.why, num, texts[num], closer)) for score, num in best]


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
        profile = self.profile
        words, meaning = self.found.lexical.get, self.found.semantic.get
        by_words, by_meaning = profile.lexical, profile.semantic
        texts = {num: by_words * words(num, 0.0) + by_meaning * meaning(num, 0.0) for num in self.found.rows}
        if self.question.periods:
            for num, row in self.found.rows.items():
                texts[num] += self._time(row)[1]
        for num, (sure, _) in self.found.about.items():
            texts[num] += profile.subject * sure
        for row in self.found.marked:
            if row.asks:
                texts[row.num] -= profile.asks
            if row.unconfirmed:
                texts[row.num] -= profile.unconfirmed
        return texts

    def texts_looked_at(self, texts: dict[int, float], closer: dict[int, float]) -> dict[int, float]:
        """The same with the closer look in the place of the meaning, where one was taken."""
        return {
            num: text - self._meaning(num) + self._meaning(num, closer) + self._closer(num, closer)
            for num, text in texts.items()
        }

    def in_reach(self, texts: dict[int, float]) -> Iterable[tuple[int, float]]:
        """Those that may be among the best once all is known about them: facts add only so much to the text."""
        profile, marked = self.profile, self.found.marked
        if self.query.phase or any(row.stale_at or row.changed for row in marked):
            return texts.items()
        best = sorted(texts.values(), reverse=True)[: self.query.limit]
        known = profile.recency + profile.success + (profile.frequency if self.most_used else 0.0)
        if any(row.judged for row in marked):  # being called noise takes as much as being called useful adds
            known += 2 * profile.judged
        enough = best[-1] - known if best else 0.0
        return [(num, text) for num, text in texts.items() if text >= enough]

    def score(self, row: Candidate, text: float) -> float:
        """All parts together. Whatever age, use and success add, the text decides: never more than it says."""
        facts = sum(self._facts(row))
        so_far = text + (facts if facts < text else max(0.0, text))
        return so_far + sum([added for _, added, _, _ in self._weighed(row, so_far)])

    def why(self, num: int, text: float, closer: dict[int, float]) -> tuple[Part, ...]:
        """The parts of a score by name; they add up to it."""
        profile, question, found = self.profile, self.question, self.found
        row = found.rows[num]
        recency, frequency, success, judged = facts = self._facts(row)
        known, most = sum(facts), max(0.0, text)
        share = most / known if known > most else 1.0
        told: list[Told] = [
            ("words", profile.lexical * found.lexical.get(num, 0.0), profile.lexical, ""),
            ("meaning", self._meaning(num, closer), profile.semantic, ""),
            ("recency", share * recency, profile.recency, ""),
            ("frequency", share * frequency, profile.frequency, ""),
            ("success", share * success, profile.success, ""),
            ("judged", share * judged, profile.judged, ""),
        ]
        if closer:
            told.append(("closer", self._closer(num, closer), profile.closer, ""))
        if question.periods:
            told.append(self._time(row))
        if num in found.about:
            sure, name = found.about[num]
            told.append(("subject", profile.subject * sure, profile.subject, name))
        if row.asks:
            told.append(("asks", -profile.asks, profile.asks, ""))
        if row.unconfirmed:
            told.append(("unconfirmed", -profile.unconfirmed, profile.unconfirmed, ""))
        told += self._weighed(row, text + share * known)
        return tuple(
            [Part(name, abs(added / weight), added, words) for name, added, weight, words in told if added]
        )

    def _meaning(self, num: int, closer: Mapping[int, float] = _NOTHING) -> float:
        return 0.0 if num in closer else self.profile.semantic * self.found.semantic.get(num, 0.0)

    def _closer(self, num: int, closer: Mapping[int, float]) -> float:
        if num in closer:
            return self.profile.closer * closer[num]
        # For a kind without vectors its words stand in.
        without = bool(closer) and num not in self.found.semantic
        return self.profile.closer * self.found.lexical.get(num, 0.0) if without else 0.0

    def _time(self, row: Candidate) -> Told:
        at = from_micros(row.happened_at)
        near, words = max((closeness(period, at), period.words) for period in self.question.periods)
        return "time", self.profile.time * near, self.profile.time, words

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
        return (
            ("phase", by_phase, 1.0, str(phase or "")),
            ("stale", stale, 1.0, ""),
            ("changed", changed, 1.0, ""),
        )


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
