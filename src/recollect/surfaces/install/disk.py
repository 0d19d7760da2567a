"""Files of other people on the disk: looked at before they are touched, and written whole or not at all."""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from recollect.model.value import dataclass

_MOST_BYTES = 64 << 20
_END = ".recollect-new"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A file as it is: `raw` is None when there is none; `refused` says why it may not be written."""

    path: Path
    # Where it really is, links followed.
    target: Path
    raw: bytes | None = None
    refused: str = ""


def look(path: Path) -> Seen:
    """Look at a file; nothing is changed, and nothing is raised for a file that cannot be read."""
    try:
        target = path.resolve()
        if path.is_symlink() and target == path.absolute():
            return Seen(path=path, target=target, refused="it is a link to itself")
        about = target.stat()
    except FileNotFoundError:
        return Seen(path=path, target=path.resolve(), refused=_no_folder_for(path.resolve()))
    except (OSError, RuntimeError) as error:
        return Seen(path=path, target=path, refused=f"it cannot be read ({_reason(error)})")
    if not stat.S_ISREG(about.st_mode):
        return Seen(path=path, target=target, refused="it is no file")
    if about.st_size > _MOST_BYTES:
        return Seen(path=path, target=target, refused="it is too large to be edited")
    try:
        raw = target.read_bytes()
    except OSError as error:
        return Seen(path=path, target=target, refused=f"it cannot be read ({_reason(error)})")
    return Seen(path=path, target=target, raw=raw, refused=_closed(about))


def put(target: Path, raw: bytes) -> list[Path]:
    """Write a file whole: beside it first, then in its place, with its mode. The folders made on the way."""
    new_folders = [folder for folder in (target.parent, *target.parent.parents) if not folder.exists()]
    target.parent.mkdir(parents=True, exist_ok=True)
    about = target.stat() if target.exists() else None
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=_END, dir=target.parent)
    new = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(raw)
            stream.flush()
            os.fsync(stream.fileno())
        new.chmod(stat.S_IMODE(about.st_mode) if about else 0o600)
        if about is not None and hasattr(os, "chown"):
            with suppress(OSError):  # only who may give files away can, and needs to
                os.chown(new, about.st_uid, about.st_gid)
        new.replace(target)
    finally:
        with suppress(FileNotFoundError):
            new.unlink()
    return new_folders


def take_away(target: Path, folders: list[Path]) -> None:
    """Remove a file, and the folders that were made for it as far as they are empty; deepest first."""
    target.unlink(missing_ok=True)
    for folder in sorted(folders, key=lambda folder: -len(folder.parts)):
        try:
            folder.rmdir()
        except OSError:  # somebody else has put something there
            return


def _no_folder_for(target: Path) -> str:
    above = next((folder for folder in target.parents if folder.exists()), None)
    return "" if above is not None and above.is_dir() else "a file stands where its folder would be"


def _closed(about: os.stat_result) -> str:
    if not about.st_mode & 0o222:
        return "it is read-only"
    if about.st_nlink > 1:
        return "it has several names (hard links), and only one would change"
    return ""


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
