"""What is kept of a piece of work that passed, so that the next one can be laid beside it: its acts in order."""

from __future__ import annotations

from datetime import datetime

from recollect.model.signal import SequencePart
from recollect.model.value import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Trail:
    """The acts of one unit of work of one session, and what was asked for."""

    session_id: str
    at: datetime
    parts: tuple[SequencePart, ...]
    project_id: str | None = None
    work: str = ""
    task: str = ""
