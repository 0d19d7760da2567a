"""
How well memory tells that two texts speak against each other, on labelled pairs.

A pair is a contradiction, or a paraphrase, unrelated, or about another subject; the last three are all "no". The
baseline calls every pair a contradiction that sounds alike and does not say the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from recollect.capture.contradict import MARGIN, contradicts
from recollect.capture.duplicate import same_particulars
from recollect.errors import BadInput, NotFound
from recollect.model.subject import subjects_of
from recollect.model.value import dataclass
from recollect.providers.embed import Embedder

CONTRADICTION = "contradiction"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two texts, the older first, what each is about, how they stand to each other, and in which part they are."""

    a: str
    b: str
    label: str
    about_a: tuple[str, ...] = ()
    about_b: tuple[str, ...] = ()
    half: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """How many contradictions were found, missed and imagined; precision and recall in percent."""

    pairs: int
    found: int
    missed: int
    imagined: int
    precision: float
    recall: float


# Whether two texts with this likeness contradict each other.
Judge = Callable[[Pair, float], bool]


def load(path: Path) -> list[Pair]:
    """Read pairs from JSON lines with `a`, `b` and `label`, and perhaps `about_a`, `about_b` and `half`."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except FileNotFoundError:
        raise NotFound(what="file", name=str(path)) from None
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} cannot be read: {error}.") from error
    pairs = [_pair(path, number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    if not any(pair.label == CONTRADICTION for pair in pairs):
        raise BadInput(f"{path} needs pairs labelled {CONTRADICTION!r}, and others.")
    return pairs


def run(pairs: Sequence[Pair], embedder: Embedder) -> Mapping[str, Mapping[str, Told]]:
    """What our rules tell and what likeness alone would, over all pairs and in each part of them."""
    import numpy as np

    texts = list(dict.fromkeys(text for pair in pairs for text in (pair.a, pair.b)))
    made = embedder.embed(texts)
    vectors = {text: np.frombuffer(one.vector, np.float32) for text, one in zip(texts, made, strict=True)}
    likeness = [float(vectors[pair.a] @ vectors[pair.b]) for pair in pairs]
    close = embedder.same_above - MARGIN
    judges: dict[str, Judge] = {
        "recollect": lambda pair, cosine: cosine >= close and _by_rules(pair),
        "likeness": lambda pair, cosine: (
            cosine >= embedder.same_above and not same_particulars(pair.a, pair.b)
        ),
    }
    parts = ["all", *dict.fromkeys(pair.half for pair in pairs if pair.half)]
    return {
        name: {part: _told(pairs, likeness, judge, part) for part in parts} for name, judge in judges.items()
    }


def _by_rules(pair: Pair) -> bool:
    return bool(contradicts(pair.a, subjects_of(pair.about_a), pair.b, subjects_of(pair.about_b)))


def _told(pairs: Sequence[Pair], likeness: Sequence[float], judge: Judge, part: str) -> Told:
    judged = [
        (pair.label == CONTRADICTION, judge(pair, cosine))
        for pair, cosine in zip(pairs, likeness, strict=True)
        if part in ("all", pair.half)
    ]
    found = judged.count((True, True))
    missed, imagined = judged.count((True, False)), judged.count((False, True))
    return Told(
        pairs=len(judged),
        found=found,
        missed=missed,
        imagined=imagined,
        precision=_percent(found, found + imagined),
        recall=_percent(found, found + missed),
    )


def _pair(path: Path, number: int, line: str) -> Pair:
    try:
        given: dict[str, Any] = json.loads(line)
        return Pair(
            a=str(given["a"]),
            b=str(given["b"]),
            label=str(given["label"]),
            about_a=tuple(map(str, given.get("about_a", ()))),
            about_b=tuple(map(str, given.get("about_b", ()))),
            half=str(given.get("half", "")),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise BadInput(f"{path}, line {number}: expected a, b and label, found {error!r}.") from error


def _percent(share: int, whole: int) -> float:
    return round(100 * share / whole, 1) if whole else 0.0
