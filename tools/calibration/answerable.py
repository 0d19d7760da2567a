"""
Fit the curves of `retrieve/answerable.py` and write their table.

    python tools/calibration/answerable.py

Logistic regression with a small ridge on the half of our own questions that may be looked at. Of a question without an
answer only the hit that looks most like one counts, found again after each round: that is what the bar has to hold.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from benchmarks.answerable import FOLDER, SetProject, SetStore, load_projects
from benchmarks.run import EmbedOnce, open_chosen_embedder
from recollect import config
from recollect.model.query import Query
from recollect.retrieve.answerable import FEATURES, TABLE, measure_features
from recollect.retrieve.search import collect_hits, parse_query

RIDGE = 0.3
ROUNDS = 6
STEPS = 60


class Judged(NamedTuple):
    """A question: whether it has an answer, and what is known of each hit."""

    has_answer: bool
    hits: list[tuple[bool, str, Mapping[str, float]]]


def main() -> None:
    """Fit each curve and write the table."""
    embedder = open_chosen_embedder(config.load_settings(flags={"embedding.tier": "bundled"}))
    assert embedder is not None
    once = EmbedOnce(embedder)
    questions = [one for project in load_projects(FOLDER / "seen.txt") for one in judge(project, once)]
    curves = {name: fit(questions, features) for name, features in FEATURES.items()}
    TABLE.write_text(json.dumps({"curves": curves}, indent=2) + "\n", "utf-8")
    print(json.dumps(curves))


def judge(project: SetProject, embedder: EmbedOnce) -> Iterator[Judged]:
    """What is known of the hits of each question."""
    with SetStore(project.memories, embedder) as store:
        context, now = store.memory._wiring.read_context(), store.memory._wiring.now()
        for question in project.questions:
            query = Query(text=question.text, limit=len(project.memories), filters=store.memory.filters())
            parsed = parse_query(context, query, now)
            assert parsed is not None
            hits = collect_hits(context, parsed, now)
            features = measure_features(context, question.text, parsed.question, hits)
            yield Judged(
                question.has_answer,
                [
                    (store.names[hits[num].memory.id] == question.evidence, sort, values)
                    for num, (sort, values) in features.items()
                ],
            )


def fit(questions: Sequence[Judged], names: Sequence[str]) -> dict[str, object]:
    """A curve as the table keeps it."""
    weights = np.zeros(len(names) + 1)
    for _ in range(ROUNDS):
        rows, wanted = [], []
        for question in questions:
            vectors = [
                (is_evidence, [1.0, *(values[name] for name in names)])
                for is_evidence, _, values in question.hits
            ]
            if question.has_answer:
                rows += [vector for is_evidence, vector in vectors if is_evidence]
                wanted += [1.0 for is_evidence, _ in vectors if is_evidence]
            elif vectors:
                rows.append(
                    max((vector for _, vector in vectors), key=lambda vector: float(weights @ vector))
                )
                wanted.append(0.0)
        weights = _regress(np.array(rows), np.array(wanted))
    return {
        "bias": round(float(weights[0]), 3),
        "weights": {name: round(float(weight), 3) for name, weight in zip(names, weights[1:], strict=True)},
    }


def _regress(rows: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    weights = np.zeros(rows.shape[1])
    ridge = RIDGE * np.eye(len(weights))
    ridge[0, 0] = 0.0
    for _ in range(STEPS):
        chances = 1 / (1 + np.exp(-rows @ weights))
        curvature = rows.T @ (rows * (chances * (1 - chances))[:, None]) + ridge
        weights -= np.linalg.solve(curvature, rows.T @ (chances - wanted) + ridge @ weights)
    return weights


if __name__ == "__main__":
    main()
