"""
Keeping a store safe, as `memory.safety`: snapshots, what is known to be missing, how far the clock is believed.

Beside it what is done to a store that is not open: `restore` a backup, `rebuild_store` from what can be read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.api.public_api import public_api
from recollect.api.wiring import Wiring
from recollect.lifecycle import clock_guard
from recollect.store.safety import snapshots

if TYPE_CHECKING:
    from recollect.store.recovery.rebuild import Rebuilt


@public_api
class Safety:
    """What sees to it that nothing is lost."""

    def __init__(self, wiring: Wiring) -> None:
        self._wiring = wiring

    def snapshot(self) -> Path:
        """Keep a proved copy beside the database; the oldest above the number the settings name goes."""
        keep = self._wiring.settings.number("snapshots.keep")
        return snapshots.take_snapshot(self._wiring.db, self._wiring.now(), keep=keep)

    def snapshot_is_due(self) -> bool:
        """Whether as many sessions as the settings name have passed since the last snapshot."""
        return snapshots.is_snapshot_due(self._wiring.db, self._wiring.settings.number("snapshots.every"))

    def wait_for_writers(self, seconds: float) -> None:
        """How long a write waits for another process before it gives up; for acts that can as well be done later."""
        self._wiring.db.wait_at_most(int(seconds * 1000))

    def losses(self) -> Sequence[str]:
        """What is known to be missing, noticed when the store was opened; `recollect doctor --fix` deals with it."""
        return self._wiring.db.losses

    def clock(self) -> tuple[datetime, datetime]:
        """What the clock says, and the time that upkeep would go by: a leap of ten years is not believed at first."""
        now = self._wiring.now()
        return now, clock_guard.update_trusted_time(clock_guard.read_trusted_time(self._wiring.db), now).at


def restore(source: Path, target: Path, progress: Callable[[int, int], None] | None = None) -> Path | None:
    """Put a backup in the place of a memory; what was there is kept beside it, and its name returned."""
    # Every command asks a store for its losses; few bring one back.
    from recollect.store.recovery import backup as backups

    return backups.restore(source, target, datetime.now(UTC), progress)


def rebuild_store(
    file: Path,
    progress: Callable[[int, int], None],
    source: Path | None = None,
    *,
    from_nothing: bool = False,
) -> Rebuilt:
    """Put a sound memory in the place of a damaged one, from the newest good copy and all that can be read."""
    # The same reason.
    from recollect.store.recovery import rebuild

    return rebuild.rebuild(file, datetime.now(UTC), progress, source, from_nothing=from_nothing)
