"""What is asked of memory: words, filters, and a stretch of time."""

from __future__ import annotations

from datetime import datetime

from recollect.errors import BadInput
from recollect.model.memory import MemoryState, check_share
from recollect.model.phase import Phase
from recollect.model.profile import Profile
from recollect.model.provenance import Source
from recollect.model.scope import Scope
from recollect.model.subject import Subject
from recollect.model.value import dataclass, field
from recollect.model.workref import WorkRef

MAX_LIMIT = 1000
MAX_QUERY = 20_000


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

    def __post_init__(self) -> None:
        check_share("lowest confidence", self.min_confidence)
        named = (
            *self.kinds,
            *self.tags,
            *self.sessions,
            *self.subjects,
            self.work,
            self.methodology,
            self.project_id,
        )
        if not _is_writable("".join(map(str, named))):
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
