"""Lessons and recipes are memories of one kind: found, stood by and put away in the same way."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.api.wiring import Wiring
from recollect.capture import change, review, rights
from recollect.capture.write_context import begin_act
from recollect.errors import BadInput
from recollect.model.memory import Memory, MemoryState
from recollect.model.query import Filters
from recollect.store.tables import memories

MAX_LISTED = 1_000


class LearnedMemories:
    """The memories of one kind, seen from the project around the folder."""

    def __init__(self, wiring: Wiring, kind: str) -> None:
        self._wiring = wiring
        self._kind = kind

    def list(self, *, states: Sequence[MemoryState], every_project: bool) -> list[Memory]:
        """Those in these states, newest first."""
        self._wiring.drain_inbox()
        filters = Filters(
            kinds=(self._kind,),
            project_id=self._wiring.project_id(),
            states=tuple(states),
            every_project=every_project,
        )
        return memories.list_memories(self._wiring.db, filters, limit=MAX_LISTED)

    def get(self, memory_id: str) -> Memory:
        """One of them, by its id or the first characters of it."""
        memory = memories.get_memory(self._wiring.db, memory_id)
        if memory.kind != self._kind:
            raise BadInput(reason=f"{memory.id} is a {memory.kind}, not a {self._kind}")
        return memory

    def confirm(self, memory_id: str, why: str) -> Memory:
        """A person stands by it."""
        memory = self.get(memory_id)
        context = self._wiring.begin_writing()
        return review.confirm(context, [memory.id], actor=self._wiring.actor, why=why)[0]

    def retire(self, memory_id: str, why: str) -> Memory:
        """Put it away."""
        memory = self.get(memory_id)
        context = self._wiring.begin_writing()
        rights.check_person(begin_act(context, "retire", self._wiring.actor), f"retire a {self._kind}")
        return change.set_state(
            context,
            [memory.id],
            MemoryState.ARCHIVED,
            action="retire",
            actor=self._wiring.actor,
            why=why,
        )[0]

    def undo(self, memory_id: str) -> Memory:
        """Take back the last act that changed it."""
        memory = self.get(memory_id)
        change.undo_act(self._wiring.begin_writing(), memory.id, actor=self._wiring.actor)
        return self.get(memory.id)
