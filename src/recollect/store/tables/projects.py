"""Projects: one row each, found by identity; and the folders where each was seen."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from recollect.errors import BadInput, NotFound, StoreBusy
from recollect.model.project import Project, ProjectIdentity, storable
from recollect.store.db import Db, Row
from recollect.store.tables import row_checksums
from recollect.store.tables.row_values import from_micros, to_micros

# Gives the keys a place may have been known by before.
Former = Callable[[ProjectIdentity], Iterable[str]]


class StoredIdentities:
    """How git identified repositories, kept so that their history is walked once."""

    def __init__(self, db: Db) -> None:
        self._db = db

    def get(self, common: str, /) -> str | None:
        """What was found for the repository with this common directory."""
        row = self._db.row("identity_get", common_dir=common)
        return str(row["found"]) if row else None

    def put(self, common: str, record: str, /) -> None:
        """Keep what was found; a store that cannot be written now goes without: whoever asks is a reader."""
        if not self._db.read_only:
            with suppress(StoreBusy), self._db.hardly_waiting():
                self._db.run("identity_set", common_dir=common, found=record)


def find_project(db: Db, place: ProjectIdentity, former: Former) -> Project | None:
    """The project of this place, known by any of its keys. `former` costs git calls; asked only on a miss."""
    row = db.row("project_by_key", key=place.key)
    if row:
        return _project_from_row(row)
    for key in former(place):
        row = db.row("project_by_key", key=key)
        # A path tells only as long as nothing better is known: another repository may stand there now.
        if row and (not key.startswith("path:") or row["key"] == key):
            return _project_from_row(row)
    if place.basis == "path":  # git may be missing just now; the folder was seen before
        row = db.row("project_by_path", path=storable(place.root))
    return _project_from_row(row) if row else None


def ensure_project_at(db: Db, place: ProjectIdentity, former: Former, new_id: str, now: datetime) -> Project:
    """The project of this place: known, re-attached under its better identity, or new."""
    project = find_project(db, place, former)
    if project is None:
        project = ensure_project(db, place.key, place.name, new_id, now)
        for key in former(place):
            if key.startswith("remote:"):  # by which a shallow clone will know it
                db.run("project_key_set", key=key, project_id=project.id)
    elif project.key != place.key and db.row("project_by_key", key=place.key) is None:
        db.run("project_key_set", key=place.key, project_id=project.id)
        if place.basis == "root-commit":
            db.run("project_rekey", id=project.id, key=place.key, name=place.name)
    _record_path(db, project, storable(place.root), now)
    return project


def ensure_project(db: Db, key: str, name: str, new_id: str, now: datetime) -> Project:
    """The project with this key, made if it is new."""
    row = db.row("project_by_key", key=key)
    if row is None:
        db.run("project_insert", id=new_id, key=key, name=name, created_at=to_micros(now))
        db.run("project_key_set", key=key, project_id=new_id)
        return Project(id=new_id, key=key, name=name, created_at=now)
    return _project_from_row(row)


def find_project_by_key(db: Db, key: str) -> Project | None:
    """The project that is known by this key, if one is."""
    row = db.row("project_by_key", key=key)
    return _project_from_row(row) if row else None


def add_key(db: Db, project: Project, key: str) -> None:
    """A project is known by this key as well, unless another one is."""
    if db.row("project_by_key", key=key) is None:
        db.run("project_key_set", key=key, project_id=project.id)


def get_project(db: Db, name: str) -> Project:
    """The one project with this id, name, key or folder."""
    rows = db.rows("project_called", name=name) or db.rows("project_called", name=_to_path(name))
    if not rows:
        raise NotFound(what="project", name=name)
    if len(rows) > 1:
        raise BadInput(
            reason=f"several projects are called {name}; give an id: {', '.join(r['id'] for r in rows)}"
        )
    return _project_from_row(rows[0])


def merge_projects(db: Db, from_project: Project, into: Project) -> None:
    """All of one project's memories, sessions and folders belong to the other from now on."""
    moved = [row["num"] for row in db.rows("project_memory_nums", project_id=from_project.id)]
    for move in (
        "project_memories_move",
        "project_sessions_move",
        "project_notes_move",
        "project_trails_move",
        "project_events_move",
        "project_paths_move",
        "project_keys_move",
        "project_code_trees_move",
        "project_code_notes_move",
        "project_code_links_move",
        "project_surveys_move",
    ):
        db.run(move, from_id=from_project.id, into_id=into.id)
    db.run("project_delete", id=from_project.id)
    row_checksums.renew_checksums(db, moved)


def list_projects(db: Db) -> list[Project]:
    """All projects, the most used first."""
    return [_project_from_row(row, tuple(_list_paths(db, row["id"]))) for row in db.rows("projects_all")]


def _list_paths(db: Db, project_id: str) -> list[str]:
    return [row["path"] for row in db.rows("project_paths", project_id=project_id)]


def _record_path(db: Db, project: Project, path: str, at: datetime) -> None:
    row = db.row("project_by_path", path=path)
    if row is None or row["id"] != project.id:
        db.run("project_path_set", path=path, project_id=project.id, seen_at=to_micros(at))


def _to_path(name: str) -> str:
    return Path(name).absolute().as_posix()


def _project_from_row(row: Row, paths: tuple[str, ...] = ()) -> Project:
    return Project(
        id=row["id"],
        key=row["key"],
        name=row["name"],
        created_at=from_micros(row["created_at"]),
        memories=row.get("memories", 0),
        paths=paths,
    )
