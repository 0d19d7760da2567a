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
from recollect.store import anchors
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


# The parts of a score: first what the text and the question say, then what is known about the memory.
_SAID = ("words", "meaning", "closer", "time", "subject", "asks", "unconfirmed")
_KNOWN = ("recency", "frequency", "success", "judged")
_MEANING, _CLOSER = _SAID.index("meaning"), _SAID.index("closer")


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
    most_used = max((row.access_count for row in found.rows.values()), default=0)
    changed = anchors.changed(ground.db, found.rows)
    judge = _Judge(question, query, profile, found, to_micros(now), most_used, changed)
    said = {num: judge.said(row) for num, row in found.rows.items()}
    if profile.closer:
        first = {num: sum(values) for num, values in said.items()}
        judge.look_closer(said, closer_look(ground, question, found.rows, first))
    scores = {num: judge.score(row, said[num]) for num, row in found.rows.items()}
    best = nlargest(query.limit, scores, key=lambda num: (scores[num], num))
    return [Scored(num, scores[num], judge.why(found.rows[num], said[num])) for num in best]


@dataclass(frozen=True, slots=True)
class _Judge:
    question: Question
    query: Query
    profile: Profile
    found: Found
    now: int
    most_used: int
    changed: frozenset[int]

    def said(self, row: Candidate) -> list[float]:
        """What the text and the question add, part by part in the order of _SAID."""
        profile, question, num = self.profile, self.question, row.num
        return [
            profile.lexical * self.found.lexical.get(num, 0.0),
            profile.semantic * self.found.semantic.get(num, 0.0),
            0.0,
            profile.time * self._closest(row)[0] if question.periods else 0.0,
            profile.subject * self._named(num)[0] if question.named else 0.0,
            -profile.asks if row.asks else 0.0,
            -profile.unconfirmed if row.channel == _AGENT and not row.verified else 0.0,
        ]

    def look_closer(self, said: dict[int, list[float]], closer: dict[int, float]) -> None:
        """Where a closer look was taken, it stands in the place of the meaning."""
        if not closer:
            return
        for num, values in said.items():
            if num in closer:
                values[_MEANING], values[_CLOSER] = 0.0, self.profile.closer * closer[num]
            elif num not in self.found.semantic:  # a kind without vectors: its words stand in
                values[_CLOSER] = self.profile.closer * self.found.lexical.get(num, 0.0)

    def score(self, row: Candidate, said: list[float]) -> float:
        """All parts together."""
        text = sum(said)
        so_far = text + sum(self._known(row, text))
        return so_far + sum(self._weighed(row, so_far))

    def why(self, row: Candidate, said: list[float]) -> tuple[Part, ...]:
        """The parts of a score by name; they add up to it."""
        known = self._known(row, sum(said))
        phase, stale, changed = self._weighed(row, sum(said) + sum(known))
        spoken = {
            "time": self._closest(row)[1] if self.question.periods else "",
            "subject": self._named(row.num)[1] if self.question.named else "",
            "phase": str(self.query.phase or ""),
        }
        told = [*zip((*_SAID, *_KNOWN), (*said, *known), strict=True)]
        told += [("phase", phase), ("stale", stale), ("changed", changed)]
        return tuple(
            Part(name, self._value(name, added), added, spoken.get(name, "")) for name, added in told if added
        )

    def _known(self, row: Candidate, text: float) -> tuple[float, ...]:
        """What age, use and success add. Whatever that is, the text decides: never more than it says."""
        profile = self.profile
        known = (
            profile.recency * _recency(row, self.now, profile) if profile.recency else 0.0,
            profile.frequency * math.log1p(row.access_count) / math.log1p(self.most_used)
            if row.access_count
            else 0.0,
            profile.success * _success(row) if profile.success else 0.0,
            profile.judged * _judged(row) if row.judged else 0.0,
        )
        most, facts = max(0.0, text), sum(known)
        return known if facts <= most else tuple(value * most / facts for value in known)

    def _weighed(self, row: Candidate, so_far: float) -> tuple[float, float, float]:
        """What the phase adds or takes, and what is taken off for being stale or about a file that changed."""
        if self.query.phase is None and row.stale_at is None and row.num not in self.changed:
            return 0.0, 0.0, 0.0
        stale = -STALE_COSTS * so_far if row.stale_at is not None else 0.0
        changed = -CHANGED_COSTS * so_far if row.num in self.changed else 0.0
        return (phase_weight(self.query.phase, row.kind) - 1.0) * so_far, stale, changed

    def _value(self, name: str, added: float) -> float:
        weight = getattr(self.profile, _WEIGHTS.get(name, name), 1.0)
        return abs(added / weight) if weight else added

    def _closest(self, row: Candidate) -> tuple[float, str]:
        at = from_micros(row.happened_at)
        return max((closeness(period, at), period.words) for period in self.question.periods)

    def _named(self, num: int) -> tuple[float, str]:
        named = self.question.named.subjects
        about = self.found.about.get(num, ())
        return max(((named[name], name) for name in about if name in named), default=(0.0, ""))


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
