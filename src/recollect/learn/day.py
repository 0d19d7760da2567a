"""
A day in short: its sessions and runs with how they came out, what failed, what was learned, and what is still open.

The same for the last two hours: what an agent that starts now should know of what was just done.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from recollect.learn.lessons.failure_notes import list_failures
from recollect.model.day import DayEntry, DaySummary
from recollect.model.event import EventType
from recollect.model.memory import Memory, MemoryState
from recollect.model.query import Filters
from recollect.model.session import Session
from recollect.observe.phrases import quote_text
from recollect.store.db import Db
from recollect.store.tables import events, memories, sessions

RECENT = timedelta(hours=2)
_MAX_SESSIONS = 200
_MAX_LISTED = 20
_MAX_TASK = 120
_LEARNED = ("lesson", "workflow_recipe")


def sum_up(db: Db, project_id: str | None, since: datetime, until: datetime) -> DaySummary:
    """What happened between two moments."""
    entries = [_describe_session(db, session) for session in _list_sessions(db, project_id, since, until)]
    failures = [one for one in list_failures(db, project_id, since) if one.at < until]
    return DaySummary(
        since=since,
        until=until,
        entries=tuple(entries),
        failures=tuple(failure.what for failure in failures[-_MAX_LISTED:]),
        learned=tuple(_list_learned(db, project_id, since, until)),
        open_ends=tuple(_list_open(db, project_id)),
    )


def _list_sessions(db: Db, project_id: str | None, since: datetime, until: datetime) -> list[Session]:
    """Those that were at work between the two, the earliest first; a subagent's belong to their parent."""
    names = sessions.list_newest_sessions(db, project_id, every_project=False, limit=_MAX_SESSIONS)
    known_sessions = (sessions.find_session(db, name) for name in names)
    own = [one for one in known_sessions if one and one.parent_id is None]
    return sorted(
        (one for one in own if one.last_at >= since and one.started_at < until),
        key=lambda one: one.started_at,
    )


def _describe_session(db: Db, session: Session) -> DayEntry:
    prompts = events.list_events(db, session.id, EventType.PROMPT)
    task = next((one.text for one in prompts if not one.data.get("machine") and one.text.strip()), "")
    line = " ".join(task.split())
    return DayEntry(
        session_id=session.id,
        at=session.started_at,
        task=line if len(line) <= _MAX_TASK else line[: _MAX_TASK - 1] + "…",
        outcome=session.outcome or ("over" if session.ended_at else "open"),
        client=session.client,
    )


def _list_learned(db: Db, project_id: str | None, since: datetime, until: datetime) -> list[str]:
    filters = Filters(kinds=_LEARNED, project_id=project_id)
    own = memories.list_memories(db, filters, limit=_MAX_LISTED * 5)
    return [memory.text for memory in own if since <= memory.created_at < until][:_MAX_LISTED]


def _list_open(db: Db, project_id: str | None) -> list[str]:
    """Work that was left, and issues that nobody has resolved."""
    filters = Filters(kinds=("work_state", "issue"), project_id=project_id, states=(MemoryState.ACTIVE,))
    own = memories.list_memories(db, filters, limit=_MAX_LISTED * 5)
    return [memory.text for memory in own if _is_open(memory)][:_MAX_LISTED]


def _is_open(memory: Memory) -> bool:
    return memory.kind == "work_state" or memory.fields.get("status", "open") == "open"


def describe_day(day: DaySummary) -> list[str]:
    """A day as lines to read."""
    counts = {name: sum(entry.outcome == name for entry in day.entries) for name in ("passed", "failed")}
    noun = "session" if len(day.entries) == 1 else "sessions"
    lines = [f"{len(day.entries)} {noun}, {counts['passed']} passed, {counts['failed']} failed."]
    lines += [
        f"- {entry.at:%H:%M} {entry.outcome}: {entry.task or 'no request was recorded'}"
        for entry in day.entries
    ]
    for heading, texts in (("Failed", day.failures), ("Learned", day.learned), ("Open", day.open_ends)):
        if texts:
            lines += [
                f"{heading}:",
                *(f"- {quote_text(text) if heading == 'Failed' else text}" for text in texts),
            ]
    return lines
