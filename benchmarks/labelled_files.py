"""Files foreseen at the first prompt of past sessions, and whether each was opened; learned session by session."""

from __future__ import annotations

from pathlib import Path

from benchmarks.replay import WARM_UP, lived
from benchmarks.replay_sessions import load
from benchmarks.run import Progress, quiet
from recollect.errors import BadInput
from recollect.inject.calibrate import COMPARED, Features, file_features
from recollect.model.value import dataclass
from recollect.predict_files.predict import Asked, foresee


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """What was foreseen for one session: what is known of each file, and whether it was opened."""

    found: tuple[tuple[Features, bool], ...]


def foreseen(
    path: Path, *, held_out: bool, warm_up: int = WARM_UP, progress: Progress = quiet
) -> list[Opened]:
    """The earlier half of the sessions is fitted to, the later one is held out: nobody knows the future."""
    with progress("Session files") as step:
        replay = load(path, step)
    kept: list[Opened] = []
    with progress("Sessions") as step:
        for number, (session, memory) in enumerate(lived(replay), start=1):
            if number > warm_up:
                asked = Asked(
                    prompt=session.prompt,
                    branch=session.branch,
                    folder=session.folder,
                    session_id=session.id,
                )
                found = foresee(memory.db, memory.project_id, asked, limit=COMPARED)
                targets = {touch.path for touch in session.targets}
                opened = [one.path in targets for one in found]
                kept.append(Opened(found=tuple(zip(file_features(found), opened, strict=True))))
            step(number, len(replay.sessions))
    if len(kept) < 2:
        raise BadInput(f"{path} has too few sessions: there must be two more than {warm_up}.")
    half = len(kept) // 2
    return kept[half:] if held_out else kept[:half]
