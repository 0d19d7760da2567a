"""A session, one run of an agent from its first event to its last, and the verdict on its work."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from recollect.model.value import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """What is known of a session; an empty text and 0 tokens mean that nobody has said."""

    id: str
    started_at: datetime
    last_at: datetime
    project_id: str | None = None
    client: str = ""
    branch: str = ""
    phase: str = ""
    # A reference to a unit of work, as it is written.
    work: str = ""
    # passed, failed or abandoned.
    outcome: str = ""
    tokens: int = 0
    # The session this one was resumed or forked from, or whose subagent it is.
    parent_id: str | None = None
    ended_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSummary:
    """A session with what came of it: memories learned, lines told to its agents, their tokens, and lines used."""

    session: Session
    learned: int = 0
    told: int = 0
    tokens: int = 0
    used: int = 0


class WorkVerdict(StrEnum):
    """How a piece of work came out."""

    PASSED = "passed"
    FAILED = "failed"
    # Nothing was changed, so nothing could break: what was seen counts.
    UNTOUCHED = "untouched"
    UNKNOWN = "unknown"


class JudgedBy(StrEnum):
    """What the verdict rests on, the strongest first."""

    PERSON = "said"
    CHECKS = "checks"
    COMMIT = "commit"
    NOBODY = "nobody"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkJudgement:
    """The verdict on a piece of work."""

    verdict: WorkVerdict
    by: JudgedBy = JudgedBy.NOBODY
    why: str = ""
    event_ids: tuple[str, ...] = ()
