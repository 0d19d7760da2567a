"""
How well a model's cosine tells texts that say the same from texts that are only related, or different.

Opposites ("is on", "is off") are near in every model; intake tells them apart by their words. Their likeness
is shown, but they do not count.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import click

from benchmarks.questions import read_text
from benchmarks.run import open_chosen_embedder
from recollect.errors import BadInput
from recollect.model.value import asdict, dataclass
from recollect.model.words import query_words
from recollect.providers.embed import Embedder
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import common, read_settings

SAME = "same"
OPPOSITE = "opposite"


@dataclass(frozen=True, slots=True, kw_only=True)
class ParaphrasePair:
    """Two texts and how they stand to each other: same, related, opposite, different."""

    a: str
    b: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Separation:
    """How well likeness separates `same` from the rest, in percent; and each label's mean likeness."""

    average_precision: float
    # The share of pairs judged right at the threshold, and at the best one there could be.
    accuracy: float
    best_accuracy: float
    likeness: Mapping[str, float]


def load(path: Path) -> list[ParaphrasePair]:
    """Read pairs from JSON lines with `a`, `b` and `label`."""
    lines = read_text(path).splitlines()
    pairs = [_parse_pair(path, number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    if len({pair.label == SAME for pair in pairs if pair.label != OPPOSITE}) < 2:
        raise BadInput(f"{path} needs pairs labelled {SAME!r} and pairs labelled otherwise, such as related.")
    return pairs


def by_model(pairs: Sequence[ParaphrasePair], embedder: Embedder) -> Separation:
    """As the model's cosine has it, judged at the model's own threshold."""
    import numpy as np

    texts = list(dict.fromkeys(text for pair in pairs for text in (pair.a, pair.b)))
    embeddings = embedder.embed(texts)
    vectors = {
        text: np.frombuffer(one.vector, np.float32) for text, one in zip(texts, embeddings, strict=True)
    }
    return separation(
        pairs, [float(vectors[p.a] @ vectors[p.b]) for p in pairs], embedder.duplicate_threshold
    )


def by_words(pairs: Sequence[ParaphrasePair]) -> Separation:
    """The baseline: the share of words that two texts have in common, judged at a half."""
    return separation(pairs, [_in_common(pair) for pair in pairs], 0.5)


def separation(
    pairs: Sequence[ParaphrasePair], likeness: Sequence[float], duplicate_threshold: float
) -> Separation:
    """How well these likenesses separate the pairs."""
    judged = [
        (pair.label == SAME, value)
        for pair, value in zip(pairs, likeness, strict=True)
        if pair.label != OPPOSITE
    ]
    by_label: dict[str, list[float]] = {}
    for pair, value in zip(pairs, likeness, strict=True):
        by_label.setdefault(pair.label, []).append(value)
    return Separation(
        average_precision=_percent(average_precision(judged)),
        accuracy=_percent(_accuracy(judged, duplicate_threshold)),
        best_accuracy=_percent(max(_accuracy(judged, value) for _, value in judged)),
        likeness={label: round(sum(values) / len(values), 3) for label, values in by_label.items()},
    )


def average_precision(judged: Iterable[tuple[bool, float]]) -> float:
    """The mean, over all that is wanted, of the precision where each of it stands."""
    hits = 0
    total = 0.0
    for place, (is_wanted, _) in enumerate(sorted(judged, key=lambda one: -one[1]), start=1):
        if is_wanted:
            hits += 1
            total += hits / place
    return total / hits


def _accuracy(judged: Sequence[tuple[bool, float]], threshold: float) -> float:
    return sum(is_same == (value >= threshold) for is_same, value in judged) / len(judged)


def _in_common(pair: ParaphrasePair) -> float:
    a, b = set(query_words(pair.a)), set(query_words(pair.b))
    return len(a & b) / (len(a | b) or 1)


def _parse_pair(path: Path, number: int, line: str) -> ParaphrasePair:
    try:
        fields = json.loads(line)
        return ParaphrasePair(a=str(fields["a"]), b=str(fields["b"]), label=str(fields["label"]))
    except (ValueError, RecursionError, KeyError, TypeError) as error:
        raise BadInput(f"{path}, line {number}: expected a, b and label, found {error!r}.") from error


def _percent(share: float) -> float:
    return round(100 * share, 1)


@click.command("paraphrases")
@click.argument("path", type=click.Path(dir_okay=False, path_type=Path), required=False)
@common
def paraphrases_(path: Path | None) -> None:
    """How well the model tells pairs that say the same from others; PATH has lines with a, b and label.

    \b
    python -m benchmarks paraphrases pairs.jsonl
    """
    if path is None:
        raise BadInput('Name a file of pairs, one per line: {"a": "…", "b": "…", "label": "same"}.')
    pairs = load(path)
    model = open_chosen_embedder(read_settings())
    systems = {"words": by_words(pairs)}
    if model is not None:
        systems = {"recollect": by_model(pairs, model), **systems}
    if output.is_json():
        output.print_json(
            {
                "systems": {name: asdict(separation) for name, separation in systems.items()},
                "pairs": len(pairs),
            }
        )
        return
    labels = list(dict.fromkeys(pair.label for pair in pairs))
    headings = ("", "average precision", "accuracy", "at best", *labels)
    output.print_table(
        headings, [_separation_row(name, separation, labels) for name, separation in systems.items()]
    )


def _separation_row(name: str, separation: Separation, labels: Sequence[str]) -> tuple[str, ...]:
    shares = (separation.average_precision, separation.accuracy, separation.best_accuracy)
    return (
        name,
        *(f"{share:.1f}" for share in shares),
        *(f"{separation.likeness[label]:.2f}" for label in labels),
    )
