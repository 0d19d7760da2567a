"""A conversation with an agent, as the chat store knows it."""

from __future__ import annotations

from datetime import datetime

from recollect.model.value import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatSession:
    """One conversation: with whom, about what, and how long it is."""

    id: str
    agent: str
    title: str
    shape: str
    started_at: datetime
    last_at: datetime
    messages: int = 0
    project_id: str | None = None
    archived_at: datetime | None = None
