"""
What recollect has written outside its data directory, and what was there before: enough to take it all back.

A record is written before its file is, so that a kill between the two loses nothing.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from recollect.clients.file_parts import FileFormat, FilePart, part_from_json, part_to_json
from recollect.errors import BadInstallRecord
from recollect.model.value import dataclass, replace
from recollect.surfaces.install import disk

FILE = "install.json"
_SCHEMA = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One file: how it was without us, what we put there, and how it was right after."""

    path: str
    target: str
    client: str
    form: FileFormat
    # None: there was no such file.
    before: bytes | None
    after_sha256: str
    parts: tuple[FilePart, ...] = ()
    skeleton: Any = None
    made_folders: tuple[str, ...] = ()

    def is_untouched(self, raw: bytes) -> bool:
        """Whether a file is as we left it."""
        return digest(raw) == self.after_sha256


Manifest = Mapping[str, Record]


def digest(raw: bytes) -> str:
    """The fingerprint of a file."""
    return sha256(raw).hexdigest()


def load(folder: Path) -> dict[str, Record]:
    """All records by the file's real place; none when nothing was installed."""
    file = folder / FILE
    try:
        form = json.loads(file.read_text("utf-8"))
        if form["schema"] != _SCHEMA:
            raise ValueError(f"its schema is {form['schema']}")
        return {entry["target"]: _from_json(entry) for entry in form["files"]}
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInstallRecord(path=str(file), reason=str(error)) from error


def save(folder: Path, records: Manifest) -> None:
    """Write all records, for this user's eyes: they hold the settings of other programs as they were."""
    file = folder / FILE
    if not records:
        file.unlink(missing_ok=True)
        return
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    form = {"schema": _SCHEMA, "files": [_to_json(record) for record in records.values()]}
    disk.put(file, (json.dumps(form, indent=1, ensure_ascii=False) + "\n").encode())


def keep(folder: Path, record: Record) -> None:
    """Keep one record more; folders that were made earlier for the same file stay known."""
    records = load(folder)
    if earlier := records.get(record.target):
        folders = dict.fromkeys((*earlier.made_folders, *record.made_folders))
        record = replace(record, made_folders=tuple(folders))
    save(folder, {**records, record.target: record})


def drop(folder: Path, target: str) -> None:
    """Forget one record."""
    save(folder, {key: record for key, record in load(folder).items() if key != target})


def _to_json(record: Record) -> dict[str, Any]:
    return {
        "path": record.path,
        "target": record.target,
        "client": record.client,
        "form": str(record.form),
        "before": None if record.before is None else base64.b64encode(record.before).decode(),
        "after_sha256": record.after_sha256,
        "parts": [part_to_json(part) for part in record.parts],
        "skeleton": record.skeleton,
        "made_folders": list(record.made_folders),
    }


def _from_json(form: Mapping[str, Any]) -> Record:
    return Record(
        path=form["path"],
        target=form["target"],
        client=form["client"],
        form=FileFormat(form["form"]),
        before=None if form["before"] is None else base64.b64decode(form["before"], validate=True),
        after_sha256=form["after_sha256"],
        parts=tuple(map(part_from_json, form["parts"])),
        skeleton=form["skeleton"],
        made_folders=tuple(form["made_folders"]),
    )
