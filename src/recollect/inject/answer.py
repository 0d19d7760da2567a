"""What an agent gets when it asks: cards for programs and a block for eyes, written so that no field can break out."""

from __future__ import annotations

from collections.abc import Iterable

from recollect.inject.render import Block, cite, escape, item_of, render
from recollect.model.json_form import moment_to_json
from recollect.model.memory import Memory, MemoryState, told
from recollect.model.review import badge_of
from recollect.model.trust import origin_of, standing_of
from recollect.model.value import dataclass

WITHHELD = "not shown to an agent before a person has said yes; `recollect review` shows it to them"


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """One memory as an agent's program reads it; every text is escaped like the lines of a block."""

    id: str
    kind: str
    text: str
    about: tuple[str, ...]
    # The chip to repeat when it is relied on.
    cite: str
    confidence: float
    source: str
    state: str
    verified: bool
    stale: bool
    happened_at: str


def card_of(memory: Memory) -> Card:
    """A memory as a card. The words of one in quarantine stay there."""
    return Card(
        id=memory.id,
        kind=escape(memory.kind),
        text=WITHHELD if memory.state is MemoryState.QUARANTINED else escape(told(memory)),
        about=tuple(escape(str(subject)) for subject in memory.subjects),
        cite=cite(item_of(memory, _mark(memory))),
        confidence=round(memory.confidence, 2),
        source=badge_of(memory),
        state=str(memory.state),
        verified=memory.trust.verified,
        stale=memory.stale_at is not None,
        happened_at=moment_to_json(memory.happened_at),
    )


def answered(heading: str, memories: Iterable[Memory], boundary: str) -> str:
    """Memories that were asked for, as one block. Those in quarantine are left out."""
    spoken = [memory for memory in memories if memory.state is not MemoryState.QUARANTINED]
    items = tuple(item_of(memory, _mark(memory)) for memory in spoken)
    return render(Block(heading=heading, items=items), boundary)


def _mark(memory: Memory) -> str:
    if memory.stale_at is not None:
        return "stale"
    return "flagged" if memory.state is MemoryState.INACTIVE else standing_of(origin_of(memory)).mark
