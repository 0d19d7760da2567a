"""Files that the prompt names, with their folders or by their last part alone."""

from __future__ import annotations

import re

from recollect.observe.foresee.scene import Hints, Scene
from recollect.store import foresight

# Cut apart first: one pattern for whole paths would take its time over a prompt without any.
_BETWEEN = re.compile(r"[^\w.@+/-]+")
_ENDING = re.compile(r"[^/]\.[A-Za-z]\w{0,7}$")
_LONGEST = 300
_MOST = 50
_WITH_FOLDERS = 2.0


def named(scene: Scene) -> Hints:
    """Files whose path or name stands in the prompt; a path says it better than a name."""
    scores: dict[str, float] = {}
    files = _files(scene.prompt)
    called = foresight.called(scene.db, {file.rpartition("/")[2] for file in files}, scene.sessions())
    for written in files:
        folders, _, name = written.rpartition("/")
        for path in called.get(name, ()):
            whole = bool(folders) and f"/{written}".endswith(f"/{path}")
            tail = bool(folders) and f"/{path}".endswith(f"/{written}")
            score = _WITH_FOLDERS if whole or tail else 1.0
            scores[path] = max(score, scores.get(path, 0.0))
    return Hints(scores=scores, why=lambda path: "named in the prompt")


def _files(prompt: str) -> list[str]:
    """What looks like a file, as it is written."""
    pieces = dict.fromkeys(
        piece.removeprefix("./").strip("/").rstrip(".") for piece in _BETWEEN.split(prompt)
    )
    return [piece for piece in pieces if len(piece) <= _LONGEST and _ENDING.search(piece[-12:])][:_MOST]
