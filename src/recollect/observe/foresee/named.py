"""Files that the prompt names, with their folders or by their last part alone."""

from __future__ import annotations

import re

from recollect.observe.foresee.scene import Hints, Scene
from recollect.store import foresight

_FILE = re.compile(r"(?:[\w.@+-]+/)*[\w@+-][\w.@+-]*\.[A-Za-z]\w{0,7}")
_MOST = 50
_WITH_FOLDERS = 2.0


def named(scene: Scene) -> Hints:
    """Files whose path or name stands in the prompt; a path says it better than a name."""
    scores: dict[str, float] = {}
    for written in dict.fromkeys(_FILE.findall(scene.prompt)[:_MOST]):
        folders, _, name = written.rpartition("/")
        for path in foresight.called(scene.db, scene.project_id, name, but_not=scene.session_id):
            whole = bool(folders) and f"/{written}".endswith(f"/{path}")
            tail = bool(folders) and f"/{path}".endswith(f"/{written}")
            score = _WITH_FOLDERS if whole or tail else 1.0
            scores[path] = max(score, scores.get(path, 0.0))
    return Hints(scores=scores, why=lambda path: "named in the prompt")
