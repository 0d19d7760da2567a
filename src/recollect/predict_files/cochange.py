"""Files that go with those a session has touched already."""

from __future__ import annotations

from collections import Counter, defaultdict

from recollect.model.cochange import Ties, name_likeness
from recollect.predict_files.inputs import Hints, Scene
from recollect.store.tables import cochange

# A session that touched more files says nothing about any two of them.
MOST_FILES = 60


def company(scene: Scene) -> Hints:
    """Files touched in the same sessions, and changed in the same commits where the history was read."""
    scores: dict[str, float] = defaultdict(float)
    with_whom: dict[str, str] = {}
    known = cochange.around(scene.db, scene.project_id, scene.files) if scene.files else Ties()
    for given in scene.files:
        shares = _shares(scene, known, given)
        for path, share in shares.items():
            if share > scores[path]:
                with_whom[path] = given
            scores[path] += share
    return Hints(scores=scores, why=lambda path: f"goes with {with_whom[path]}")


def called_alike(scene: Scene) -> Hints:
    """Files whose name is like one of these: a test and what it tests."""
    scores: dict[str, float] = {}
    for path in scene.paths.values():
        if likeness := sum(name_likeness(given, path) for given in scene.files):
            scores[path] = likeness
    return Hints(scores=scores, why=lambda path: f"called like {_nearest(scene, path)}")


def beside(scene: Scene) -> Hints:
    """Files in the same folders."""
    folders = Counter(given.rpartition("/")[0] for given in scene.files)
    known = scene.paths.values()
    scores = {path: float(count) for path in known if (count := folders[path.rpartition("/")[0]])}
    return Hints(scores=scores, why=lambda path: "in the same folder")


def _shares(scene: Scene, known: Ties, given: str) -> dict[str, float]:
    together: dict[str, float] = defaultdict(float)
    for visit in scene.visits:
        touched = [file.path for file in visit.files]
        if given in touched and 1 < len(touched) <= MOST_FILES:
            for path in touched:
                together[path] += 1 / (len(touched) - 1)
    together.pop(given, None)
    total = sum(together.values())
    shares = defaultdict(float, {path: votes / total for path, votes in together.items()})
    for path in known.around(given):
        if known.between(given, path).votes.commits:
            shares[path] += known.strength(given, path)
    return shares


def _nearest(scene: Scene, path: str) -> str:
    return max(scene.files, key=lambda given: name_likeness(given, path))
