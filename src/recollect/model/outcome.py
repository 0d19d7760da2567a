"""What came of offering something to be remembered: three answers, none of them an exception."""

from __future__ import annotations

from recollect.model.memory import Memory
from recollect.model.value import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """It is a memory now."""

    memory: Memory
    redacted: tuple[str, ...] = ()
    hidden: int = 0
    # Why it has no vector, if its model could not be asked; `recollect reindex` makes up for it.
    unembedded: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlreadyKnown:
    """The same thing is a memory already: which, and how alike (1.0 = the same words)."""

    memory: Memory
    likeness: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """It is not kept, and why."""

    reason: str


Intake = Remembered | AlreadyKnown | Refused
