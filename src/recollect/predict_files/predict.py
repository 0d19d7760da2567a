"""
The files a session will probably read or change, from what earlier sessions of the project did.

Each signal's best file counts 1, and the signals are added up. There are two weights only: what the session itself
says counts 1, what surrounds it a half. Finer ones gained nothing that lasted from one half of the sessions to the
other (`python -m benchmarks replay`); the words of earlier prompts and mere popularity did harm.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from recollect.model.predicted_file import Foreseen
from recollect.model.project import storable
from recollect.model.value import dataclass, replace
from recollect.predict_files.branch import named_on_branch, on_branch
from recollect.predict_files.cochange import beside, called_alike, company
from recollect.predict_files.content import defines, holds
from recollect.predict_files.inputs import Hints, Scene, Signal
from recollect.predict_files.named import called, named, spelt_out
from recollect.predict_files.recency import lately
from recollect.predict_files.stems import asked_words
from recollect.store.db import Db
from recollect.store.tables import file_visits

LOOKS_BACK = 200
MOST_REASONS = 3
# What an event keeps of a prompt, too.
_MOST_OF_A_PROMPT = 8_000
# Of two that say as much, the first gives the reason.
SIGNALS: Mapping[Signal, float] = {
    named: 1.0,
    holds: 1.0,
    company: 1.0,
    defines: 0.5,
    on_branch: 0.5,
    lately: 0.5,
    called_alike: 0.5,
    named_on_branch: 0.5,
    beside: 0.5,
    called: 0.5,
}
_HOLDS = list(SIGNALS).index(holds)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a session asks for and where: all that is known of it when its files are to be foreseen."""

    prompt: str
    branch: str = ""
    folder: str = ""
    files: tuple[str, ...] = ()
    session_id: str = ""


def foresee(
    db: Db,
    project_id: str,
    asked: Asked,
    *,
    limit: int = 10,
    is_there: Callable[[str], bool] | None = None,
) -> list[Foreseen]:
    """The likeliest files, best first; those the session has already are left out, and those that are gone."""
    scene = scene_of(db, project_id, asked)
    said = [(signal(scene), weight) for signal, weight in SIGNALS.items()]
    spoken_of = said[_HOLDS][0].scores
    scores: dict[str, float] = {}
    for hints, weight in said:
        best = max(hints.scores.values(), default=0.0)
        for path, score in hints.scores.items():
            scores[path] = scores.get(path, 0.0) + weight * score / best
    touched = {file.path for visit in scene.visits for file in visit.files}
    found: list[Foreseen] = []
    for path in sorted(scores, key=lambda path: (-scores[path], path)):
        if len(found) == limit:
            break
        if path not in asked.files and not _is_tail(path, touched) and (is_there is None or is_there(path)):
            score = scores[path] / sum(SIGNALS.values())
            words = spoken_of.get(path, 0.0)
            found.append(Foreseen(path=path, score=score, words=words, reasons=_reasons(path, said)))
    return found


def scene_of(db: Db, project_id: str, asked: Asked) -> Scene:
    """What the signals look at."""
    prompt, branch = asked.prompt[:_MOST_OF_A_PROMPT], storable(asked.branch)
    visits = file_visits.visits(db, project_id, branch=branch, but_not=asked.session_id, limit=LOOKS_BACK)
    lengths = file_visits.lengths(db, [visit.num for visit in visits])
    scene = Scene(
        db=db,
        project_id=project_id,
        prompt=prompt,
        words=asked_words(prompt, branch),
        branch=branch,
        folder=asked.folder,
        files=asked.files,
        session_id=asked.session_id,
        visits=visits,
        paths=file_visits.paths(db, lengths),
        lengths=lengths,
    )
    # What the prompt spells out brings its company as if it were touched already.
    return replace(scene, files=tuple(dict.fromkeys((*asked.files, *spelt_out(scene)))))


def _is_tail(path: str, touched: Collection[str]) -> bool:
    """Whether somebody wrote only the end of a path that is known whole."""
    return path not in touched and any(whole.endswith(f"/{path}") for whole in touched)


def _reasons(path: str, said: Sequence[tuple[Hints, float]]) -> tuple[str, ...]:
    """What told most of it, in words."""
    shares = [
        (weight * hints.scores[path] / max(hints.scores.values()), hints)
        for hints, weight in said
        if hints.scores.get(path)
    ]
    ordered = sorted(shares, key=lambda share: -share[0])
    return tuple(hints.why(path) for _, hints in ordered[:MOST_REASONS])
