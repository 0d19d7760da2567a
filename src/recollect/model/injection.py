"""What was put before an agent that did not ask for it, and what came of it."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from recollect.model.value import dataclass


class Used(StrEnum):
    """What an agent made of what it was told."""

    NOT_SEEN = ""
    CITED = "cited"
    # A file it is about was opened afterwards.
    READ = "read"
    # It was relied on, and a person said right after that this was wrong.
    CORRECTED = "corrected"


@dataclass(frozen=True, slots=True, kw_only=True)
class Injection:
    """One line of the ledger."""

    session_id: str
    moment: str
    memory_id: str
    at: datetime
    tokens: int
    # How well it fitted, and how well it had to.
    score: float
    bar: float
    position: int
    agent: str = ""
    why: str = ""
    used: Used = Used.NOT_SEEN
    used_at: datetime | None = None
    # When a compaction took it out of the agent's sight.
    lost_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A line of the ledger with what was said there, as far as it is still kept."""

    injection: Injection
    kind: str = ""
    text: str = ""
