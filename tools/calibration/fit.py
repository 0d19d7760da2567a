"""
Fit the curves of `inject/calibrate.py` and write their table.

    python tools/calibration/fit.py locomo.json longmemeval.json --sessions FOLDER --histories httpx flask

Logistic regression on one half of the data (`benchmarks/labelled.py` says which), with a small ridge so that no feature
runs away. The expected calibration error is that of the other half. The data stays where it is; the table holds
coefficients and counts only.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import dayone, labelled, metrics
from benchmarks.questions import Dataset
from benchmarks.run import open_chosen_embedder
from recollect import config
from recollect.inject.calibrate import (
    ANSWERS,
    ANSWERS_BY_WORDS,
    FILES,
    FILES_ON_DAY_ONE,
    TABLE,
    Curve,
    Features,
    compute_day_one_features,
)

RIDGE = 1.0
STEPS = 50
# What each curve looks at. The words and the meaning apart, the length of the question or of the memory were tried too:
# they told little more, and would be asked about lengths that no benchmark has.
LOOKS_AT = {
    ANSWERS: ("fit", "lead", "place"),
    ANSWERS_BY_WORDS: ("fit", "lead", "place"),
    FILES: ("ahead", "place", "words"),
    FILES_ON_DAY_ONE: ("ahead", "place", "words"),
}

Examples = list[tuple[Features, bool]]


def _day_one_halves(folders: Sequence[Path]) -> tuple[Examples, Examples]:
    """Every file that is foreseen for a commit, and whether the commit changed it: the earlier commits, the later."""
    earlier: Examples = []
    later: Examples = []
    db, predict = dayone.make_predictor()
    for folder in folders:
        commits: list[Examples] = [
            [
                (compute_day_one_features(file.day_one), file.path in case.targets)
                for file in predict(case)
                if file.day_one
            ]
            for case in dayone.walk_cases(folder)
        ]
        half = len(commits) // 2
        earlier += [one for examples in commits[:half] for one in examples]
        later += [one for examples in commits[half:] for one in examples]
    db.close()
    return earlier, later


def main() -> None:
    """Fit, measure on the other half, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH")
    parser.add_argument("--sessions", type=Path, metavar="FOLDER")
    parser.add_argument("--histories", type=Path, nargs="+", metavar="FOLDER", default=())
    options = parser.parse_args()
    table = json.loads(TABLE.read_text("utf-8")) if TABLE.exists() else {"curves": {}}
    curves = table["curves"]
    if options.sessions:
        halves = [
            labelled.load_predictions(options.sessions, held_out=held_out) for held_out in (False, True)
        ]
        curves[FILES] = fitted(
            FILES, *([one for session in half for one in session.found] for half in halves)
        )
    if options.histories:
        curves[FILES_ON_DAY_ONE] = fitted(FILES_ON_DAY_ONE, *_day_one_halves(options.histories))
    if options.paths:
        datasets = [labelled.load(path) for path in options.paths]
        curves[ANSWERS] = fitted(ANSWERS, *_answers(datasets, config.load_settings()))
        by_words = config.load_settings(flags={"embedding.tier": "none"})
        curves[ANSWERS_BY_WORDS] = fitted(ANSWERS_BY_WORDS, *_answers(datasets, by_words))
    TABLE.write_text(json.dumps(table, indent=2) + "\n", "utf-8")
    print(
        json.dumps({name: {k: v for k, v in one.items() if k != "weights"} for name, one in curves.items()})
    )


def _answers(datasets: Sequence[Dataset], settings: config.Settings) -> Iterable[Examples]:
    embedder = open_chosen_embedder(settings)
    questions = labelled.label_answers(datasets, fitted_too=True, settings=settings, embedder=embedder)
    for held_out in (False, True):
        yield [one for question in questions if question.held_out == held_out for one in question.found]


def fitted(name: str, fit: Examples, held_out: Examples) -> dict[str, Any]:
    """A curve as the table keeps it."""
    curve = _curve(LOOKS_AT[name], fit)
    probabilities = [curve.at(features) for features, _ in held_out]
    bins = metrics.calibration_table(probabilities, [is_wanted for _, is_wanted in held_out])
    return {
        "bias": curve.bias,
        "weights": dict(curve.weights),
        "fitted_to": len(fit),
        "held_out": len(held_out),
        "error_held_out": round(metrics.calibration_error(bins), 4),
    }


def _curve(names: Sequence[str], examples: Examples) -> Curve:
    """Newton's steps on standardised features; the weights are told for the features as they come."""
    raw = np.array([[features[name] for name in names] for features, _ in examples])
    wanted = np.array([float(is_wanted) for _, is_wanted in examples])
    mean, spread = raw.mean(axis=0), raw.std(axis=0) + 1e-9
    inputs = np.column_stack([np.ones(len(raw)), (raw - mean) / spread])
    ridge = np.diag([0.0, *[RIDGE] * len(names)])
    weights = np.zeros(inputs.shape[1])
    for _ in range(STEPS):
        probabilities = 1 / (1 + np.exp(-inputs @ weights))
        slope = inputs.T @ (wanted - probabilities) - ridge @ weights
        bend = inputs.T @ (inputs * (probabilities * (1 - probabilities))[:, None]) + ridge
        weights += np.linalg.solve(bend, slope)
    scaled = weights[1:] / spread
    return Curve(
        bias=round(float(weights[0] - scaled @ mean), 4),
        weights={name: round(float(one), 4) for name, one in zip(names, scaled, strict=True)},
    )


if __name__ == "__main__":
    main()
