"""A question to memory (words, filters, a stretch of time) and the hits that answer it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import NamedTuple

from recollect.errors import BadInput
from recollect.model.memory import Memory, MemoryState, check_share
from recollect.model.phase import Phase
from recollect.model.profile import Profile
from recollect.model.provenance import Source
from recollect.model.scope import Scope, WorkRef
from recollect.model.subject import Subject
from recollect.model.value import dataclass, field, replace

MAX_LIMIT = 1000
MAX_QUERY = 20_000
# Below this probability the best hit is no answer, and nothing is known.
ANSWER_BAR = 0.5
# Beside an answer, others are shown that are at least so much as probable.
FOLLOWER_SHARE = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Which memories may answer. Empty means any; a user-wide memory belongs to every project."""

    kinds: tuple[str, ...] = ()
    scopes: tuple[Scope, ...] = ()
    project_id: str | None = None
    every_project: bool = False
    subjects: tuple[Subject, ...] = ()
    tags: tuple[str, ...] = ()
    work: WorkRef | None = None
    methodology: str | None = None
    sources: tuple[Source, ...] = ()
    states: tuple[MemoryState, ...] = (MemoryState.ACTIVE,)
    min_confidence: float = 0.0
    sessions: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    # Leave out what is stale; for whatever is handed out without being asked for.
    fresh: bool = False
    # Only what a person typed, confirmed or edited.
    by_person: bool = False

    def __post_init__(self) -> None:
        check_share("lowest confidence", self.min_confidence)
        texts = (
            *self.kinds,
            *self.tags,
            *self.sessions,
            *self.subjects,
            self.work,
            self.methodology,
            self.project_id,
        )
        if not _is_writable("".join(map(str, texts))):
            raise BadInput(reason="a filter holds half a character, which no memory has")
        if self.since and self.until and self.since > self.until:
            raise BadInput(reason=f"the time runs backwards, from {self.since} to {self.until}")


def _is_writable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One question to memory."""

    text: str
    limit: int = 10
    filters: Filters = field(default_factory=Filters)
    phase: Phase | None = None
    profile: str | Profile = "default"
    # The newest N sessions only; an event (a time, a memory's id, or words) to look around.
    recent_sessions: int | None = None
    around: str | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.limit <= MAX_LIMIT:
            raise BadInput(reason=f"a limit is between 1 and {MAX_LIMIT}, not {self.limit}")
        if self.recent_sessions is not None and self.recent_sessions < 1:
            raise BadInput(reason=f"the number of sessions is at least 1, not {self.recent_sessions}")


class ScorePart(NamedTuple):  # a tuple is made twice as fast, and every answer has a hundred of them
    """One part of a score: what spoke for the memory, how strongly (0 to 1), and what that added."""

    name: str
    value: float
    added: float
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A memory that answers, its score, and the parts that add up to it."""

    memory: Memory
    score: float
    # Works out the parts. Few hits are asked for theirs, and working them out takes as long as finding the hit.
    tell: Callable[[], tuple[ScorePart, ...]] = field(default=tuple, compare=False, repr=False)
    # What has become of the files it is about.
    notes: tuple[str, ...] = ()
    # How probable it is that this answers the question, from 0 to 1; None where it was not judged.
    probability: float | None = None

    @property
    def why(self) -> tuple[ScorePart, ...]:
        """The parts of the score; they add up to it."""
        return self.tell()

    def adding(self, part: ScorePart) -> Hit:
        """The same hit with one part more."""
        return replace(self, score=self.score + part.added, tell=lambda: (*self.why, part))


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """
    All that came back for a question, best first. `notes` says what the search had to do without.

    `known` says whether any of it probably answers; without that, the hits are only what comes nearest.
    """

    hits: tuple[Hit, ...]
    notes: tuple[str, ...] = ()

    @property
    def known(self) -> bool:
        """Whether a hit is above the bar; where nothing was judged, whether there is one."""
        return bool(self.answers)

    @property
    def answers(self) -> tuple[Hit, ...]:
        """The hits that probably answer; none if the best of them is below the bar."""
        judged = [hit.probability for hit in self.hits if hit.probability is not None]
        if not judged:
            return self.hits
        if max(judged) < ANSWER_BAR:
            return ()
        lowest = FOLLOWER_SHARE * max(judged)
        return tuple(hit for hit in self.hits if hit.probability is not None and hit.probability >= lowest)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def __getitem__(self, index: int) -> Hit:
        return self.hits[index]
