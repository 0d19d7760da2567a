"""The desk that puts memories into the words an agent reads: `memory.telling`."""

from __future__ import annotations

import secrets
from collections.abc import Iterable

from recollect.api.wiring import Wiring
from recollect.inject import answer, render
from recollect.inject.answer import Card
from recollect.inject.assemble import assembled
from recollect.inject.layout import CODING, PROJECT
from recollect.inject.moments import Situation, candidates
from recollect.model.memory import Memory

__all__ = ["Card", "Telling"]


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

    def brief(self) -> str:
        """What there is to know about the project around the folder; empty when there is nothing."""
        wiring = self._wiring
        layout = CODING[PROJECT]
        situation = Situation(now=wiring.now(), kinds=wiring.kinds.names(), project_id=wiring.project_id())
        found = candidates(wiring.ground, layout, situation)
        spoken = assembled(layout, found, told=(), boundary=secrets.token_hex(4))
        return spoken.text if spoken else ""
