"""Answers to an agent that asks: cards for programs, a block of text to read, and the handover to the next stage."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from recollect.inject.render import NAME_LENGTH, Block, CitedItem, cite_item, escape, render_block, to_item
from recollect.inject.source_quota import select_memories_by_quota
from recollect.model.excerpt import cut_long_text, find_contradictions
from recollect.model.json_form import moment_to_json
from recollect.model.memory import Memory, MemoryState, render_text
from recollect.model.method import Methodology, Relay
from recollect.model.review import find_badge
from recollect.model.tokens import estimate_tokens
from recollect.model.trust import Moment, find_standing, may_speak, origin_of
from recollect.model.value import dataclass, replace

WITHHELD = "not shown to an agent before a person has said yes; `recollect review` shows it to them"


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryCard:
    """One memory as an agent's program reads it; every text is escaped like the lines of a block."""

    id: str
    kind: str
    text: str
    about: tuple[str, ...]
    # The citation to repeat when it is relied on.
    cite: str
    confidence: float
    source: str
    state: str
    verified: bool
    stale: bool
    happened_at: str


def to_card(memory: Memory) -> MemoryCard:
    """A memory as a card. The words of one in quarantine stay there."""
    return MemoryCard(
        id=memory.id,
        kind=escape(memory.kind),
        text=WITHHELD if memory.state is MemoryState.QUARANTINED else escape(render_text(memory)),
        about=tuple(escape(str(subject)) for subject in memory.subjects),
        cite=cite_item(to_item(memory, _mark(memory))),
        confidence=round(memory.confidence, 2),
        source=find_badge(memory),
        state=str(memory.state),
        verified=memory.trust.verified,
        stale=memory.stale_at is not None,
        happened_at=moment_to_json(memory.happened_at),
    )


def render_answer(heading: str, memories: Iterable[Memory], boundary: str) -> str:
    """Memories that were asked for, as one block; long ones are cut. Those in quarantine are left out."""
    shown_memories = [memory for memory in memories if memory.state is not MemoryState.QUARANTINED]
    against = find_contradictions(shown_memories)
    items = tuple(_to_answer_item(memory, against.get(memory.id, ())) for memory in shown_memories)
    return render_block(Block(heading=heading, items=items), boundary)


def _to_answer_item(memory: Memory, against: Sequence[str]) -> CitedItem:
    """An item as an answer shows it: a long text cut, and whom it contradicts."""
    marks = [_mark(memory), *(f"contradicts {other[:NAME_LENGTH]}" for other in against)]
    item = to_item(memory, ", ".join(mark for mark in marks if mark))
    return replace(item, text=cut_long_text(item.text, memory.id))


def _mark(memory: Memory) -> str:
    if memory.stale_at is not None:
        return "stale"
    return "flagged" if memory.state is MemoryState.INACTIVE else find_standing(origin_of(memory)).mark


@dataclass(frozen=True, slots=True, kw_only=True)
class RelayText:
    """The text for the next stage, the memories in it, and what it costs."""

    relay: Relay
    text: str
    memories: tuple[Memory, ...]
    tokens: int


def render_relay(
    method: Methodology, relay: Relay, memories: Sequence[Memory], boundary: Callable[[], str]
) -> RelayText:
    """The memories as the next stage is to read them; an empty text if there is nothing to hand on."""
    chosen = select_memories_by_quota(memories, len(memories))
    sections = method.tell_relay(chosen, relay) if chosen else ()
    # Whatever a methodology does with them, only what was given to it is shown.
    chosen_ids = {memory.id for memory in chosen}
    listed_by_heading = [
        (section.heading, [item for item in section.memories if item.id in chosen_ids])
        for section in sections
    ]
    blocks = [
        Block(heading=heading, items=tuple(to_item(item, _relay_mark(item)) for item in listed))
        for heading, listed in listed_by_heading
        if listed
    ]
    text = "\n\n".join(render_block(block, boundary()) for block in blocks)
    relayed_memories = tuple(item for _, listed in listed_by_heading for item in listed)
    return RelayText(
        relay=relay, text=text, memories=relayed_memories, tokens=estimate_tokens(text) if text else 0
    )


def _relay_mark(memory: Memory) -> str:
    return may_speak(memory, Moment.BRIEF).mark
