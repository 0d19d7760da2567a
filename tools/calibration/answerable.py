"""
Fit the curves of `retrieve/answerable.py` and write their table.

    python tools/calibration/answerable.py
    python tools/calibration/answerable.py --try      # cross-validated figures only, nothing is written

Logistic regression with a small ridge on the domains of our own questions that may be looked at, each asked of a store
of its own and of a large one. Of a question without an answer only the hit that looks most like one counts, found again
after each round: that is what the bar has to hold. To say "nothing is known" where an answer lies there is worse than
to show the nearest, so the bar is laid where cross-validation by domain puts so many of the answers below it.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from benchmarks.answerable import FOLDER, OTHER_NOTES, SetProject, SetStore, load_projects, make_other_notes
from benchmarks.run import EmbedOnce, open_chosen_embedder
from recollect import config
from recollect.model.query import Query
from recollect.retrieve.answerable import FEATURES, MAX_JUDGED, TABLE, measure_features
from recollect.retrieve.search import collect_hits, parse_query

RIDGE = 0.3
ROUNDS = 6
STEPS = 60
# So many of the answers may lie below the bar.
WRONGLY_SILENT = 0.05


class Judged(NamedTuple):
    """A question of a domain: whether it has an answer, and what is known of each hit; none if it has no topic."""

    domain: str
    has_answer: bool
    hits: list[tuple[bool, Mapping[str, float]]]


def main() -> None:
    """Fit each curve and write the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--try", action="store_true", dest="is_trial")
    options = parser.parse_args()
    embedder = open_chosen_embedder(config.load_settings(flags={"embedding.tier": "bundled"}))
    assert embedder is not None
    questions = list(judge_all(load_projects(FOLDER / "seen.txt"), EmbedOnce(embedder)))
    curves = {}
    for name, features in FEATURES.items():
        scores = cross_validate(questions, features)
        bar = find_bar(scores)
        silent = np.mean([score < bar for score, has_answer in scores if not has_answer])
        print(
            f"{name}: bar at {bar:.2f}, {100 * silent:.1f} % of the unanswerable below it, by domain left out"
        )
        weights = fit(questions, features)
        # The bar of the curve is at even odds.
        weights[0] -= bar
        curves[name] = _as_table(weights, features)
    if not options.is_trial:
        TABLE.write_text(json.dumps({"curves": curves}, indent=2) + "\n", "utf-8")
    print(json.dumps(curves))


def judge_all(projects: Sequence[SetProject], embedder: EmbedOnce) -> Iterator[Judged]:
    """Every question, asked of its own project and of all of them among many other notes."""
    for project in projects:
        with SetStore(project.memories, embedder) as store:
            yield from judge(store, project)
    everything = [one for project in projects for one in project.memories]
    with SetStore([*everything, *make_other_notes(OTHER_NOTES)], embedder) as store:
        for project in projects:
            yield from judge(store, project)


def judge(store: SetStore, project: SetProject) -> Iterator[Judged]:
    """What is known of the hits of each question of a project."""
    context, now = store.memory._wiring.read_context(), store.memory._wiring.now()
    for question in project.questions:
        query = Query(text=question.text, limit=MAX_JUDGED, filters=store.memory.filters())
        parsed = parse_query(context, query, now)
        assert parsed is not None
        hits = collect_hits(context, parsed, now)
        features = measure_features(context, question.text, parsed.question, hits)
        yield Judged(
            project.name,
            question.has_answer,
            [
                (store.names.get(hits[num].memory.id) == question.evidence, values)
                for num, (_, values) in features.items()
            ],
        )


def cross_validate(questions: Sequence[Judged], names: Sequence[str]) -> list[tuple[float, bool]]:
    """The odds of the best hit of each question by a curve that saw no question of its domain."""
    scores = []
    for domain in dict.fromkeys(question.domain for question in questions):
        weights = fit((question for question in questions if question.domain != domain), names)
        scores += [
            (_find_best(question, names, weights), question.has_answer)
            for question in questions
            if question.domain == domain
        ]
    return scores


def find_bar(scores: Iterable[tuple[float, bool]]) -> float:
    """The odds below which few enough of the answers lie."""
    answers = sorted(score for score, has_answer in scores if has_answer)
    return answers[int(WRONGLY_SILENT * len(answers))]


def fit(questions: Iterable[Judged], names: Sequence[str]) -> np.ndarray:
    """The bias and the weights of a curve."""
    judged = [(question, _to_vectors(question, names)) for question in questions]
    weights = np.zeros(len(names) + 1)
    for _ in range(ROUNDS):
        rows, wanted = [], []
        for question, vectors in judged:
            if question.has_answer:
                evidence = [
                    vector
                    for (is_evidence, _), vector in zip(question.hits, vectors, strict=True)
                    if is_evidence
                ]
                rows += evidence
                wanted += [1.0] * len(evidence)
            elif vectors:
                rows.append(max(vectors, key=lambda vector: float(weights @ vector)))
                wanted.append(0.0)
        weights = _regress(np.array(rows), np.array(wanted))
    return weights


def _to_vectors(question: Judged, names: Sequence[str]) -> list[list[float]]:
    return [[1.0, *(values[name] for name in names)] for _, values in question.hits]


def _find_best(question: Judged, names: Sequence[str], weights: np.ndarray) -> float:
    return max((float(weights @ np.array(vector)) for vector in _to_vectors(question, names)), default=-30.0)


def _as_table(weights: np.ndarray, names: Sequence[str]) -> dict[str, object]:
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
