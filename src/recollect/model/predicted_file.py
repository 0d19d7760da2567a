"""Past sessions as file prediction sees them, and the files it predicts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from math import prod

from recollect.model.value import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class PastFile:
    """A file in a session. One that was never touched was only named, by a search, a command or the agent."""

    path: str
    # How often it was read or changed, and how often of these it was changed.
    touched: int = 0
    edited: int = 0
    # The branch it was touched or named on.
    branch: str = ""
    # What was seen of it: stems of words, and how often each.
    words: Mapping[str, int] = field(default_factory=dict)
    # The names it defines.
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PastSession:
    """Where a session took place and which files it met."""

    session_id: str
    # When it last touched a file.
    at: datetime
    branch: str = ""
    folder: str = ""
    files: tuple[PastFile, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DayOneStanding:
    """
    Where a file stands by what commits and code say alone: its place, how far above the average of the best, and how
    much of what is asked they say of it, from 0 to 1.
    """

    place: int
    ahead: float
    words: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictedFile:
    """A file that a session will probably read or change, with a score between 0 and 1 and the reasons in words."""

    path: str
    score: float
    reasons: tuple[str, ...]
    # How much it speaks of what is asked, as it was weighed: a score is a share of the best, and the best of a vague
    # question is vague.
    words: float = 0.0
    # No session ever met it: it is inferred from the commits and the code of the project.
    inferred: bool = False
    day_one: DayOneStanding | None = None


def combine_probabilities(probabilities: Iterable[float]) -> float:
    """How probable it is that at least one of these comes true, each by itself."""
    return 1.0 - prod(1.0 - probability for probability in probabilities)
