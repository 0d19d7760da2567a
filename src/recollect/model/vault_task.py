"""A task as it stands in a note: what it says and where it stands."""

from __future__ import annotations

from recollect.model.value import dataclass

STATUSES = ("todo", "in_progress", "blocked", "done", "cancelled")
PRIORITIES = {"high": "⏫", "medium": "🔼", "low": "🔽"}


@dataclass(frozen=True, slots=True, kw_only=True)
class VaultTask:
    """One task: the number of its line, what it says, and the lines under it."""

    line: int
    title: str
    status: str
    priority: str = ""
    project: str = ""
    details: str = ""
    # The line as it stands there.
    written: str = ""
