"""What installing writes: a plan of every file with its lines (or why it is left alone), then the writing itself."""

from __future__ import annotations

import difflib
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from recollect.clients.client_install import ClientFolders, InstallScope, Program
from recollect.clients.file_parts import OUR_MODULES, FileFormat, WantedFile
from recollect.clients.registry import CLIENTS, Client
from recollect.model.value import dataclass, replace
from recollect.surfaces.install import disk, manifest
from recollect.surfaces.install.edit import CannotEdit, commands_at, holds, pasted, with_parts, without_parts
from recollect.surfaces.install.manifest import Manifest, Record, digest

_MAX_LINE = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """A file that would be written: how it is, how it would be, and the record that takes it back."""

    client: str
    path: str
    # As it is now; None when there is none.
    now: bytes | None
    after: bytes
    record: Record

    @property
    def is_new(self) -> bool:
        """Whether there is no such file yet."""
        return self.now is None

    @property
    def is_unchanged(self) -> bool:
        """Whether all is there already, and only the record of it is missing."""
        return self.now == self.after


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftAlone:
    """A file that cannot be edited safely, why, and what a person can put there by hand."""

    client: str
    path: str
    reason: str
    paste: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallPlan:
    """All that installing would do to files."""

    changes: tuple[FileChange, ...] = ()
    # Files that hold our parts already, as they should.
    unchanged: tuple[str, ...] = ()
    left_alone: tuple[LeftAlone, ...] = ()

    @property
    def writes(self) -> tuple[FileChange, ...]:
        """The files whose bytes would change."""
        return tuple(change for change in self.changes if not change.is_unchanged)


def find_present_clients(folders: ClientFolders) -> tuple[Client, ...]:
    """The agents whose program or settings are on this machine."""
    return tuple(
        client
        for client in CLIENTS
        if shutil.which(client.program) or client.load_install().settings(folders).is_dir()
    )


def find_named_clients(names: Iterable[str]) -> tuple[Client, ...]:
    """Agents by name, each once, in the order of the registry."""
    wanted = set(names)
    return tuple(client for client in CLIENTS if client.name in wanted)


def make_plan(
    clients: Iterable[Client],
    program: Program,
    folders: ClientFolders,
    scope: InstallScope,
    installed: Manifest,
) -> InstallPlan:
    """Look at every file that these clients need; nothing is written."""
    plans = [
        _plan_file(client.name, wanted, installed)
        for client in clients
        if not client.load_install().instead(folders)
        for wanted in client.load_install().files(program, folders, scope, client.hook_events)
    ]
    return InstallPlan(
        changes=tuple(plan for plan in plans if isinstance(plan, FileChange)),
        unchanged=tuple(plan if isinstance(plan, str) else plan.path for plan in plans if _is_there(plan)),
        left_alone=tuple(plan for plan in plans if isinstance(plan, LeftAlone)),
    )


def apply_change(change: FileChange, folder: Path) -> LeftAlone | None:
    """Write one file and keep its record in this folder; None, or why it was left alone."""
    record = change.record
    earlier = manifest.load(folder).get(record.target)
    now = disk.look(Path(change.path))
    if now.raw != change.now or now.refused:
        reason = now.refused or "it was changed while you looked at the plan; run `recollect init` again"
        return LeftAlone(client=change.client, path=change.path, reason=reason)
    manifest.keep(folder, record)
    if change.is_unchanged:
        return None
    try:
        disk.put(Path(record.target), change.after)
    except OSError as error:
        if earlier is None:
            manifest.drop(folder, record.target)
        else:
            manifest.keep(folder, earlier)
        reason = f"it cannot be written ({error.strerror})"
        return LeftAlone(client=change.client, path=change.path, reason=reason)
    return None


def list_diff_lines(change: FileChange) -> Iterator[str]:
    """The lines that would come and go, with one line around them."""
    old, new = _lines(change.now or b""), _lines(change.after)
    for line in list(difflib.unified_diff(old, new, n=1, lineterm=""))[2:]:
        yield line if len(line) <= _MAX_LINE else line[:_MAX_LINE] + "…"


def _plan_file(client: str, wanted: WantedFile, installed: Manifest) -> FileChange | LeftAlone | str:
    state = disk.look(Path(wanted.path))
    record = installed.get(str(state.target))
    wanted = _with_others(wanted, record)
    try:
        text = _text(state.raw)
        is_there = text is not None and _is_current(text, wanted, record)
        if is_there and record is not None:
            return wanted.path
        if state.refused:
            raise CannotEdit(state.refused)
        before = _before(state, text, wanted, record)
        after = text if text is not None and is_there else with_parts(_text(before), wanted)
    except CannotEdit as error:
        return LeftAlone(client=client, path=wanted.path, reason=str(error), paste=pasted(wanted))
    raw = after.encode()
    return FileChange(
        client=client,
        path=wanted.path,
        now=state.raw,
        after=raw,
        record=Record(
            path=wanted.path,
            target=str(state.target),
            client=client,
            form=wanted.form,
            before=before,
            after_sha256=digest(raw),
            parts=wanted.parts,
            skeleton=wanted.skeleton,
            made_folders=_missing_folders(state.target),
        ),
    )


def _with_others(wanted: WantedFile, record: Record | None) -> WantedFile:
    """The file with what it holds of ours for other projects, where it adds up."""
    if record is None or not wanted.adds_up:
        return wanted
    own = {part.path for part in wanted.parts}
    return replace(wanted, parts=(*wanted.parts, *(part for part in record.parts if part.path not in own)))


def _is_there(plan: FileChange | LeftAlone | str) -> bool:
    return isinstance(plan, str) or (isinstance(plan, FileChange) and plan.is_unchanged)


def _is_current(text: str, wanted: WantedFile, record: Record | None) -> bool:
    """Whether our parts are there, and none that an earlier version put elsewhere."""
    if not holds(text, wanted):
        return False
    paths = {part.path for part in wanted.parts}
    dropped = [part for part in (record.parts if record else ()) if part.path not in paths]
    return not any(commands_at(text, wanted.form, dropped).values()) if dropped else True


def _before(state: disk.Seen, text: str | None, wanted: WantedFile, record: Record | None) -> bytes | None:
    """How the file is without us: as recorded if nobody has touched it since, else what is left without our parts."""
    if state.raw is None or text is None:
        return None
    if record is not None and record.is_untouched(state.raw):
        return record.before
    if wanted.form is FileFormat.TEXT:
        if record is None and any(module in text for module in OUR_MODULES):
            return None  # ours, written before its record was lost
        why = "a file of that name is there, and it is not ours" if record is None else "it was edited since"
        raise CannotEdit(why)
    recorded = _text(record.before) if record is not None else None
    parts = (*wanted.parts, *(record.parts if record is not None else ()))
    return without_parts(text, wanted.form, parts, recorded).encode()


def _text(raw: bytes | None) -> str | None:
    try:
        return None if raw is None else raw.decode("utf-8")
    except UnicodeDecodeError:
        raise CannotEdit("it is not written in UTF-8") from None


def _missing_folders(target: Path) -> tuple[str, ...]:
    return tuple(str(folder) for folder in target.parents if not folder.exists())


def _lines(raw: bytes) -> list[str]:
    return raw.decode("utf-8", "replace").splitlines()
