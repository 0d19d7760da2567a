"""The files that a session will probably open, for whoever speaks to it. Apart from the desks: hooks load it too."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.api.read_wiring import Reading
from recollect.git.files import is_there
from recollect.inject.calibrate import COMPARED
from recollect.model.predicted_file import Foreseen
from recollect.predict_files.predict import Asked, foresee


def foreseen(
    reading: Reading, *, prompt: str, branch: str, folder: str, session_id: str = ""
) -> Sequence[Foreseen]:
    """The likeliest files that are there, best first."""
    project_id, place = reading.project_id(), reading.identity()
    if project_id is None or place is None:
        return ()
    return foresee(
        reading.db,
        project_id,
        Asked(prompt=prompt, branch=branch, folder=folder, session_id=session_id),
        limit=COMPARED,
        is_there=lambda path: is_there(f"{place.root}/{path}"),
    )
