"""What lies in a vault: its notes, and what is passed over and why. No link is followed, no hidden folder entered."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from recollect.model.value import dataclass, field
from recollect.vault.files import MAX_BYTES
from recollect.vault.replace import is_temporary

MAX_NOTES = 200_000
MAX_LEVELS = 40
# A folder that holds one of these is a program's settings, whatever it is called.
_SETTINGS = frozenset({"app.json", "workspace.json"})
_SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__"})
_CONFLICT = re.compile(
    r"\.sync-conflict-\d{8}-\d{6}-\w+\.md\Z|\([^)]*conflicted copy[^)]*\)|\(conflict \d{4}-", re.IGNORECASE
)
_TEMPORARY = re.compile(r"(?:\.tmp|\.swp|\.swx|\.part|\.crdownload|~)\Z|\A(?:~\$|\.#)", re.IGNORECASE)
_NOT_HERE_YET = re.compile(r"\.(?P<name>.+)\.icloud\Z")


@dataclass(frozen=True, slots=True)
class FoundNote:
    """A note as the folder lists it: where, how large, when changed, and the number of its file."""

    path: str
    size: int
    mtime: int
    inode: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VaultListing:
    """All that was found. `refused` names what is not read and why; `conflicts` are copies another program made."""

    notes: dict[str, FoundNote] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    conflicts: list[str] = field(default_factory=list)
    # Notes that a cloud has and this disk does not, just now.
    elsewhere: set[str] = field(default_factory=set)
    # What a process of ours left behind when it was ended.
    left_over: list[str] = field(default_factory=list)


def list_notes(root: Path) -> VaultListing:
    """Every note under a folder."""
    listing = VaultListing()
    _look_into(str(root), "", 0, listing)
    return listing


def look_at(root: Path, path: str, listing: VaultListing) -> None:
    """Add one path to a listing, as far as there is a note."""
    try:
        status = os.lstat(root / path)
    except OSError:
        return
    _take(path, status, listing)


def is_conflict_copy(name: str) -> bool:
    """Whether a file of this name is the other half of a conflict: made by a program that syncs, or by us."""
    return _CONFLICT.search(name) is not None


def _look_into(folder: str, prefix: str, level: int, listing: VaultListing) -> None:
    try:
        with os.scandir(folder) as iterator:
            entries = list(iterator)
    except OSError as error:
        listing.refused[prefix or "."] = f"cannot be opened ({(error.strerror or '').lower()})"
        return
    if prefix and any(entry.name in _SETTINGS for entry in entries):
        return
    for entry in entries:
        name = entry.name
        if is_temporary(name):
            listing.left_over.append(prefix + name)
        elif name.startswith("."):
            if here := _NOT_HERE_YET.match(name):
                listing.elsewhere.add(prefix + here["name"])
        elif name.endswith(".md"):
            if not _TEMPORARY.search(name):
                _take(prefix + name, entry.stat(follow_symlinks=False), listing)
        elif entry.is_dir(follow_symlinks=False):
            if name not in _SKIPPED_FOLDERS and level < MAX_LEVELS:
                _look_into(entry.path, f"{prefix}{name}/", level + 1, listing)
        elif entry.is_symlink() and entry.is_dir():
            listing.refused[prefix + name] = "is a link to a folder, and links are not followed"


def _take(path: str, status: os.stat_result, listing: VaultListing) -> None:
    if stat.S_ISLNK(status.st_mode):
        listing.refused[path] = "is a link, and links are not followed"
    elif not stat.S_ISREG(status.st_mode):
        listing.refused[path] = "is no regular file"
    elif status.st_size > MAX_BYTES:
        listing.refused[path] = f"has {status.st_size:,} bytes; at most {MAX_BYTES:,} are read"
    elif is_conflict_copy(path.rpartition("/")[2]):
        listing.conflicts.append(path)
    elif len(listing.notes) >= MAX_NOTES:
        listing.refused["."] = f"holds more than {MAX_NOTES:,} notes; the rest is not read"
    elif not _is_text(path):
        listing.refused[path.encode("utf-8", "replace").decode()] = "has a name that is no text"
    else:
        listing.notes[path] = FoundNote(path, status.st_size, status.st_mtime_ns, status.st_ino)


def _is_text(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
