"""Injections: what was put before an agent unasked, what it did with that, and what that saved."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from recollect.model.value import dataclass


class InjectionUse(StrEnum):
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
    used: InjectionUse = InjectionUse.NOT_SEEN
    used_at: datetime | None = None
    # When a compaction took it out of the agent's sight.
    lost_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectedMemory:
    """A line of the ledger with what was said there, as far as it is still kept."""

    injection: Injection
    kind: str = ""
    text: str = ""


# So many files must have been found without help before their mean is a measure.
MIN_FILES_TO_COMPARE = 10
# So many of a project's newest sessions are counted; their lines stay in the ledger however old they are.


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSavings:
    """
    Files that sessions opened for the first time, and what finding them took.

    `direct` were named in time and then opened without a search; `told` is what naming them cost. `found` were opened
    without having been named, after searches of `searched` tokens. Of `lines` in the ledger, `used` were.
    """

    lines: int = 0
    used: int = 0
    direct: int = 0
    told: int = 0
    found: int = 0
    searched: int = 0

    def __add__(self, other: SessionSavings) -> SessionSavings:
        return SessionSavings(
            lines=self.lines + other.lines,
            used=self.used + other.used,
            direct=self.direct + other.direct,
            told=self.told + other.told,
            found=self.found + other.found,
            searched=self.searched + other.searched,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Savings:
    """What was saved `here`, and what is `known` of finding files in this project to compare it with."""

    here: SessionSavings
    known: SessionSavings

    @property
    def mean(self) -> float | None:
        """What finding a file takes on average, in tokens; None while too few are known."""
        return self.known.searched / self.known.found if self.known.found >= MIN_FILES_TO_COMPARE else None

    @property
    def tokens(self) -> int | None:
        """What the searches that were not needed would have cost, less what was told; None while that is unknown."""
        return None if self.mean is None else round(self.here.direct * self.mean) - self.here.told
