"""Files that the prompt names: with their folders, by their last part alone, or in passing."""

from __future__ import annotations

import re

from recollect.model.cochange import name_words
from recollect.predict_files.inputs import Hints, Scene
from recollect.predict_files.stems import stem
from recollect.store.tables import file_visits

# Cut apart first: one pattern for whole paths would take its time over a prompt without any.
_BETWEEN = re.compile(r"[^\w.@+/-]+")
_ENDING = re.compile(r"[^/]\.[A-Za-z]\w{0,7}$")
_LONGEST = 300
_MOST = 50
_WITH_FOLDERS = 2.0


def named(scene: Scene) -> Hints:
    """Files whose path or name stands in the prompt; a path says it better than a name."""
    return Hints(scores=_named(scene), why=lambda path: "named in the prompt")


def spelt_out(scene: Scene) -> list[str]:
    """Files that the prompt names with their folders: there is no doubt about these."""
    return [path for path, score in _named(scene).items() if score == _WITH_FOLDERS]


def called(scene: Scene) -> Hints:
    """Files that are called by words of the prompt or the branch: `resume.go`, where resuming is the matter."""
    scores: dict[str, float] = {}
    asked = scene.words.keys()
    # Most names have nothing of the prompt: only the others are cut into words.
    anything = re.compile("|".join(map(re.escape, asked)) or "$.")
    for path in scene.paths.values():
        if anything.search(path.rpartition("/")[2].lower()):
            words = {stem(word) for word in name_words(path)}
            met = words & asked
            if met:
                scores[path] = len(met) ** 2 / len(words)

    def why(path: str) -> str:
        met = {stem(word) for word in name_words(path)} & asked
        return f"called by what is asked: {', '.join(sorted(scene.words[word] for word in met))}"

    return Hints(scores=scores, why=why)


def _named(scene: Scene) -> dict[str, float]:
    scores: dict[str, float] = {}
    files = _files(scene.prompt)
    if not files:
        return scores
    found = file_visits.called(scene.db, {file.rpartition("/")[2] for file in files}, scene.sessions())
    for written in files:
        folders, _, name = written.rpartition("/")
        for path in found.get(name, ()):
            whole = bool(folders) and f"/{written}".endswith(f"/{path}")
            tail = bool(folders) and f"/{path}".endswith(f"/{written}")
            score = _WITH_FOLDERS if whole or tail else 1.0
            scores[path] = max(score, scores.get(path, 0.0))
    return scores


def _files(prompt: str) -> list[str]:
    """What looks like a file, as it is written."""
    pieces = dict.fromkeys(
        piece.removeprefix("./").strip("/").rstrip(".") for piece in _BETWEEN.split(prompt)
    )
    return [piece for piece in pieces if len(piece) <= _LONGEST and _ENDING.search(piece[-12:])][:_MOST]
