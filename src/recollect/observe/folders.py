"""The project of each folder, looked up once a batch: git walks a history only for a repository it never saw."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from recollect.errors import RepositoryError
from recollect.git import identity
from recollect.store.db import Db
from recollect.store.tables import projects


class Folders:
    """Folders as clients name them, and what git knows of each."""

    def __init__(self, db: Db, now: Callable[[], datetime], new_id: Callable[[datetime], str]) -> None:
        self._db = db
        self._now = now
        self._new_id = new_id
        self._projects: dict[str, str | None] = {}
        self._branches: dict[str, str] = {}

    def ensure_project_of(self, folder: str) -> str | None:
        """The id of the project around a folder, made known if it was not; None for a folder that is gone."""
        if folder not in self._projects:
            self._projects[folder] = self._ensure_project(folder)
        return self._projects[folder]

    def assign_project(self, folder: str, project_id: str | None) -> None:
        """Say what git cannot: a folder of another machine, or one that is gone."""
        self._projects[folder] = project_id

    def branch_of(self, folder: str) -> str:
        """The branch checked out in a folder now."""
        if folder not in self._branches:
            try:
                self._branches[folder] = (identity.read_branch(Path(folder)) or "") if is_here(folder) else ""
            except RepositoryError:
                self._branches[folder] = ""
        return self._branches[folder]

    def _ensure_project(self, folder: str) -> str | None:
        if not is_here(folder):
            return None
        try:
            place = identity.identify(Path(folder), projects.StoredIdentities(self._db))
        except RepositoryError:
            return None
        now = self._now()
        with self._db.transaction():
            return projects.ensure_project_at(
                self._db, place, identity.list_former_keys, self._new_id(now), now
            ).id


class FoldersElsewhere(Folders):
    """Folders of other machines: all of one project, and nothing of this machine is looked at."""

    def __init__(self, project_id: str | None) -> None:
        self._project_id = project_id

    def ensure_project_of(self, folder: str) -> str | None:
        """The project that was named."""
        return self._project_id

    def branch_of(self, folder: str) -> str:
        """Nobody here can say."""
        return ""


def is_here(folder: str) -> bool:
    """Whether this machine has such a folder."""
    return bool(folder) and "\0" not in folder and Path(folder).is_dir()
