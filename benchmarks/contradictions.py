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

import click

from benchmarks.run import open_chosen_embedder
from recollect.capture.contradict import CONFLICT_MARGIN, explain_contradiction
from recollect.capture.duplicate import has_same_particulars
from recollect.errors import BadInput, NotFound
from recollect.model.subject import parse_subjects
from recollect.model.value import asdict, dataclass
from recollect.providers.embed import Embedder
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import common, read_settings

CONTRADICTION = "contradiction"


@dataclass(frozen=True, slots=True, kw_only=True)
class ContradictionPair:
    """Two texts, the older first, what each is about, how they stand to each other, and in which part they are."""

    a: str
    b: str
    label: str
    about_a: tuple[str, ...] = ()
    about_b: tuple[str, ...] = ()
    half: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContradictionScore:
    """How many contradictions were found, missed and imagined; precision and recall in percent."""

    pairs: int
    found: int
    missed: int
    imagined: int
    precision: float
    recall: float


# Whether two texts with this likeness contradict each other.
Judge = Callable[[ContradictionPair, float], bool]


def load(path: Path) -> list[ContradictionPair]:
    """Read pairs from JSON lines with `a`, `b` and `label`, and perhaps `about_a`, `about_b` and `half`."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except FileNotFoundError:
        raise NotFound(what="file", name=str(path)) from None
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} cannot be read: {error}.") from error
    pairs = [_parse_pair(path, number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    if not any(pair.label == CONTRADICTION for pair in pairs):
        raise BadInput(f"{path} needs pairs labelled {CONTRADICTION!r}, and others.")
    return pairs


def run(
    pairs: Sequence[ContradictionPair], embedder: Embedder
) -> Mapping[str, Mapping[str, ContradictionScore]]:
    """What our rules tell and what likeness alone would, over all pairs and in each part of them."""
    import numpy as np

    texts = list(dict.fromkeys(text for pair in pairs for text in (pair.a, pair.b)))
    embeddings = embedder.embed(texts)
    vectors = {
        text: np.frombuffer(one.vector, np.float32) for text, one in zip(texts, embeddings, strict=True)
    }
    likeness = [float(vectors[pair.a] @ vectors[pair.b]) for pair in pairs]
    close = embedder.duplicate_threshold - CONFLICT_MARGIN
    judges: dict[str, Judge] = {
        "recollect": lambda pair, cosine: cosine >= close and _by_rules(pair),
        "likeness": lambda pair, cosine: (
            cosine >= embedder.duplicate_threshold and not has_same_particulars(pair.a, pair.b)
        ),
    }
    parts = ["all", *dict.fromkeys(pair.half for pair in pairs if pair.half)]
    return {
        name: {part: _score(pairs, likeness, judge, part) for part in parts} for name, judge in judges.items()
    }


def _by_rules(pair: ContradictionPair) -> bool:
    return bool(
        explain_contradiction(pair.a, parse_subjects(pair.about_a), pair.b, parse_subjects(pair.about_b))
    )


def _score(
    pairs: Sequence[ContradictionPair], likeness: Sequence[float], judge: Judge, part: str
) -> ContradictionScore:
    judged = [
        (pair.label == CONTRADICTION, judge(pair, cosine))
        for pair, cosine in zip(pairs, likeness, strict=True)
        if part in ("all", pair.half)
    ]
    true_positives = judged.count((True, True))
    missed, imagined = judged.count((True, False)), judged.count((False, True))
    return ContradictionScore(
        pairs=len(judged),
        found=true_positives,
        missed=missed,
        imagined=imagined,
        precision=_percent(true_positives, true_positives + imagined),
        recall=_percent(true_positives, true_positives + missed),
    )


def _parse_pair(path: Path, number: int, line: str) -> ContradictionPair:
    try:
        fields: dict[str, Any] = json.loads(line)
        return ContradictionPair(
            a=str(fields["a"]),
            b=str(fields["b"]),
            label=str(fields["label"]),
            about_a=tuple(map(str, fields.get("about_a", ()))),
            about_b=tuple(map(str, fields.get("about_b", ()))),
            half=str(fields.get("half", "")),
        )
    except (ValueError, RecursionError, KeyError, TypeError) as error:
        raise BadInput(f"{path}, line {number}: expected a, b and label, found {error!r}.") from error


def _percent(share: int, whole: int) -> float:
    return round(100 * share / whole, 1) if whole else 0.0


@click.command("contradictions")
@click.argument("path", type=click.Path(dir_okay=False, path_type=Path), required=False)
@common
def contradictions_(path: Path | None) -> None:
    """How well memory tells that two texts contradict each other; PATH has lines with a, b and label.

    \b
    python -m benchmarks contradictions pairs.jsonl
    """
    if path is None:
        raise BadInput('Name a file of pairs, one per line: {"a": "…", "b": "…", "label": "contradiction"}.')
    pairs = load(path)
    model = open_chosen_embedder(read_settings())
    if model is None:
        raise BadInput(
            reason="memories that contradict each other are looked for by likeness; choose a model"
        )
    systems = run(pairs, model)
    if output.is_json():
        scores = {name: {part: asdict(one) for part, one in parts.items()} for name, parts in systems.items()}
        output.print_json({"systems": scores, "pairs": len(pairs)})
        return
    rows = [
        (f"{name}, {part}", str(one.pairs), f"{one.precision:.1f}", f"{one.recall:.1f}")
        for name, parts in systems.items()
        for part, one in parts.items()
    ]
    output.print_table(("", "pairs", "precision", "recall"), rows)
