"""
The files a session will probably read or change, from what earlier sessions did and from what the checkout says.

Each signal's best file counts 1, and the signals are added up. There are two weights only: what the session itself
says counts 1, what surrounds it a half. Finer ones gained nothing that lasted from one half of the sessions to the
other (`python -m benchmarks replay`); the words of earlier prompts and mere popularity did harm.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from recollect.model.predicted_file import DayOneStanding, PredictedFile
from recollect.model.project import storable
from recollect.model.value import dataclass, replace
from recollect.predict_files.cochange import score_cochanged, score_same_folder, score_similar_names
from recollect.predict_files.content import (
    find_spelled_out,
    score_contents,
    score_definitions,
    score_file_names,
    score_named_in_prompt,
)
from recollect.predict_files.inputs import PredictionInputs, Signal, WeightedScores, add_up
from recollect.predict_files.recency import score_branch_files, score_named_on_branch, score_recent_files
from recollect.predict_files.stems import prompt_stems
from recollect.store.db import Db
from recollect.store.tables import file_visits

MAX_VISITS = 200
MAX_REASONS = 3
MAX_STANDINGS = 10
# What an event keeps of a prompt, too.
_MAX_PROMPT = 8_000
# Of two that say as much, the first gives the reason.
SIGNALS: Mapping[Signal, float] = {
    score_named_in_prompt: 1.0,
    score_contents: 1.0,
    score_cochanged: 1.0,
    score_definitions: 0.5,
    score_branch_files: 0.5,
    score_recent_files: 0.5,
    score_similar_names: 0.5,
    score_named_on_branch: 0.5,
    score_same_folder: 0.5,
    score_file_names: 0.5,
}
_CONTENTS = list(SIGNALS).index(score_contents)


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictionRequest:
    """What a session asks for and where: all that is known of it when its files are predicted."""

    prompt: str
    branch: str = ""
    folder: str = ""
    files: tuple[str, ...] = ()
    session_id: str = ""


def predict_files(
    db: Db,
    project_id: str,
    request: PredictionRequest,
    *,
    limit: int = 10,
    is_there: Callable[[str], bool] | None = None,
    without_sessions: WeightedScores = (),
) -> list[PredictedFile]:
    """
    The likeliest files, best first; those the session has already are left out, and those that are gone.

    WITHOUT_SESSIONS is what the commits and the code of the checkout say (`day_one.py`); on day one it is all there is.
    """
    inputs = build_inputs(db, project_id, request)
    signals = [(signal(inputs), weight) for signal, weight in SIGNALS.items()]
    word_scores = signals[_CONTENTS][0].scores
    by_sessions, by_checkout = add_up(signals), add_up(without_sessions)
    scores = {
        path: by_sessions.get(path, 0.0) + by_checkout.get(path, 0.0) for path in by_sessions | by_checkout
    }
    total = sum(SIGNALS.values()) if by_sessions else sum(weight for _, weight in without_sessions)
    standings = _find_standings(by_checkout, without_sessions)
    touched = {file.path for visit in inputs.visits for file in visit.files}
    predicted: list[PredictedFile] = []
    for path in sorted(scores, key=lambda path: (-scores[path], path)):
        if len(predicted) == limit:
            break
        if (
            path not in request.files
            and not _is_path_tail(path, touched)
            and (is_there is None or is_there(path))
        ):
            predicted.append(
                PredictedFile(
                    path=path,
                    score=min(1.0, scores[path] / total),
                    words=word_scores.get(path, 0.0),
                    reasons=_list_reasons(path, [*signals, *without_sessions]),
                    inferred=path not in by_sessions,
                    day_one=standings.get(path),
                )
            )
    return predicted


def _find_standings(
    by_checkout: Mapping[str, float], without_sessions: WeightedScores
) -> dict[str, DayOneStanding]:
    """Where the best files stand by what the checkout says, and on how much of the text."""
    best = sorted(by_checkout, key=lambda path: (-by_checkout[path], path))[:MAX_STANDINGS]
    total = sum(weight for _, weight in without_sessions)
    average = sum(by_checkout[path] for path in best) / len(best) if best else 0.0
    return {
        path: DayOneStanding(
            place=place,
            ahead=(by_checkout[path] - average) / total,
            words=_share_of_words(without_sessions, path),
        )
        for place, path in enumerate(best)
    }


def _share_of_words(without_sessions: WeightedScores, path: str) -> float:
    """How much of what the text says is said of a file, from 0 to 1."""
    by_words = [(hints, weight) for hints, weight in without_sessions if hints.possible]
    total = sum(weight for _, weight in by_words)
    return (
        sum(weight * min(1.0, hints.scores.get(path, 0.0) / hints.possible) for hints, weight in by_words)
        / total
        if total
        else 0.0
    )


def build_inputs(db: Db, project_id: str, request: PredictionRequest) -> PredictionInputs:
    """Read what the signals look at."""
    prompt, branch = request.prompt[:_MAX_PROMPT], storable(request.branch)
    visits = file_visits.list_visits(
        db, project_id, branch=branch, but_not=request.session_id, limit=MAX_VISITS
    )
    lengths = file_visits.count_words(db, [visit.num for visit in visits])
    inputs = PredictionInputs(
        db=db,
        project_id=project_id,
        prompt=prompt,
        words=prompt_stems(prompt, branch),
        branch=branch,
        folder=request.folder,
        files=request.files,
        session_id=request.session_id,
        visits=visits,
        paths=file_visits.read_paths(db, lengths),
        lengths=lengths,
    )
    # What the prompt spells out brings its company as if it were touched already.
    return replace(inputs, files=tuple(dict.fromkeys((*request.files, *find_spelled_out(inputs)))))


def _is_path_tail(path: str, touched: Collection[str]) -> bool:
    """Whether somebody wrote only the end of a path that is known whole."""
    return path not in touched and any(longer.endswith(f"/{path}") for longer in touched)


def _list_reasons(path: str, signals: WeightedScores) -> tuple[str, ...]:
    """The strongest reasons for a file, in words."""
    shares = [
        (weight * hints.scores[path] / max(hints.scores.values()), hints)
        for hints, weight in signals
        if hints.scores.get(path)
    ]
    ordered = sorted(shares, key=lambda share: -share[0])
    return tuple(hints.why(path) for _, hints in ordered[:MAX_REASONS])
