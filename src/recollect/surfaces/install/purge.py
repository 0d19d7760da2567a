"""Everything recollect has kept for itself: memories, what hooks wrote, copies, settings. Removed only when asked."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from recollect import config
from recollect.surfaces.install.manifest import FILE


def data_files(settings: config.Settings) -> list[Path]:
    """What would go, without the record of what is installed: that goes with the last file taken back."""
    data, db = config.data_dir(), Path(settings.db)
    found = [path for path in _inside(data) if path.name != FILE]
    if "://" not in settings.db:
        found += [path for path in _inside(db.parent) if path.name.startswith(db.name) and path not in found]
    return [*found, config.user_file()] if config.user_file().exists() else found


def purge(files: Iterable[Path]) -> None:
    """Remove these for good, and the folders they leave empty."""
    for path in files:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    for folder in (config.data_dir(), config.user_file().parent):
        with suppress(OSError):  # not empty, or not there
            folder.rmdir()


def _inside(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []
