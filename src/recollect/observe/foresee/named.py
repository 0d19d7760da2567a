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
    written_in_full = dict.fromkeys(_FILE.findall(scene.prompt)[:_MOST])
    names = {written.rpartition("/")[2] for written in written_in_full}
    called = foresight.called(scene.db, names, scene.sessions()) if names else {}
    for written in written_in_full:
        folders, _, name = written.rpartition("/")
        for path in called.get(name, ()):
            whole = bool(folders) and f"/{written}".endswith(f"/{path}")
            tail = bool(folders) and f"/{path}".endswith(f"/{written}")
            score = _WITH_FOLDERS if whole or tail else 1.0
            scores[path] = max(score, scores.get(path, 0.0))
    return Hints(scores=scores, why=lambda path: "named in the prompt")
