"""Files that speak of what is asked for, by the words seen in them and by the names they define."""

from __future__ import annotations

import re

from recollect.predict_files.bm25 import bm25
from recollect.predict_files.inputs import Hints, Scene
from recollect.store.tables import file_visits

# A shorter name is an everyday word more often than not.
_NAME = re.compile(r"[A-Za-z_]\w{5,}")
_MOST_NAMES = 100
_MOST_TOLD = 3


def holds(scene: Scene) -> Hints:
    """Files that were seen to hold the words of the prompt and of the branch, the rare ones above all."""
    parts = bm25(file_visits.holders(scene.db, scene.words, scene.sessions()), scene.lengths)
    by_path = {scene.paths[number]: found for number, found in parts.items()}

    def why(path: str) -> str:
        found = by_path[path]
        most = sorted(found, key=lambda word: -found[word])[:_MOST_TOLD]
        return f"speaks of {', '.join(scene.words[word] for word in most)}"

    return Hints(scores={path: sum(found.values()) for path, found in by_path.items()}, why=why)


def defines(scene: Scene) -> Hints:
    """Files that define a name of the prompt; a name that many define says little about each."""
    names = list(dict.fromkeys(_NAME.findall(scene.prompt)))[:_MOST_NAMES]
    definers = file_visits.definers(scene.db, names, scene.sessions())
    scores: dict[str, float] = {}
    for paths in definers.values():
        for path in paths:
            scores[path] = scores.get(path, 0.0) + 1 / len(paths)

    def why(path: str) -> str:
        own = [name for name in names if path in definers.get(name, ())]
        return f"defines {', '.join(own[:_MOST_TOLD])}"

    return Hints(scores=scores, why=why)
