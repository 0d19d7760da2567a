"""Files of the last sessions, those of this folder and this branch above all."""

from __future__ import annotations

from collections import Counter, defaultdict

from recollect.predict_files.inputs import Hints, Scene

# After so many sessions a file counts half.
HALF_LIFE = 6
SAME_FOLDER = 2.0
SAME_BRANCH = 2.0
_TOLD = 12


def lately(scene: Scene) -> Hints:
    """What was worked on a short while ago is often worked on again."""
    scores: dict[str, float] = defaultdict(float)
    often: Counter[str] = Counter()
    for rank, visit in enumerate(visit for visit in scene.visits if visit.files):
        here = SAME_FOLDER * (visit.folder == scene.folder) + SAME_BRANCH * (visit.branch == scene.branch)
        weight = 0.5 ** (rank / HALF_LIFE) * (1 + here)
        for file in visit.files:
            scores[file.path] += weight
            often[file.path] += rank < _TOLD
    told = min(_TOLD, len(scene.visits))

    def why(path: str) -> str:
        return f"touched in {often[path]} of the last {told} sessions" if often[path] else "touched long ago"

    return Hints(scores=scores, why=why)
