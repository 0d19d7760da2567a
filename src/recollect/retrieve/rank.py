"""Score fusion: one score per candidate as a weighted sum of its parts; every part can be explained afterwards."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import partial
from heapq import nlargest
from types import MappingProxyType
from typing import NamedTuple

from recollect.model.period import closeness
from recollect.model.phase import phase_weight
from recollect.model.profile import Profile
from recollect.model.query import Query
from recollect.model.query import ScorePart as Part
from recollect.model.value import dataclass
from recollect.retrieve.gather import Candidates
from recollect.retrieve.late_interaction import score_late_interaction
from recollect.retrieve.question import ParsedQuestion
from recollect.retrieve.read_context import ReadContext
from recollect.store.tables.memories import RankingRow
from recollect.store.tables.row_values import from_micros, to_micros

DAY = 86_400_000_000
_STEPS = ((DAY // 24, 1.0), (DAY, 0.7), (7 * DAY, 0.4))
# A memory whose file is gone comes last, however well it fits.
STALE_COSTS = 0.5
# One whose file has changed may still hold: among equals the other comes first.
CHANGED_COSTS = 0.05

# One part of a score: its name, what it adds, its weight, and the words it stands on.
ScorePart = tuple[str, float, float, str]

_NOTHING: Mapping[int, float] = MappingProxyType({})


class Scored(NamedTuple):
    """A candidate with its score, and a function that lists the parts of the score."""

    num: int
    score: float
    tell: Callable[[], tuple[Part, ...]]


def rank_candidates(
    context: ReadContext,
    question: ParsedQuestion,
    query: Query,
    profile: Profile,
    candidates: Candidates,
    now: datetime,
) -> list[Scored]:
    """The best candidates, as many as were asked for."""
    most_used = max([row.access_count for row in candidates.rows.values()], default=0)
    judge = _Judge(question, query, profile, candidates, to_micros(now), math.log1p(most_used))
    texts = judge.texts()
    closer = score_late_interaction(context, question, candidates.rows, texts) if profile.closer else {}
    if closer:
        texts = judge.texts_rescored(texts, closer)
    scores = {num: judge.score(candidates.rows[num], text) for num, text in judge.in_reach(texts)}
    best = nlargest(query.limit, zip(scores.values(), scores, strict=True))
    return [Scored(num, score, partial(judge.why, num, texts[num], closer)) for score, num in best]


@dataclass(frozen=True, slots=True)
class _Judge:
    question: ParsedQuestion
    query: Query
    profile: Profile
    candidates: Candidates
    now: int
    most_used: float

    def texts(self) -> dict[int, float]:
        """What the text of each candidate and the question add, before late interaction."""
        profile = self.profile
        words, meaning = self.candidates.lexical.get, self.candidates.semantic.get
        by_words, by_meaning = profile.lexical, profile.semantic
        texts = {
            num: by_words * words(num, 0.0) + by_meaning * meaning(num, 0.0) for num in self.candidates.rows
        }
        if self.question.periods:
            for num, row in self.candidates.rows.items():
                texts[num] += self._time(row)[1]
        for num, (sure, _) in self.candidates.about.items():
            texts[num] += profile.subject * sure
        for row in self.candidates.marked:
            if row.asks:
                texts[row.num] -= profile.asks
            if row.unconfirmed:
                texts[row.num] -= profile.unconfirmed
        return texts

    def texts_rescored(self, texts: dict[int, float], closer: dict[int, float]) -> dict[int, float]:
        """The same with late interaction in the place of the meaning, where it was scored."""
        return {
            num: text - self._meaning(num) + self._meaning(num, closer) + self._closer(num, closer)
            for num, text in texts.items()
        }

    def in_reach(self, texts: dict[int, float]) -> Iterable[tuple[int, float]]:
        """Those that may be among the best once all is known about them: facts add only so much to the text."""
        profile, marked = self.profile, self.candidates.marked
        if self.query.phase or any(row.stale_at or row.changed for row in marked):
            return texts.items()
        best = sorted(texts.values(), reverse=True)[: self.query.limit]
        most_from_facts = profile.recency + profile.success + (profile.frequency if self.most_used else 0.0)
        if any(row.judged for row in marked):  # being called noise takes as much as being called useful adds
            most_from_facts += 2 * profile.judged
        min_text = best[-1] - most_from_facts if best else 0.0
        return [(num, text) for num, text in texts.items() if text >= min_text]

    def score(self, row: RankingRow, text: float) -> float:
        """All parts together. Whatever age, use and success add, the text decides: never more than it says."""
        facts = sum(self._facts(row))
        so_far = text + (facts if facts < text else max(0.0, text))
        return so_far + sum([added for _, added, _, _ in self._weighed(row, so_far)])

    def why(self, num: int, text: float, closer: dict[int, float]) -> tuple[Part, ...]:
        """The parts of a score by name; they add up to it."""
        profile, question, candidates = self.profile, self.question, self.candidates
        row = candidates.rows[num]
        recency, frequency, success, judgement = facts = self._facts(row)
        facts_sum, most = sum(facts), max(0.0, text)
        share = most / facts_sum if facts_sum > most else 1.0
        parts: list[ScorePart] = [
            ("words", profile.lexical * candidates.lexical.get(num, 0.0), profile.lexical, ""),
            ("meaning", self._meaning(num, closer), profile.semantic, ""),
            ("recency", share * recency, profile.recency, ""),
            ("frequency", share * frequency, profile.frequency, ""),
            ("success", share * success, profile.success, ""),
            ("judged", share * judgement, profile.judged, ""),
        ]
        if closer:
            parts.append(("closer", self._closer(num, closer), profile.closer, ""))
        if question.periods:
            parts.append(self._time(row))
        if num in candidates.about:
            sure, name = candidates.about[num]
            parts.append(("subject", profile.subject * sure, profile.subject, name))
        if row.asks:
            parts.append(("asks", -profile.asks, profile.asks, ""))
        if row.unconfirmed:
            parts.append(("unconfirmed", -profile.unconfirmed, profile.unconfirmed, ""))
        parts += self._weighed(row, text + share * facts_sum)
        return tuple(
            [Part(name, abs(added / weight), added, words) for name, added, weight, words in parts if added]
        )

    def _meaning(self, num: int, closer: Mapping[int, float] = _NOTHING) -> float:
        return 0.0 if num in closer else self.profile.semantic * self.candidates.semantic.get(num, 0.0)

    def _closer(self, num: int, closer: Mapping[int, float]) -> float:
        if num in closer:
            return self.profile.closer * closer[num]
        # For a kind without vectors its words stand in.
        without = bool(closer) and num not in self.candidates.semantic
        return self.profile.closer * self.candidates.lexical.get(num, 0.0) if without else 0.0

    def _time(self, row: RankingRow) -> ScorePart:
        at = from_micros(row.happened_at)
        near, words = max((closeness(period, at), period.words) for period in self.question.periods)
        return "time", self.profile.time * near, self.profile.time, words

    def _facts(self, row: RankingRow) -> tuple[float, float, float, float]:
        """What age, use and success would add."""
        profile = self.profile
        return (
            profile.recency * _recency(row, self.now, profile) if profile.recency else 0.0,
            profile.frequency * math.log1p(row.access_count) / self.most_used if row.access_count else 0.0,
            profile.success * _success(row) if profile.success else 0.0,
            profile.judged * _judged(row) if row.judged else 0.0,
        )

    def _weighed(self, row: RankingRow, so_far: float) -> tuple[ScorePart, ...]:
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


def _recency(row: RankingRow, now: int, profile: Profile) -> float:
    age = max(0, now - (row.last_accessed_at or row.created_at))
    if profile.recency_falls == "steps":
        return next((value for limit, value in _STEPS if age <= limit), 0.2)
    return math.exp(-age / (30 * DAY))


def _judged(row: RankingRow) -> float:
    """From -1 to 1: the first judgements count most, and no number of them counts for more than one."""
    return row.judged / (abs(row.judged) + 2)


def _success(row: RankingRow) -> float:
    """How often a recipe worked, where it is known; else how sure the memory is."""
    if "success_rate" not in row.fields:
        return row.confidence
    rate = json.loads(row.fields).get("success_rate")
    return min(1.0, float(rate)) if isinstance(rate, int | float) else row.confidence
