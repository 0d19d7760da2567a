"""
Uninstalling: every file as it was, or without our parts when somebody has edited it since.

Also everything recollect has kept for itself (memories, inbox, copies, settings), which is removed only when asked for.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from enum import StrEnum
from pathlib import Path

from recollect import config
from recollect.clients.client_install import ClientFolders, InstallScope, Program
from recollect.clients.file_parts import OUR_MODULES, FileFormat, WantedFile
from recollect.clients.registry import Client
from recollect.model.value import dataclass, replace
from recollect.surfaces.install import disk, manifest
from recollect.surfaces.install.edit import CannotEdit, is_bare, without_parts
from recollect.surfaces.install.manifest import Manifest, Record, digest


class RemovalAct(StrEnum):
    """What happens to a file."""

    RESTORE = "restore"  # to what it was, byte for byte
    DELETE = "delete"  # there was none, and nothing else is in it
    EDIT = "edit"  # somebody changed it since: only our parts go
    NOTHING = "nothing"  # our parts are gone already
    LEAVE = "leave"  # it cannot be done safely


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """What would happen to one file; `after` is None when it would not be there any more."""

    record: Record
    act: RemovalAct
    now: bytes | None = None
    after: bytes | None = None
    why: str = ""


def plan_removal(records: Manifest) -> list[Removal]:
    """What taking everything back would do; nothing is changed."""
    return [_plan_file_removal(record) for record in records.values()]


def find_unrecorded(
    clients: Iterable[Client], program: Program, folders: ClientFolders, known: Manifest
) -> dict[str, Record]:
    """Files with something of ours that no record tells of, since the data directory was lost or is another."""
    records: dict[str, Record] = {}
    for client in clients:
        for wanted in _list_wanted_files(client, program, folders):
            state = disk.look(Path(wanted.path))
            if state.raw is not None and str(state.target) not in known and _names_us(state.raw):
                record = _guess_record(client.name, wanted, state.target, state.raw)
                other = records.get(record.target)
                records[record.target] = (
                    record if other is None else replace(record, parts=(*other.parts, *record.parts))
                )
    return records


def _list_wanted_files(client: Client, program: Program, folders: ClientFolders) -> Iterator[WantedFile]:
    for scope in InstallScope:
        yield from client.load_install().files(program, folders, scope, client.hook_events)


def take_back(removal: Removal, folder: Path) -> Removal:
    """Do it to one file and forget its record; what really happened."""
    record, target = removal.record, Path(removal.record.target)
    if removal.act is RemovalAct.LEAVE:
        return removal
    if removal.act is not RemovalAct.NOTHING:
        if disk.look(target).raw != removal.now:
            return _left(record, "it was changed while you looked; run `recollect uninstall` again")
        try:
            if removal.after is None:
                disk.take_away(target, [Path(folder) for folder in record.made_folders])
            else:
                disk.put(target, removal.after)
        except OSError as error:
            return _left(record, f"it cannot be written ({error.strerror})")
    manifest.drop(folder, record.target)
    return removal


def _names_us(raw: bytes) -> bool:
    return any(module.encode() in raw for module in OUR_MODULES)


def _guess_record(client: str, wanted: WantedFile, target: Path, raw: bytes) -> Record:
    """A record for a file whose past nobody knows: a file that is ours alone goes, of others only our parts."""
    ours = wanted.form is FileFormat.TEXT
    return Record(
        path=wanted.path,
        target=str(target),
        client=client,
        form=wanted.form,
        before=None if ours else b"",
        after_sha256=digest(raw) if ours else "",
        parts=wanted.parts,
        skeleton=wanted.skeleton,
    )


def _plan_file_removal(record: Record) -> Removal:
    state = disk.look(Path(record.target))
    if state.raw is None and not state.refused:
        return Removal(record=record, act=RemovalAct.NOTHING, why="it is gone")
    if state.raw is not None and state.raw == record.before:
        return Removal(record=record, act=RemovalAct.NOTHING, why="it is as it was")
    if state.refused or state.raw is None:
        return _left(record, state.refused)
    if record.is_untouched(state.raw):
        act = RemovalAct.DELETE if record.before is None else RemovalAct.RESTORE
        return Removal(record=record, act=act, now=state.raw, after=record.before)
    if record.form is FileFormat.TEXT:
        return _left(record, "it was edited since recollect wrote it; delete it yourself")
    try:
        return _without_ours(record, state.raw)
    except (CannotEdit, UnicodeDecodeError) as error:
        return _left(record, f"it was edited since, and {error}; take the lines with recollect out yourself")


def _without_ours(record: Record, raw: bytes) -> Removal:
    text = raw.decode("utf-8")
    before = record.before.decode("utf-8") if record.before is not None else None
    rest = without_parts(text, record.form, record.parts, before)
    if rest == text:
        return Removal(record=record, act=RemovalAct.NOTHING, why="nothing of recollect is in it any more")
    if record.before is None and is_bare(rest, record.form, record.skeleton):
        return Removal(record=record, act=RemovalAct.DELETE, now=raw)
    return Removal(
        record=record,
        act=RemovalAct.EDIT,
        now=raw,
        after=rest.encode(),
        why="it was edited since; the rest stays",
    )


def _left(record: Record, why: str) -> Removal:
    return Removal(record=record, act=RemovalAct.LEAVE, why=why)


def list_data_files(settings: config.Settings) -> list[Path]:
    """What would go, without the record of what is installed: that goes with the last file taken back."""
    data, db = config.data_dir(), Path(settings.db)
    files = [path for path in _list_folder(data) if path.name != manifest.FILE]
    if "://" not in settings.db:
        files += [
            path for path in _list_folder(db.parent) if path.name.startswith(db.name) and path not in files
        ]
    return [*files, config.user_file()] if config.user_file().exists() else files


def purge_files(files: Iterable[Path]) -> None:
    """Remove these for good, and the folders they leave empty."""
    for path in files:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    for folder in (config.data_dir(), config.user_file().parent):
        with suppress(OSError):  # not empty, or not there
            folder.rmdir()


def _list_folder(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []
