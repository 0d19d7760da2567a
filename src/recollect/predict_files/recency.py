"""Signals from recent sessions: files touched lately, and files touched or named on the same branch."""

from __future__ import annotations

from collections import Counter, defaultdict

from recollect.predict_files.inputs import PredictionInputs, SignalScores
from recollect.predict_files.stems import is_trunk


def score_branch_files(inputs: PredictionInputs) -> SignalScores:
    """Files touched on this branch, by session; an earlier one counts half of the next."""
    if is_trunk(inputs.branch):
        return SignalScores()
    scores: dict[str, float] = defaultdict(float)
    sessions: Counter[str] = Counter()
    edited: set[str] = set()
    rank = 0
    for visit in inputs.visits:
        branch_files = [file for file in visit.files if file.branch == inputs.branch]
        for file in branch_files:
            scores[file.path] += 0.5**rank
            sessions[file.path] += 1
            if file.edited:
                edited.add(file.path)
        rank += bool(branch_files)

    def why(path: str) -> str:
        act = "edited" if path in edited else "read"
        return f"{act} on this branch, in {_write_sessions(sessions[path])}"

    return SignalScores(scores=scores, why=why)


def score_named_on_branch(inputs: PredictionInputs) -> SignalScores:
    """Files that a command, a search or the agent named on this branch: a diff, a failing test, a plan."""
    if is_trunk(inputs.branch):
        return SignalScores()
    scores: dict[str, float] = defaultdict(float)
    for rank, visit in enumerate(visit for visit in inputs.visits if visit.branch == inputs.branch):
        for path in (*visit.named, *(file.path for file in visit.files)):
            scores[path] += 0.5**rank
    return SignalScores(scores=scores, why=lambda path: "named on this branch")


def _write_sessions(count: int) -> str:
    return "one session" if count == 1 else f"{count} sessions"


# After so many sessions a file counts half.
HALF_LIFE = 6
SAME_FOLDER = 2.0
SAME_BRANCH = 2.0
_REPORTED_SESSIONS = 12


def score_recent_files(inputs: PredictionInputs) -> SignalScores:
    """What was worked on a short while ago is often worked on again."""
    scores: dict[str, float] = defaultdict(float)
    times_touched: Counter[str] = Counter()
    for rank, visit in enumerate(visit for visit in inputs.visits if visit.files):
        bonus = SAME_FOLDER * (visit.folder == inputs.folder) + SAME_BRANCH * (visit.branch == inputs.branch)
        weight = 0.5 ** (rank / HALF_LIFE) * (1 + bonus)
        for file in visit.files:
            scores[file.path] += weight
            times_touched[file.path] += rank < _REPORTED_SESSIONS
    sessions_shown = min(_REPORTED_SESSIONS, len(inputs.visits))

    def why(path: str) -> str:
        return (
            f"touched in {times_touched[path]} of the last {sessions_shown} sessions"
            if times_touched[path]
            else "touched long ago"
        )

    return SignalScores(scores=scores, why=why)
