"""
How likely it is that something found is wanted: scores into probabilities, by a table that was fitted once.

A logistic curve over what is known without looking again. Of a memory: how well it fits, how far ahead of the next it
lies, which place it has. Of a file: how far it lies above the average of those foreseen, its place, and how much of
what is asked it speaks of.
`tools/calibration/fit.py` makes the table, from public benchmarks and recorded sessions; only its few numbers are here.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from recollect.model.hit import Hit
from recollect.model.predicted_file import Foreseen
from recollect.model.value import dataclass, replace

# What each curve is for.
ANSWERS = "answers"
ANSWERS_BY_WORDS = "answers by words alone"
FILES = "files"

# Behind the last of few comes nothing: it counts as far ahead as one in a hundred was in large stores.
ALONE = 0.2
# So many files are foreseen, however few are named: how far one stands out tells most.
COMPARED = 10

TABLE = Path(__file__).with_name("calibration.json")

Features = Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """What each feature adds to the odds, in logarithms."""

    bias: float
    weights: Mapping[str, float]

    def at(self, features: Features) -> float:
        """The probability, from 0 to 1."""
        odds = self.bias + sum(weight * features[name] for name, weight in self.weights.items())
        return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, odds))))


@cache
def curves() -> Mapping[str, Curve]:
    """The table as it ships."""
    told = json.loads(TABLE.read_text("utf-8"))["curves"]
    return {name: Curve(bias=one["bias"], weights=one["weights"]) for name, one in told.items()}


def likely_answers(hits: Sequence[Hit], *, by_words: bool) -> list[Hit]:
    """The same hits, best first; the score of each is now the probability that it answers the question."""
    curve = curves()[ANSWERS_BY_WORDS if by_words else ANSWERS]
    told = zip(hits, answer_features(hits), strict=True)
    return [replace(hit, score=curve.at(features)) for hit, features in told]


def likely_files(found: Sequence[Foreseen]) -> list[tuple[Foreseen, float]]:
    """Each file, best first, with the probability that the session will open it."""
    curve = curves()[FILES]
    return [(one, curve.at(features)) for one, features in zip(found, file_features(found), strict=True)]


def answer_features(hits: Sequence[Hit]) -> list[Features]:
    """What tells whether each hit is wanted; they come best first."""
    return [
        {"fit": hit.score, "lead": lead, "place": math.log1p(place)}
        for place, (hit, lead) in enumerate(_leads(hits))
    ]


def file_features(found: Sequence[Foreseen]) -> list[Features]:
    """What tells whether each file will be opened; they come best first. Where one is all there is, nothing does."""
    average = sum(one.score for one in found) / len(found) if found else 0.0
    return [
        {"ahead": one.score - average, "place": math.log1p(place), "words": math.log1p(one.words)}
        for place, one in enumerate(found)
    ]


def _leads(ranked: Sequence[Hit]) -> Iterator[tuple[Hit, float]]:
    """Each with how far ahead of the next it lies."""
    for place, one in enumerate(ranked, start=1):
        yield one, one.score - ranked[place].score if place < len(ranked) else min(one.score, ALONE)
