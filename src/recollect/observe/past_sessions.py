"""Choosing the transcripts to import: of which clients, of which project; and the formats that can be read."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from recollect.clients.registry import load_transcript_formats
from recollect.clients.transcript_reader import GROUP, TranscriptFormat, format_of_module
from recollect.errors import NotFound, RepositoryError
from recollect.git import identity
from recollect.model.project import Project, ProjectIdentity
from recollect.model.value import dataclass, replace
from recollect.observe.folders import is_here
from recollect.observe.import_sessions import (
    SessionImport,
    SessionImporter,
    Transcript,
    find_transcripts,
    import_sessions,
)
from recollect.store.db import Db
from recollect.store.tables import projects


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRequest:
    """What somebody asks to import."""

    home: Path
    client: str | None = None
    # A file or a folder; without one, wherever the agents keep theirs.
    path: Path | None = None
    every_project: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PastSessionCount:
    """How many past sessions of this project one client has kept."""

    client: str
    sessions: int
    size: int


def count_past_sessions(
    request: ImportRequest, place: ProjectIdentity | None, here: Project | None
) -> list[PastSessionCount]:
    """The sessions that an import would look at; only the head of each file is read."""
    transcripts = list(find_transcripts(load_formats().known, request.home, request.path, SessionImport()))
    if not request.every_project:
        transcripts = _select_ours(transcripts, request, place, here)
    by_client: dict[str, list[int]] = {}
    for transcript in transcripts:
        by_client.setdefault(transcript.format.name, []).append(_file_size(transcript.path))
    return [
        PastSessionCount(client=name, sessions=len(sizes), size=sum(sizes))
        for name, sizes in by_client.items()
    ]


def import_past_sessions(
    importer: SessionImporter, request: ImportRequest, place: ProjectIdentity | None, here: Project | None
) -> SessionImport:
    """Find the transcripts that are meant and take them in."""
    available = load_formats()
    chosen = (available.find(request.client),) if request.client else available.known
    if request.path is not None and not request.path.exists():
        raise NotFound(what="file or folder", name=str(request.path))
    report = SessionImport(broken_plugins=available.broken, dry_run=importer.dry_run)
    transcripts = list(find_transcripts(chosen, request.home, request.path, report))
    if not request.every_project:
        importer = replace(importer, folder=place.root if place else "")
        ours = _select_ours(transcripts, request, place, here)
        report.elsewhere = len(transcripts) - len(ours)
        transcripts = ours
        _claim_gone_folders(importer, transcripts, here)
    return import_sessions(importer, transcripts, report)


def _select_ours(
    transcripts: Iterable[Transcript],
    request: ImportRequest,
    place: ProjectIdentity | None,
    here: Project | None,
) -> list[Transcript]:
    """Those of this project. Many sessions take place in few folders, so git is asked once for each."""
    is_ours_by_folder: dict[str, bool] = {}
    ours: list[Transcript] = []
    for transcript in transcripts:
        folder = transcript.head.folder
        if not folder or not is_here(folder):
            # Of another machine, or gone since: whoever names the file says whose it is.
            is_named_by_hash = _is_hash_of(transcript.head.folder_sha256, place)
            is_ours = request.path is not None or _is_known_folder(folder, here) or is_named_by_hash
        else:
            is_ours = (
                is_ours_by_folder[folder]
                if folder in is_ours_by_folder
                else is_ours_by_folder.setdefault(folder, _is_at(folder, place))
            )
        if is_ours:
            ours.append(transcript)
    return ours


def _is_at(folder: str, place: ProjectIdentity | None) -> bool:
    try:
        return place is not None and identity.identify(Path(folder), None).key == place.key
    except RepositoryError:
        return False


def _file_size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:  # gone since it was listed
        return 0


def _is_known_folder(folder: str, here: Project | None) -> bool:
    return bool(folder) and here is not None and folder in here.paths


def _is_hash_of(folder_hash: str, place: ProjectIdentity | None) -> bool:
    return (
        bool(folder_hash)
        and place is not None
        and folder_hash == sha256(place.root.encode("utf-8", "replace")).hexdigest()
    )


def _claim_gone_folders(
    importer: SessionImporter, transcripts: Iterable[Transcript], here: Project | None
) -> None:
    if here is None:
        return
    for transcript in transcripts:
        if not is_here(transcript.head.folder):
            importer.folders.assign_project(transcript.head.folder, here.id)


def read_project_paths(db: Db, home: Project | None) -> Project | None:
    """A project with the folders it was seen at."""
    return next((project for project in projects.list_projects(db) if home and project.id == home.id), home)


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptFormats:
    """What can be read, and what an installed package offers but cannot do."""

    known: tuple[TranscriptFormat, ...]
    # NAME: REASON
    broken: tuple[str, ...] = ()

    def find(self, name: str) -> TranscriptFormat:
        """The format of this name."""
        for known_format in self.known:
            if known_format.name == name:
                return known_format
        raise NotFound(
            f"There is no kind of transcript called {name!r}. Those that can be read are: "
            f"{', '.join(known_format.name for known_format in self.known)}."
        )


def load_formats() -> TranscriptFormats:
    """Ours first; a package cannot take the name of one of them."""
    formats_by_name = {built_in.name: built_in for built_in in load_transcript_formats()}
    broken: list[str] = []
    for point in entry_points(group=GROUP):
        loaded = _load_format(point)
        if isinstance(loaded, str):
            broken.append(f"{point.name}: {loaded}")
        elif loaded.name in formats_by_name:
            broken.append(f"{point.name}: the name {loaded.name} is taken")
        else:
            formats_by_name[loaded.name] = loaded
    return TranscriptFormats(known=tuple(formats_by_name.values()), broken=tuple(broken))


def _load_format(point: EntryPoint) -> TranscriptFormat | str:
    try:
        return format_of_module(point.load())
    except Exception as error:  # noqa: BLE001 - what another package raises is its own affair
        return f"{type(error).__name__}: {error}"
