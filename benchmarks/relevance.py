"""
What a prompt is told, measured: how much of it was wanted, how much of what was wanted was told, and whether silence
was right.

Every question of the half that nothing was fitted to is asked of its own store and of others (`labelled.py`). Told is
what reaches the bar of a first prompt. Beside it stand the best few told always, and silence always.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from benchmarks import reliability
from benchmarks.labelled import Labelled, labelled
from benchmarks.questions import Dataset
from benchmarks.run import Progress, quiet
from recollect.config import Settings
from recollect.errors import BadInput
from recollect.inject.calibrate import ANSWERS, ANSWERS_BY_WORDS, Curve, Features, curves
from recollect.inject.layout import FITS
from recollect.model.value import asdict, dataclass
from recollect.providers.embed import Embedder

OURS = "recollect"
ALWAYS = "top-k always"
SILENCE = "always silent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What came of telling, or of keeping silent; shares in percent, none where there is nothing to count."""

    # Of what was told, how much was wanted; of what was wanted, how much was told.
    precision: float | None
    recall: float | None
    # Of the questions without an answer, how many met with silence; of the silences, how many were right.
    silent_when_unknown: float | None
    silence_was_right: float | None
    # Of the questions with an answer, how many were told at least one thing they wanted.
    helped: float | None
    items: int


def run(
    datasets: Sequence[Dataset],
    *,
    settings: Settings | None = None,
    embedder: Embedder | None = None,
    progress: Progress = quiet,
) -> dict[str, Any]:
    """Ask, tell, and count."""
    asked = labelled(datasets, settings=settings, embedder=embedder, progress=progress)
    if not asked:
        raise BadInput("There is nothing to measure: all of it belongs to the half that was fitted to.")
    curve = curves()[ANSWERS if embedder else ANSWERS_BY_WORDS]
    sources = dict.fromkeys(one.source for one in asked)
    return {
        "systems": _systems(curve, asked),
        "sources": {
            source: _systems(curve, [one for one in asked if one.source == source]) for source in sources
        },
        **_reliability(curve, asked),
        "bar": FITS,
        "counts": {
            "questions": len(asked),
            "with_answer": sum(one.answerable for one in asked),
            "items": sum(len(one.found) for one in asked),
        },
    }


def _systems(curve: Curve, asked: Sequence[Labelled]) -> dict[str, dict[str, Any]]:
    tellers: Mapping[str, Callable[[Features], bool]] = {
        OURS: lambda features: curve.at(features) >= FITS,
        ALWAYS: lambda features: True,
        SILENCE: lambda features: False,
    }
    return {name: asdict(_told(asked, tells)) for name, tells in tellers.items()}


def _told(asked: Sequence[Labelled], tells: Callable[[Features], bool]) -> Told:
    told = [[is_wanted for features, is_wanted in one.found if tells(features)] for one in asked]
    pairs = list(zip(asked, told, strict=True))
    unknown = [said for one, said in pairs if not one.answerable]
    known = [said for one, said in pairs if one.answerable]
    silences = [one for one, said in pairs if not said]
    right = sum(map(sum, told))
    return Told(
        precision=_percent(right, sum(map(len, told))),
        recall=_percent(right, sum(one.wanted for one in asked)),
        silent_when_unknown=_percent(sum(not said for said in unknown), len(unknown)),
        silence_was_right=_percent(sum(not one.answerable for one in silences), len(silences)),
        helped=_percent(sum(map(any, known)), len(known)),
        items=sum(map(len, told)),
    )


def _reliability(curve: Curve, asked: Sequence[Labelled]) -> dict[str, Any]:
    found = [one for question in asked for one in question.found]
    bins = reliability.table([curve.at(features) for features, _ in found], [wanted for _, wanted in found])
    return {
        "reliability": [asdict(one) for one in bins],
        "calibration_error": round(reliability.error(bins), 4),
    }


def _percent(part: float, whole: float) -> float | None:
    return round(100 * part / whole, 1) if whole else None
