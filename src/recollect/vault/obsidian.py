"""
What Obsidian's own settings say of a vault: which notes were open, and where the notes of days are. Only ever read.

The settings lie in `.obsidian`, or in another hidden folder if its owner chose so, of the vault or of a folder above
it: ours may be a part of a larger vault.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from recollect.errors import BadInput, NotFound
from recollect.model.value import dataclass
from recollect.vault.files import UnreadableNote, check_note_path, decode_note, inside, read_file
from recollect.vault.moment_format import format_moment

USUAL_SETTINGS = ".obsidian"
USUAL_DAY = "YYYY-MM-DD"
_FIELD = re.compile(r"\{\{\s*(date|time|title|yesterday|tomorrow)\s*(?::([^{}\n]*))?\}\}", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ObsidianVault:
    """A folder that Obsidian has as a vault, and where its settings are."""

    root: Path
    settings: Path

    def read(self, name: str) -> Any:
        """One of the files of settings; None if it is not there or not to be read."""
        try:
            return json.loads(read_file(self.settings / name).content)
        except (NotFound, UnreadableNote, ValueError, RecursionError):
            return None


@dataclass(frozen=True, slots=True, kw_only=True)
class DailyNote:
    """The note of a day: its path in our vault, and how it begins where it is not there yet."""

    path: str
    start: str


def find_obsidian(root: Path) -> ObsidianVault | None:
    """The vault of Obsidian that a folder is or is a part of."""
    for folder in (root, *root.parents):
        if (folder / USUAL_SETTINGS).is_dir():
            return ObsidianVault(root=folder, settings=folder / USUAL_SETTINGS)
    renamed = next((place.parent for place in sorted(root.glob(".*/app.json"))), None)
    return ObsidianVault(root=root, settings=renamed) if renamed else None


def read_open_notes(root: Path) -> frozenset[str]:
    """The notes that Obsidian has had open lately, as paths in this vault."""
    vault = find_obsidian(root)
    workspace = vault.read("workspace.json") if vault else None
    listed = workspace.get("lastOpenFiles") if isinstance(workspace, dict) else None
    if vault is None or not isinstance(listed, list):
        return frozenset()
    prefix = _prefix(vault, root)
    return frozenset(
        name.removeprefix(prefix) for name in listed if isinstance(name, str) and name.startswith(prefix)
    )


def find_daily_note(root: Path, at: datetime) -> DailyNote | None:
    """The note of a day where Obsidian's own settings put it; None if they say nothing, or it lies outside."""
    vault = find_obsidian(root)
    wanted = _daily_settings(vault) if vault else None
    if vault is None or wanted is None:
        return None
    name = format_moment(_text(wanted, "format") or USUAL_DAY, at)
    folder = _text(wanted, "folder").strip("/")
    place, prefix = f"{folder}/{name}" if folder else name, _prefix(vault, root)
    if not place.startswith(prefix):
        return None
    try:
        path = check_note_path(place.removeprefix(prefix))
    except BadInput:
        return None
    title = path.rpartition("/")[2].removesuffix(".md")
    return DailyNote(path=path, start=_fill(_template(vault, _text(wanted, "template")), title, at))


def _daily_settings(vault: ObsidianVault) -> Mapping[str, Any] | None:
    """What the Periodic Notes plugin says, if it is in use, else what the daily notes of Obsidian itself say."""
    enabled = vault.read("community-plugins.json")
    if isinstance(enabled, list) and "periodic-notes" in enabled:
        periodic = vault.read("plugins/periodic-notes/data.json")
        daily = periodic.get("daily") if isinstance(periodic, dict) else None
        if isinstance(daily, dict) and daily.get("enabled"):
            return daily
    own = vault.read("daily-notes.json")
    return own if isinstance(own, dict) else None


def _template(vault: ObsidianVault, name: str) -> str:
    if not name:
        return ""
    try:
        return decode_note(read_file(inside(vault.root, check_note_path(name.strip("/")))).content)
    except (BadInput, NotFound, UnreadableNote):
        return ""


def _fill(template: str, title: str, at: datetime) -> str:
    """A template with its date, time and title; what other plugins put there is left to them."""

    def filled(match: re.Match[str]) -> str:
        name, form = match[1].lower(), (match[2] or "").strip()
        if name == "title":
            return title
        days = {"yesterday": -1, "tomorrow": 1}.get(name, 0)
        return format_moment(form or ("HH:mm" if name == "time" else USUAL_DAY), at + timedelta(days=days))

    return _FIELD.sub(filled, template)


def _prefix(vault: ObsidianVault, root: Path) -> str:
    inner = root.relative_to(vault.root).as_posix()
    return "" if inner == "." else f"{inner}/"


def _text(settings: Mapping[str, Any], name: str) -> str:
    value = settings.get(name)
    return value.strip() if isinstance(value, str) else ""
