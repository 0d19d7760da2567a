"""Which past sessions are meant: of one client or all, of this project or all, found or named."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from recollect.errors import NotFound, RepositoryError
from recollect.git import identity
from recollect.model.project import Project, ProjectIdentity
from recollect.model.value import dataclass, replace
from recollect.observe.folders import is_here
from recollect.observe.formats import formats
from recollect.observe.import_sessions import Found, Imported, Importer, find_transcripts, import_sessions
from recollect.store.db import Db
from recollect.store.tables import projects


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What somebody asks to import."""

    home: Path
    client: str | None = None
    # A file or a folder; without one, wherever the agents keep theirs.
    path: Path | None = None
    every_project: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """How many past sessions of this project one client has kept."""

    client: str
    sessions: int
    size: int


def count_past(wanted: Wanted, place: ProjectIdentity | None, here: Project | None) -> list[Past]:
    """The sessions that an import would look at; only the head of each file is read."""
    found = list(find_transcripts(formats().known, wanted.home, wanted.path, Imported()))
    if not wanted.every_project:
        found = _ours(found, wanted, place, here)
    by_client: dict[str, list[int]] = {}
    for transcript in found:
        by_client.setdefault(transcript.format.name, []).append(_size(transcript.path))
    return [Past(client=name, sessions=len(sizes), size=sum(sizes)) for name, sizes in by_client.items()]


def import_past(
    importer: Importer, wanted: Wanted, place: ProjectIdentity | None, here: Project | None
) -> Imported:
    """Find the transcripts that are meant and take them in."""
    available = formats()
    chosen = (available.named(wanted.client),) if wanted.client else available.known
    if wanted.path is not None and not wanted.path.exists():
        raise NotFound(what="file or folder", name=str(wanted.path))
    done = Imported(broken_plugins=available.broken, dry_run=importer.dry_run)
    found = list(find_transcripts(chosen, wanted.home, wanted.path, done))
    if not wanted.every_project:
        importer = replace(importer, folder=place.root if place else "")
        ours = _ours(found, wanted, place, here)
        done.elsewhere = len(found) - len(ours)
        found = ours
        _claim_gone_folders(importer, found, here)
    return import_sessions(importer, found, done)


def _ours(
    found: Iterable[Found], wanted: Wanted, place: ProjectIdentity | None, here: Project | None
) -> list[Found]:
    """Those of this project. Many sessions take place in few folders, so git is asked once for each."""
    known: dict[str, bool] = {}
    ours: list[Found] = []
    for transcript in found:
        folder = transcript.head.folder
        if not folder or not is_here(folder):
            # Of another machine, or gone since: whoever names the file says whose it is.
            told = _is_hash_of(transcript.head.folder_sha256, place)
            mine = wanted.path is not None or _was_here(folder, here) or told
        else:
            mine = known[folder] if folder in known else known.setdefault(folder, _is_at(folder, place))
        if mine:
            ours.append(transcript)
    return ours


def _is_at(folder: str, place: ProjectIdentity | None) -> bool:
    try:
        return place is not None and identity.identify(Path(folder), None).key == place.key
    except RepositoryError:
        return False


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:  # gone since it was listed
        return 0


def _was_here(folder: str, here: Project | None) -> bool:
    return bool(folder) and here is not None and folder in here.paths


def _is_hash_of(told: str, place: ProjectIdentity | None) -> bool:
    return (
        bool(told) and place is not None and told == sha256(place.root.encode("utf-8", "replace")).hexdigest()
    )


def _claim_gone_folders(importer: Importer, found: Iterable[Found], here: Project | None) -> None:
    if here is None:
        return
    for transcript in found:
        if not is_here(transcript.head.folder):
            importer.folders.belongs(transcript.head.folder, here.id)


def with_paths(db: Db, home: Project | None) -> Project | None:
    """A project with the folders it was seen at."""
    return next((known for known in projects.every(db) if home and known.id == home.id), home)
