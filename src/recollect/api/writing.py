"""The desk for changing what is remembered: taking in, editing, forgetting, taking back, embedding anew."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from recollect.api.wiring import Wiring
from recollect.capture import change, intake
from recollect.capture.change import Undone
from recollect.capture.reindex import Reindexed, reindex
from recollect.model.memory import Memory, MemoryDraft, MemoryState
from recollect.model.outcome import Intake
from recollect.providers.embed import EmbedderChoice, open_embedder
from recollect.store.safety import disk_ballast
from recollect.transfer import jsonl


class Writing:
    """The write side, loaded when something is written."""

    def __init__(self, wiring: Wiring) -> None:
        self._wiring = wiring

    def remember_many(self, drafts: Sequence[MemoryDraft], why: str) -> Sequence[Intake]:
        """Remember many at once."""
        return intake.remember(self._wiring.door(), drafts, actor=self._wiring.actor, why=why)

    def edit(self, memory_id: str, changes: Mapping[str, Any], why: str) -> Memory:
        """Change parts of a memory."""
        return change.edit(self._wiring.door(), memory_id, changes, actor=self._wiring.actor, why=why)

    def pin(self, memory_id: str, *, pinned: bool) -> Memory:
        """Keep a memory from ageing, or let it age again."""
        return change.pin(self._wiring.door(), memory_id, pinned=pinned, actor=self._wiring.actor)

    def forget(self, memory_ids: Sequence[str], why: str) -> Sequence[Memory]:
        """Take memories out of use."""
        return disk_ballast.spending(
            self._wiring.db,
            lambda: change.set_state(
                self._wiring.door(),
                memory_ids,
                MemoryState.ARCHIVED,
                action="forget",
                actor=self._wiring.actor,
                why=why,
            ),
        )

    def purge(self, memory_ids: Sequence[str]) -> Sequence[str]:
        """Remove memories for good."""
        return disk_ballast.spending(
            self._wiring.db, lambda: change.purge(self._wiring.door(), memory_ids, actor=self._wiring.actor)
        )

    def undo(self, memory_id: str | None) -> Undone:
        """Take back the last act, or the last one that touched a memory."""
        return change.undo(self._wiring.door(), memory_id, actor=self._wiring.actor)

    def reindex(self, wanted: EmbedderChoice, progress: Callable[[int, int], None]) -> Reindexed:
        """Embed what this model has not seen, and live with it."""
        embedder = self._wiring.given_embedder or open_embedder(wanted)
        done = reindex(self._wiring.db, embedder, self._wiring.kinds, progress)
        self._wiring.live_with(wanted)
        return done

    def export(self, *, every_project: bool, forgotten: bool) -> Iterator[dict[str, Any]]:
        """Every memory in its JSON form."""
        home_id = self._wiring.project_id()
        return jsonl.exported(
            self._wiring.db, self._wiring.now(), home_id, every_project=every_project, forgotten=forgotten
        )

    def import_memories(self, lines: jsonl.Lines, *, name: str, dry_run: bool, mine: bool) -> jsonl.Imported:
        """Take in what was exported: all of it, or nothing."""
        return jsonl.imported(
            self._wiring.door(),
            lines,
            self._wiring.project_of,
            actor=self._wiring.actor,
            name=name,
            dry_run=dry_run,
            mine=mine,
        )
