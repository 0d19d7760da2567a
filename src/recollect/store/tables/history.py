"""The story of every memory, row by row, and what can still be undone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime

from recollect.model.history import Act, Change
from recollect.store.db import Db, Row
from recollect.store.tables.row_values import from_micros, json_text, to_micros


def record(db: Db, change: Change) -> None:
    """Note one change."""
    db.run(
        "history_insert",
        act_id=change.act_id,
        memory_id=change.memory_id,
        at=to_micros(change.at),
        actor=change.actor,
        action=change.action,
        why=change.why,
        before=_dumped(change.before),
        after=_dumped(change.after),
    )


def note_act(
    db: Db, act: Act, memory_id: str, before: Mapping[str, object], after: Mapping[str, object]
) -> None:
    """Note what an act did to one memory."""
    change = Change(
        memory_id=memory_id,
        act_id=act.id,
        at=act.at,
        actor=act.actor,
        action=act.action,
        why=act.why,
        before=before,
        after=after,
    )
    record(db, change)


def of_memory(db: Db, memory_id: str) -> list[Change]:
    """All that happened to a memory, oldest first."""
    return [_change(row) for row in db.rows("history_of_memory", memory_id=memory_id)]


def of_act(db: Db, act_id: str) -> list[Change]:
    """All that one act changed, last change first."""
    return [_change(row) for row in db.rows("history_of_act", act_id=act_id)]


def recent(db: Db, limit: int) -> list[Change]:
    """The last changes of all memories, newest first."""
    return [_change(row) for row in db.rows("history_recent", limit=limit)]


def last_act(db: Db, memory_id: str | None) -> str | None:
    """The newest act that can still be undone."""
    row = db.row("history_last_act", memory_id=memory_id)
    return str(row["act_id"]) if row else None


def last(db: Db) -> int:
    """The number of the newest change."""
    return int(db.tuples("history_last")[0][0])


def changed_since(db: Db, seq: int) -> list[tuple[int, int | None]]:
    """The changes after that one: the number of each and of its memory, None for one that is gone."""
    return [(number, num) for number, num in db.tuples("history_changed", seq=seq)]


def mark_undone(db: Db, act_id: str, undone_by: str) -> None:
    """That act was taken back."""
    db.run("history_mark_undone", act_id=act_id, undone_by=undone_by)


def note_event(
    db: Db,
    kind: str,
    at: datetime,
    *,
    memory_id: str | None,
    session_id: str | None,
    project_id: str | None,
    data: Mapping[str, object],
) -> None:
    """Put something on the feed of events."""
    db.run(
        "event_insert",
        at=to_micros(at),
        type=kind,
        session_id=session_id,
        project_id=project_id,
        memory_id=memory_id,
        data=_dumped(data),
    )


def _change(row: Row) -> Change:
    return Change(
        memory_id=row["memory_id"],
        act_id=row["act_id"],
        at=from_micros(row["at"]),
        actor=row["actor"],
        action=row["action"],
        why=row["why"],
        before=json.loads(row["before"]),
        after=json.loads(row["after"]),
        undone=row["undone_by"] is not None,
    )


def _dumped(values: Mapping[str, object]) -> str:
    return json_text(dict(values))
