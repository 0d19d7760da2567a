"""Write what was planned: the record first, then the file, and only if nobody has changed it meanwhile."""

from __future__ import annotations

from pathlib import Path

from recollect.surfaces.install import disk, manifest
from recollect.surfaces.install.plan import Change, LeftAlone


def apply(change: Change, folder: Path) -> LeftAlone | None:
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
