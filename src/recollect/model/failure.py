"""A failure: what went wrong in a session, at which step, what led there, and what ended it."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from recollect.model.value import dataclass, field


class FailureSource(StrEnum):
    """What said that it failed."""

    ERROR = "error"
    REJECTED = "rejected"
    STUCK = "stuck"
    CORRECTION = "correction"


@dataclass(frozen=True, slots=True, kw_only=True)
class WayOut:
    """What later worked: the commands that were run, the files that were changed, and what was said of it."""

    commands: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    words: str = ""

    def __bool__(self) -> bool:
        return bool(self.commands or self.files or self.words)


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One failure of one session. `what` is the telling line, `where` the command or the task it happened in."""

    id: str
    session_id: str
    at: datetime
    source: FailureSource
    what: str
    where: str = ""
    # What two occurrences of the very same failure share.
    key: str = ""
    # The step where it went wrong, and the acts that led there.
    step: int = 0
    acts: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    way_out: WayOut = field(default_factory=WayOut)
    # How often it was met in its session.
    count: int = 1
    project_id: str | None = None
    event_ids: tuple[str, ...] = ()
    # The lesson that was made of it and others like it.
    lesson_id: str | None = None
