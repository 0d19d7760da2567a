"""Reviews: what a person is asked to look at, and what they may answer."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from recollect.model.memory import Memory, MemoryState
from recollect.model.provenance import Channel, Source
from recollect.model.trust import Origin, Review, find_standing, origin_of
from recollect.model.value import dataclass

# Ways that say more about a memory than who wrote it down; "observed" only where nothing says it closer.
_TELLING = frozenset({Channel.READ, Channel.IMPORT, Channel.PLUGIN, Channel.VAULT_EXTERNAL, Channel.VAULT})
_OBSERVED = (Channel.OBSERVED, Source.OBSERVER_INFERRED)


class CorrectionReason(StrEnum):
    """What is wrong with a memory."""

    INACCURATE = "inaccurate"
    OUTDATED = "outdated"
    TOO_SPECIFIC = "too_specific"
    DUPLICATE = "duplicate"


# These are put right by other words.
NEEDS_TEXT = frozenset({CorrectionReason.INACCURATE, CorrectionReason.TOO_SPECIFIC})


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """Something that happened, as evidence for a memory."""

    event_id: str
    at: datetime
    what: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingMemory:
    """A memory that waits for a person: where it comes from, and why it waits."""

    memory: Memory
    origin: Origin
    why: str
    quotes: tuple[Quote, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmedMemory:
    """A memory that needs nobody's look, and why not."""

    memory: Memory
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionReview:
    """What a session used, what it left for review, and what it left that needs none."""

    session_id: str
    applied: tuple[Memory, ...]
    waiting: tuple[WaitingMemory, ...]
    confirmed: tuple[ConfirmedMemory, ...]


def find_badge(memory: Memory) -> str:
    """The short word for where a memory comes from, shown wherever it is shown."""
    channel, source = memory.provenance.channel, memory.provenance.source
    return str(channel if channel in _TELLING or (channel, source) == _OBSERVED else source)


def explain_waiting(memory: Memory) -> str:
    """Why a person should look at a memory."""
    if memory.state is MemoryState.INACTIVE:
        return "flagged as wrong"
    row = find_standing(origin_of(memory))
    if memory.state is MemoryState.QUARANTINED or row.review is Review.BEFORE_USE:
        return f"not used before a yes: {row.says}"
    return row.says
