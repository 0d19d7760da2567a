"""Which jobs file counts in a folder."""

from __future__ import annotations

from pathlib import Path

from recollect import config
from recollect.ops.environment import find_jobs_file_in_environment
from recollect.ops.jobs import FILE_NAME, OpsFile, default_file, load_jobs


def find_jobs_file(folder: Path) -> Path:
    """The jobs file that counts in a folder: that of this run, of the folder, the project, or the user."""
    inherited = find_jobs_file_in_environment()
    if inherited is not None:
        return inherited
    top = config.project_folder(folder)
    places = (folder / FILE_NAME, top / FILE_NAME, top / ".recollect" / FILE_NAME)
    own = config.user_file().parent / FILE_NAME
    return next((place for place in places if place.is_file()), own)


def load_jobs_of_folder(folder: Path) -> OpsFile:
    """The jobs file that counts in a folder; without one there are no jobs, and our own limits hold."""
    path = find_jobs_file(folder)
    return load_jobs(path) if path.is_file() else default_file(path)
