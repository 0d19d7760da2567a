"""What installing would write: every file with its lines, and every file that is left alone with the reason."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from pathlib import Path

from recollect.clients.client import Client, Place, Reach
from recollect.clients.file_parts import HOOKS_MODULE, Form, Wanted
from recollect.clients.program import Program
from recollect.model.value import dataclass
from recollect.surfaces.install import disk
from recollect.surfaces.install.edit import CannotEdit, commands_at, holds, pasted, with_parts, without_parts
from recollect.surfaces.install.manifest import Manifest, Record, digest

_LONGEST_LINE = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
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
class Plan:
    """All that installing would do to files."""

    changes: tuple[Change, ...] = ()
    # Files that hold our parts already, as they should.
    unchanged: tuple[str, ...] = ()
    left_alone: tuple[LeftAlone, ...] = ()

    @property
    def writes(self) -> tuple[Change, ...]:
        """The files whose bytes would change."""
        return tuple(change for change in self.changes if not change.is_unchanged)


def make_plan(
    clients: Iterable[Client], program: Program, place: Place, reach: Reach, manifest: Manifest
) -> Plan:
    """Look at every file that these clients need; nothing is written."""
    found = [
        _planned(client.name, wanted, manifest)
        for client in clients
        if not client.instead(place)
        for wanted in client.files(program, place, reach)
    ]
    return Plan(
        changes=tuple(one for one in found if isinstance(one, Change)),
        unchanged=tuple(one if isinstance(one, str) else one.path for one in found if _is_there(one)),
        left_alone=tuple(one for one in found if isinstance(one, LeftAlone)),
    )


def diff(change: Change) -> Iterator[str]:
    """The lines that would come and go, with one line around them."""
    old, new = _lines(change.now or b""), _lines(change.after)
    for line in list(difflib.unified_diff(old, new, n=1, lineterm=""))[2:]:
        yield line if len(line) <= _LONGEST_LINE else line[:_LONGEST_LINE] + "…"


def _planned(client: str, wanted: Wanted, manifest: Manifest) -> Change | LeftAlone | str:
    seen = disk.look(Path(wanted.path))
    record = manifest.get(str(seen.target))
    try:
        text = _text(seen.raw)
        is_there = text is not None and _is_current(text, wanted, record)
        if is_there and record is not None:
            return wanted.path
        if seen.refused:
            raise CannotEdit(seen.refused)
        before = _before(seen, text, wanted, record)
        after = text if text is not None and is_there else with_parts(_text(before), wanted)
    except CannotEdit as error:
        return LeftAlone(client=client, path=wanted.path, reason=str(error), paste=pasted(wanted))
    raw = after.encode()
    return Change(
        client=client,
        path=wanted.path,
        now=seen.raw,
        after=raw,
        record=Record(
            path=wanted.path,
            target=str(seen.target),
            client=client,
            form=wanted.form,
            before=before,
            after_sha256=digest(raw),
            parts=wanted.parts,
            skeleton=wanted.skeleton,
            made_folders=_missing_folders(seen.target),
        ),
    )


def _is_there(one: Change | LeftAlone | str) -> bool:
    return isinstance(one, str) or (isinstance(one, Change) and one.is_unchanged)


def _is_current(text: str, wanted: Wanted, record: Record | None) -> bool:
    """Whether our parts are there, and none that an earlier version put elsewhere."""
    if not holds(text, wanted):
        return False
    paths = {part.path for part in wanted.parts}
    dropped = [part for part in (record.parts if record else ()) if part.path not in paths]
    return not any(commands_at(text, wanted.form, dropped).values()) if dropped else True


def _before(seen: disk.Seen, text: str | None, wanted: Wanted, record: Record | None) -> bytes | None:
    """How the file is without us: as recorded if nobody has touched it since, else what is left without our parts."""
    if seen.raw is None or text is None:
        return None
    if record is not None and record.is_untouched(seen.raw):
        return record.before
    if wanted.form is Form.TEXT:
        if record is None and HOOKS_MODULE in text:
            return None  # ours, written before its record was lost
        why = "a file of that name is there, and it is not ours" if record is None else "it was edited since"
        raise CannotEdit(why)
    known = _text(record.before) if record is not None else None
    parts = (*wanted.parts, *(record.parts if record is not None else ()))
    return without_parts(text, wanted.form, parts, known).encode()


def _text(raw: bytes | None) -> str | None:
    try:
        return None if raw is None else raw.decode("utf-8")
    except UnicodeDecodeError:
        raise CannotEdit("it is not written in UTF-8") from None


def _missing_folders(target: Path) -> tuple[str, ...]:
    return tuple(str(folder) for folder in target.parents if not folder.exists())


def _lines(raw: bytes) -> list[str]:
    return raw.decode("utf-8", "replace").splitlines()
