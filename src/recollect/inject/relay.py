"""What one stage hands to the next, as text: the methodology says under which headings, the renderer writes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from recollect.inject.render import Block, item_of, render
from recollect.inject.source_quota import shared_out
from recollect.model.memory import Memory
from recollect.model.method import Methodology, Relay
from recollect.model.tokens import estimate_tokens
from recollect.model.trust import Moment, may_speak
from recollect.model.value import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Relayed:
    """The text for the next stage, the memories in it, and what it costs."""

    relay: Relay
    text: str
    memories: tuple[Memory, ...]
    tokens: int


def relayed(
    method: Methodology, relay: Relay, found: Sequence[Memory], boundary: Callable[[], str]
) -> Relayed:
    """The memories as the next stage is to read them; an empty text if there is nothing to hand on."""
    chosen = shared_out(found, len(found))
    sections = method.tell_relay(chosen, relay) if chosen else ()
    # Whatever a methodology does with them, only what was given to it is shown.
    known = {memory.id for memory in chosen}
    kept = [(section.heading, [one for one in section.memories if one.id in known]) for section in sections]
    blocks = [
        Block(heading=heading, items=tuple(item_of(one, _mark(one)) for one in listed))
        for heading, listed in kept
        if listed
    ]
    text = "\n\n".join(render(block, boundary()) for block in blocks)
    shown = tuple(one for _, listed in kept for one in listed)
    return Relayed(relay=relay, text=text, memories=shown, tokens=estimate_tokens(text) if text else 0)


def _mark(memory: Memory) -> str:
    return may_speak(memory, Moment.BRIEF).mark
