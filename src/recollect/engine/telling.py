"""The desk that puts memories into the words an agent reads: `memory.telling`."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence

from recollect.engine.wiring import Wiring
from recollect.inject import answer, render
from recollect.inject.answer import Card
from recollect.model.memory import Memory
from recollect.model.query import Filters
from recollect.store import memories

__all__ = ["Card", "Telling"]

# A brief is chosen among so many of the newest.
_LOOKED_AT = 500


class Telling:
    """Memories as an agent sees them. Every text goes through the one renderer."""

    def __init__(self, wiring: Wiring) -> None:
        self._wiring = wiring

    def card(self, memory: Memory) -> Card:
        """One memory for an agent's program."""
        return answer.card_of(memory)

    def block(self, heading: str, found: Iterable[Memory]) -> str:
        """Memories for an agent's eyes."""
        return answer.answered(heading, found, secrets.token_hex(4))

    def escaped(self, text: str) -> str:
        """Any other text from the store, such as a file's name, on one line that cannot break out."""
        return render.escape(text)

    def brief(self) -> Sequence[Memory]:
        """What is worth knowing about the project around the folder before anything is asked."""
        here = Filters(project_id=self._wiring.project_id(), fresh=True)
        return answer.brief_of(memories.listed(self._wiring.db, here, limit=_LOOKED_AT))
