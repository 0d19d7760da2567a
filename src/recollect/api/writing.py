"""The write side of `Recollect`, loaded at the first write: remember, edit, pin, forget, purge, undo."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from recollect.api.wiring import UNKNOWN_PROJECT, Wiring
from recollect.capture import change, intake
from recollect.capture.change import Undone
from recollect.model.memory import Intake, Memory, MemoryDraft, MemoryState
from recollect.model.value import replace
from recollect.store.safety import disk_ballast


class Writing:
    """What `Recollect` calls to change what is remembered."""

    def __init__(self, wiring: Wiring) -> None:
        self._wiring = wiring

    def remember_many(self, drafts: Sequence[MemoryDraft], why: str) -> Sequence[Intake]:
        """Remember many at once; a draft made before its project was known gets it here."""
        context = self._wiring.begin_writing()
        home_id = self._wiring.draft_project_id()
        if any(
            draft.project_id in (UNKNOWN_PROJECT, home_id) for draft in drafts if draft.project_id is not None
        ):
            # Also where it is known: the project notes each folder that something is remembered in.
            ensured_id = self._wiring.ensure_project_id()
            drafts = [
                replace(draft, project_id=ensured_id) if draft.project_id == UNKNOWN_PROJECT else draft
                for draft in drafts
            ]
        return intake.remember(context, drafts, actor=self._wiring.actor, why=why)

    def edit(self, memory_id: str, changes: Mapping[str, Any], why: str) -> Memory:
        """Change parts of a memory."""
        return change.edit_memory(
            self._wiring.begin_writing(), memory_id, changes, actor=self._wiring.actor, why=why
        )

    def pin(self, memory_id: str, *, pinned: bool) -> Memory:
        """Keep a memory from ageing, or let it age again."""
        return change.pin_memory(
            self._wiring.begin_writing(), memory_id, pinned=pinned, actor=self._wiring.actor
        )

    def forget(self, memory_ids: Sequence[str], why: str) -> Sequence[Memory]:
        """Take memories out of use."""
        return disk_ballast.run_with_ballast(
            self._wiring.db,
            lambda: change.set_state(
                self._wiring.begin_writing(),
                memory_ids,
                MemoryState.ARCHIVED,
                action="forget",
                actor=self._wiring.actor,
                why=why,
            ),
        )

    def purge(self, memory_ids: Sequence[str]) -> Sequence[str]:
        """Remove memories for good."""
        # Loaded here: a vault and its notes are much to load, and few writes purge.
        from recollect.api import purging

        return disk_ballast.run_with_ballast(self._wiring.db, lambda: purging.purge(self._wiring, memory_ids))

    def undo(self, memory_id: str | None) -> Undone:
        """Take back the last act, or the last one that touched a memory."""
        return change.undo_act(self._wiring.begin_writing(), memory_id, actor=self._wiring.actor)
