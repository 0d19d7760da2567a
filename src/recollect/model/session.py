"""A session: one run of an agent, from its first event to its last."""

from __future__ import annotations

from datetime import datetime

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
