"""Memories in the course of time, as `memory.upkeep`: ageing, pruning and reviving, judging, settling."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from recollect.api.public_api import public_api
from recollect.api.wiring import Wiring
from recollect.capture import recipes, review, settle
from recollect.capture.settle import Settled
from recollect.lifecycle import archive, upkeep
from recollect.lifecycle.prune import PruneReport, PruneRequest, prune
from recollect.lifecycle.upkeep import JOBS, UpkeepReport
from recollect.lifecycle.upkeep_context import UpkeepContext
from recollect.model.memory import Memory
from recollect.model.scope import parse_workref

__all__ = ["BUDGET", "PruneReport", "Settled", "Upkeep", "UpkeepReport"]

# Seconds that a session may wait for upkeep at its start; what is left over waits for the next.
BUDGET = 2.0


@public_api
class Upkeep:
    """Memories in the course of time, as `memory.upkeep`."""

    def __init__(self, wiring: Wiring, timer: Callable[[], float] = time.monotonic) -> None:
        self._wiring = wiring
        self._timer = timer

    def run(self, *, every: bool = False, dry_run: bool = False, budget: float = BUDGET) -> UpkeepReport:
        """Run the jobs that are due, or all of them: ageing, pruning and what else is in the table."""
        return upkeep.run_upkeep(
            self._begin(), JOBS, timer=self._timer, budget=budget, every=every, dry_run=dry_run
        )

    def prune(
        self,
        *,
        deleted_files: bool = False,
        merged: bool = False,
        below: float | None = None,
        finished: Sequence[str] = (),
        dry_run: bool = False,
    ) -> PruneReport:
        """Archive what the rules let go, or only what is asked for; what, why and what it saves."""
        wish = PruneRequest(
            deleted_files=deleted_files,
            merged=merged,
            below=below,
            finished=tuple(parse_workref(text) for text in finished),
        )
        return prune(self._begin(), wish, actor=self._wiring.actor, dry_run=dry_run)

    def revive(self, *memory_ids: str, every: bool = False) -> Sequence[Memory]:
        """Bring back what was pruned, forgotten or put to sleep: these, or everything pruned here."""
        return archive.revive_memories(self._begin(), memory_ids, every=every, actor=self._wiring.actor)

    def judge(self, memory_id: str, *, useful: bool, why: str = "") -> Memory:
        """A memory helped, or was in the way: it ranks a little higher or lower from now on."""
        return review.judge_usefulness(
            self._wiring.begin_writing(), memory_id, useful=useful, actor=self._wiring.actor, why=why
        )

    def flag(self, memory_id: str, reason: str = "wrong", *, why: str = "") -> Memory:
        """A memory is wrong, or outdated: out of use by a person's word; by an agent's, until a person has looked."""
        return review.flag_memory(
            self._wiring.begin_writing(),
            memory_id,
            reason,
            actor=self._wiring.actor,
            why=why,
        )

    def recipe_failed(self, memory_id: str, *, why: str = "") -> Memory:
        """A recipe was followed and the work failed: it is stale until a session that passes has followed it again."""
        return recipes.record_failure(
            self._wiring.begin_writing(), memory_id, actor=self._wiring.actor, why=why
        )

    def recipe_worked(self, memory_id: str, *, why: str = "") -> Memory:
        """A recipe was followed and the work was good: one success more, and it may be told again."""
        return recipes.record_following(
            self._wiring.begin_writing(), memory_id, actor=self._wiring.actor, why=why
        )

    def conflicts(self) -> Sequence[tuple[Memory, Memory]]:
        """Pairs of memories that contradict each other and wait for a word: the newer, then the older."""
        return settle.list_conflicts(self._wiring.db)

    def settle(self, keep: str, drop: str, *, why: str = "") -> Settled:
        """Of two memories that contradict each other one holds; it supersedes the other."""
        return settle.settle(self._wiring.begin_writing(), keep, drop, actor=self._wiring.actor, why=why)

    def keep_both(self, one: str, other: str, *, why: str = "") -> Settled:
        """Two memories only seemed to contradict each other: both hold."""
        return settle.keep_both(self._wiring.begin_writing(), one, other, actor=self._wiring.actor, why=why)

    def _begin(self) -> UpkeepContext:
        """Store the accesses that were counted, then give what looking after memories needs."""
        self._wiring.store_accesses()
        return self._wiring.upkeep_context()
