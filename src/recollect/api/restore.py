"""What is done to a memory that is not open: putting a copy in its place, or a sound one in that of a damaged one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from recollect.store.recovery import backup as copies
from recollect.store.recovery import rebuild
from recollect.store.recovery.rebuild import Rebuilt


def restore(source: Path, target: Path, progress: Callable[[int, int], None] | None = None) -> Path | None:
    """Put a backup in the place of a memory; what was there is kept beside it, and its name returned."""
    return copies.restore(source, target, datetime.now(UTC), progress)


def rebuilt(
    file: Path,
    progress: Callable[[int, int], None],
    source: Path | None = None,
    *,
    from_nothing: bool = False,
) -> Rebuilt:
    """Put a sound memory in the place of a damaged one, from the newest good copy and all that can be read."""
    return rebuild.rebuild(file, datetime.now(UTC), progress, source, from_nothing=from_nothing)
