"""
Calibration (logistic regression): scores into probabilities that a hit is wanted, by a table that was fitted once.

A logistic curve over what is known without looking again. Of a memory: how well it fits, how far ahead of the next it
lies, which place it has. Of a file: how far it lies above the average of those predicted, its place, and how much of
what is asked it speaks of.
`tools/calibration/fit.py` makes the table, from public benchmarks and recorded sessions; only its few numbers are here.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from recollect.model.predicted_file import DayOneStanding, PredictedFile
from recollect.model.query import Hit
from recollect.model.value import dataclass, replace

# What each curve is for.
ANSWERS = "answers"
ANSWERS_BY_WORDS = "answers by words alone"
FILES = "files"
FILES_ON_DAY_ONE = "files on day one"

# Behind the last of few comes nothing: it counts as far ahead as one in a hundred was in large stores.
LEAD_OF_THE_LAST = 0.2
# So many files are predicted, however few are named: how far one stands out tells most.
MAX_COMPARED_FILES = 10
# A file that no session met is named when it is asked for only where it is at least so probable.
MIN_INFERRED_PROBABILITY = 0.15

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
def load_curves() -> Mapping[str, Curve]:
    """The table as it ships."""
    table = json.loads(TABLE.read_text("utf-8"))["curves"]
    return {name: Curve(bias=row["bias"], weights=row["weights"]) for name, row in table.items()}


def calibrate_answers(hits: Sequence[Hit], *, by_words: bool) -> list[Hit]:
    """The same hits, best first; the score of each is now the probability that it answers the question."""
    curve = load_curves()[ANSWERS_BY_WORDS if by_words else ANSWERS]
    featured = zip(hits, compute_answer_features(hits), strict=True)
    return [replace(hit, score=curve.at(features)) for hit, features in featured]


def calibrate_files(files: Sequence[PredictedFile]) -> list[tuple[PredictedFile, float]]:
    """Each file, best first, with the probability that the session will open it."""
    curve, on_day_one = load_curves()[FILES], load_curves()[FILES_ON_DAY_ONE]
    calibrated: list[tuple[PredictedFile, float]] = []
    for file, features in zip(files, compute_file_features(files), strict=True):
        by_sessions = 0.0 if file.inferred else curve.at(features)
        by_checkout = on_day_one.at(compute_day_one_features(file.day_one)) if file.day_one else 0.0
        calibrated.append((file, max(by_sessions, by_checkout)))
    return calibrated


def keep_likely(files: Sequence[PredictedFile]) -> list[PredictedFile]:
    """The same files without those that are only inferred and not probable enough."""
    return [
        file
        for file, probability in calibrate_files(files)
        if not file.inferred or probability >= MIN_INFERRED_PROBABILITY
    ]


def compute_answer_features(hits: Sequence[Hit]) -> list[Features]:
    """What tells whether each hit is wanted; they come best first."""
    return [
        {"fit": hit.score, "lead": lead, "place": math.log1p(place)}
        for place, (hit, lead) in enumerate(_with_leads(hits))
    ]


def compute_file_features(files: Sequence[PredictedFile]) -> list[Features]:
    """What tells whether each file will be opened; they come best first. Where one is all there is, nothing does."""
    average = sum(file.score for file in files) / len(files) if files else 0.0
    return [
        {"ahead": file.score - average, "place": math.log1p(place), "words": math.log1p(file.words)}
        for place, file in enumerate(files)
    ]


def compute_day_one_features(standing: DayOneStanding) -> Features:
    """What tells whether a file will be changed that only commits and code speak for."""
    return {
        "ahead": standing.ahead,
        "place": math.log1p(standing.place),
        "words": standing.words,
    }


def _with_leads(ranked: Sequence[Hit]) -> Iterator[tuple[Hit, float]]:
    """Each with how far ahead of the next it lies."""
    for place, hit in enumerate(ranked, start=1):
        yield (
            hit,
            hit.score - ranked[place].score if place < len(ranked) else min(hit.score, LEAD_OF_THE_LAST),
        )
