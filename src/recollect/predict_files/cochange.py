"""Signals from co-change: files that go with those a session has touched already."""

from __future__ import annotations

from collections import Counter, defaultdict

from recollect.model.cochange import Ties, name_likeness
from recollect.predict_files.inputs import PredictionInputs, SignalScores
from recollect.store.tables import cochange

# A session that touched more files says nothing about any two of them.
MAX_FILES = 60


def score_cochanged(inputs: PredictionInputs) -> SignalScores:
    """Files touched in the same sessions, and changed in the same commits where the history was read."""
    scores: dict[str, float] = defaultdict(float)
    with_whom: dict[str, str] = {}
    ties = cochange.read_ties_around(inputs.db, inputs.project_id, inputs.files) if inputs.files else Ties()
    for file in inputs.files:
        shares = _compute_shares(inputs, ties, file)
        for path, share in shares.items():
            if share > scores[path]:
                with_whom[path] = file
            scores[path] += share
    return SignalScores(scores=scores, why=lambda path: f"goes with {with_whom[path]}")


def score_similar_names(inputs: PredictionInputs) -> SignalScores:
    """Files whose name is like one of these: a test and what it tests."""
    scores: dict[str, float] = {}
    for path in inputs.paths.values():
        if likeness := sum(name_likeness(file, path) for file in inputs.files):
            scores[path] = likeness
    return SignalScores(scores=scores, why=lambda path: f"called like {_most_similar(inputs, path)}")


def score_same_folder(inputs: PredictionInputs) -> SignalScores:
    """Files in the same folders."""
    folders = Counter(file.rpartition("/")[0] for file in inputs.files)
    paths = inputs.paths.values()
    scores = {path: float(count) for path in paths if (count := folders[path.rpartition("/")[0]])}
    return SignalScores(scores=scores, why=lambda path: "in the same folder")


def _compute_shares(inputs: PredictionInputs, ties: Ties, seed: str) -> dict[str, float]:
    votes_by_path: dict[str, float] = defaultdict(float)
    for visit in inputs.visits:
        touched = [file.path for file in visit.files]
        if seed in touched and 1 < len(touched) <= MAX_FILES:
            for path in touched:
                votes_by_path[path] += 1 / (len(touched) - 1)
    votes_by_path.pop(seed, None)
    total = sum(votes_by_path.values())
    shares = defaultdict(float, {path: votes / total for path, votes in votes_by_path.items()})
    for path in ties.around(seed):
        if ties.between(seed, path).votes.commits:
            shares[path] += ties.strength(seed, path)
    return shares


def _most_similar(inputs: PredictionInputs, path: str) -> str:
    return max(inputs.files, key=lambda file: name_likeness(file, path))
