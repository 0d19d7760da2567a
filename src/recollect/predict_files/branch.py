"""Files of earlier sessions on the same branch: touched there, or at least named."""

from __future__ import annotations

from collections import Counter, defaultdict

from recollect.predict_files.inputs import Hints, Scene
from recollect.predict_files.stems import is_trunk


def on_branch(scene: Scene) -> Hints:
    """Files touched on this branch, by session; an earlier one counts half of the next."""
    if is_trunk(scene.branch):
        return Hints()
    scores: dict[str, float] = defaultdict(float)
    sessions: Counter[str] = Counter()
    edited: set[str] = set()
    rank = 0
    for visit in scene.visits:
        found = [file for file in visit.files if file.branch == scene.branch]
        for file in found:
            scores[file.path] += 0.5**rank
            sessions[file.path] += 1
            if file.edited:
                edited.add(file.path)
        rank += bool(found)

    def why(path: str) -> str:
        act = "edited" if path in edited else "read"
        return f"{act} on this branch, in {_sessions(sessions[path])}"

    return Hints(scores=scores, why=why)


def named_on_branch(scene: Scene) -> Hints:
    """Files that a command, a search or the agent named on this branch: a diff, a failing test, a plan."""
    if is_trunk(scene.branch):
        return Hints()
    scores: dict[str, float] = defaultdict(float)
    for rank, visit in enumerate(visit for visit in scene.visits if visit.branch == scene.branch):
        for path in (*visit.named, *(file.path for file in visit.files)):
            scores[path] += 0.5**rank
    return Hints(scores=scores, why=lambda path: "named on this branch")


def _sessions(count: int) -> str:
    return "one session" if count == 1 else f"{count} sessions"
