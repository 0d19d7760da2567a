"""Memories in step with the files they are about, as `memory.staleness`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic

from recollect.api.public_api import public_api
from recollect.api.wiring import Wiring
from recollect.errors import NotFound
from recollect.lifecycle import stale
from recollect.model.anchor import Anchor, Checkout, SweepReport
from recollect.model.memory import Memory
from recollect.store.tables import anchors

_MOST_LISTED = 1000


@public_api
class Staleness:
    """Follows files that move, marks memories whose files are gone, and tells which are."""

    def __init__(self, wiring: Wiring) -> None:
        self._wiring = wiring

    def sweep(self, *, seconds: float = 30.0) -> SweepReport:
        """Look at every file that memories of this project are about, for about so many seconds at most."""
        return self._run(stale.sweep, seconds)

    def follow(self, *, seconds: float = 10.0) -> SweepReport:
        """Take in what was committed since the last look; for after a commit, a merge or a checkout."""
        return self._run(stale.follow, seconds)

    def at_session_start(self, *, seconds: float = 10.0) -> SweepReport:
        """Sweep when it is due (the first time in a day, or after twenty sessions), else follow."""
        return self._run(stale.check_at_session_start, seconds)

    def renew(self, memory_id: str) -> Memory:
        """A memory still holds: take the mark off it, and count its files as they are now."""
        checkout = self._wiring.checkout()
        if checkout is None:
            raise NotFound(what="project", name="the current folder")
        return stale.renew_memory(self._round(checkout, 0.0), memory_id)

    def is_due(self) -> bool:
        """Whether a sweep is due here."""
        project_id = self._wiring.project_id()
        return project_id is not None and stale.is_sweep_due(self._wiring.db, project_id, self._wiring.now())

    def listed(self, *, limit: int = _MOST_LISTED) -> Sequence[Memory]:
        """What is stale in this project, the newest mark first."""
        project_id = self._wiring.project_id()
        return anchors.list_stale_memories(self._wiring.db, project_id, limit) if project_id else ()

    def files_of(self, memory_id: str) -> Sequence[Anchor]:
        """What has become of the files one memory is about."""
        return anchors.list_anchors_of_memories(self._wiring.db, [memory_id]).get(memory_id, ())

    def _run(self, look: Callable[[stale.StalenessContext], SweepReport], seconds: float) -> SweepReport:
        checkout = self._wiring.checkout()
        return look(self._round(checkout, seconds)) if checkout else SweepReport()

    def _round(self, checkout: Checkout, seconds: float) -> stale.StalenessContext:
        ends = monotonic() + seconds
        return stale.StalenessContext(
            db=self._wiring.db,
            kinds=self._wiring.kinds,
            checkout=checkout,
            now=self._wiring.now(),
            new_id=self._wiring.new_id,
            enough=lambda: monotonic() > ends,
        )
