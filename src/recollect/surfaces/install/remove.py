"""Take back what was written: every file as it was, or without our parts when somebody has edited it since."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path

from recollect.clients.client import Client, Place, Reach
from recollect.clients.file_parts import HOOKS_MODULE, MCP_MODULE, Form, Wanted
from recollect.clients.program import Program
from recollect.model.value import dataclass
from recollect.surfaces.install import disk, manifest
from recollect.surfaces.install.edit import CannotEdit, is_bare, without_parts
from recollect.surfaces.install.manifest import Manifest, Record, digest


class Act(StrEnum):
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
    act: Act
    now: bytes | None = None
    after: bytes | None = None
    why: str = ""


def plan_removal(records: Manifest) -> list[Removal]:
    """What taking everything back would do; nothing is changed."""
    return [_planned(record) for record in records.values()]


def unrecorded(
    clients: Iterable[Client], program: Program, place: Place, known: Manifest
) -> dict[str, Record]:
    """Files with something of ours that no record tells of, since the data directory was lost or is another."""
    found: dict[str, Record] = {}
    for client in clients:
        for wanted in (one for reach in Reach for one in client.files(program, place, reach)):
            seen = disk.look(Path(wanted.path))
            if seen.raw is not None and str(seen.target) not in known and _names_us(seen.raw):
                found[str(seen.target)] = _guessed(client.name, wanted, seen.target, seen.raw)
    return found


def take_back(removal: Removal, folder: Path) -> Removal:
    """Do it to one file and forget its record; what really happened."""
    record, target = removal.record, Path(removal.record.target)
    if removal.act is Act.LEAVE:
        return removal
    if removal.act is not Act.NOTHING:
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
    return HOOKS_MODULE.encode() in raw or MCP_MODULE.encode() in raw


def _guessed(client: str, wanted: Wanted, target: Path, raw: bytes) -> Record:
    """A record for a file whose past nobody knows: a file that is ours alone goes, of others only our parts."""
    ours = wanted.form is Form.TEXT
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


def _planned(record: Record) -> Removal:
    seen = disk.look(Path(record.target))
    if seen.raw is None and not seen.refused:
        return Removal(record=record, act=Act.NOTHING, why="it is gone")
    if seen.raw is not None and seen.raw == record.before:
        return Removal(record=record, act=Act.NOTHING, why="it is as it was")
    if seen.refused or seen.raw is None:
        return _left(record, seen.refused)
    if record.is_untouched(seen.raw):
        act = Act.DELETE if record.before is None else Act.RESTORE
        return Removal(record=record, act=act, now=seen.raw, after=record.before)
    if record.form is Form.TEXT:
        return _left(record, "it was edited since recollect wrote it; delete it yourself")
    try:
        return _without_ours(record, seen.raw)
    except (CannotEdit, UnicodeDecodeError) as error:
        return _left(record, f"it was edited since, and {error}; take the lines with recollect out yourself")


def _without_ours(record: Record, raw: bytes) -> Removal:
    text = raw.decode("utf-8")
    known = record.before.decode("utf-8") if record.before is not None else None
    rest = without_parts(text, record.form, record.parts, known)
    if rest == text:
        return Removal(record=record, act=Act.NOTHING, why="nothing of recollect is in it any more")
    if record.before is None and is_bare(rest, record.form, record.skeleton):
        return Removal(record=record, act=Act.DELETE, now=raw)
    return Removal(
        record=record, act=Act.EDIT, now=raw, after=rest.encode(), why="it was edited since; the rest stays"
    )


def _left(record: Record, why: str) -> Removal:
    return Removal(record=record, act=Act.LEAVE, why=why)
