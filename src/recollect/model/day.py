"""A stretch of time in short: the sessions in it, what failed, what was learned, what is open."""

from __future__ import annotations

from datetime import datetime

from recollect.model.value import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class DayEntry:
    """One session or run: what was asked for, and how it came out."""

    session_id: str
    at: datetime
    task: str
    outcome: str
    client: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DaySummary:
    """What happened between two moments."""

    since: datetime
    until: datetime
    entries: tuple[DayEntry, ...] = ()
    failures: tuple[str, ...] = ()
    learned: tuple[str, ...] = ()
    open_ends: tuple[str, ...] = ()
