"""The history of every memory, row by row, and which acts can still be undone."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from recollect.model.history import Act, MemoryChange
from recollect.model.memory import Memory
from recollect.store.db import Db, Row
from recollect.store.tables.row_values import from_micros, json_text, to_micros


def record_changes(db: Db, changes: Iterable[MemoryChange]) -> None:
    """Note changes, one row each."""
    db.run_many(
        "history_insert",
        (
            {
                "act_id": change.act_id,
                "memory_id": change.memory_id,
                "at": to_micros(change.at),
                "actor": change.actor,
                "action": change.action,
                "why": change.why,
                "before": _to_json(change.before),
                "after": _to_json(change.after),
            }
            for change in changes
        ),
    )


def record_change(db: Db, change: MemoryChange) -> None:
    """Note one change."""
    record_changes(db, [change])


def make_change(
    act: Act, memory_id: str, before: Mapping[str, object], after: Mapping[str, object]
) -> MemoryChange:
    """What an act did to one memory."""
    return MemoryChange(
        memory_id=memory_id,
        act_id=act.id,
        at=act.at,
        actor=act.actor,
        action=act.action,
        why=act.why,
        before=before,
        after=after,
    )


def record_act(
    db: Db, act: Act, memory_id: str, before: Mapping[str, object], after: Mapping[str, object]
) -> None:
    """Note what an act did to one memory."""
    record_change(db, make_change(act, memory_id, before, after))


def list_changes_of_memory(db: Db, memory_id: str) -> list[MemoryChange]:
    """All that happened to a memory, oldest first."""
    return [_change_from_row(row) for row in db.rows("history_of_memory", memory_id=memory_id)]


def list_changes_of_act(db: Db, act_id: str) -> list[MemoryChange]:
    """All that one act changed, last change first."""
    return [_change_from_row(row) for row in db.rows("history_of_act", act_id=act_id)]


def list_recent_changes(db: Db, limit: int) -> list[MemoryChange]:
    """The last changes of all memories, newest first."""
    return [_change_from_row(row) for row in db.rows("history_recent", limit=limit)]


def find_last_act(db: Db, memory_id: str | None) -> str | None:
    """The newest act that can still be undone."""
    row = db.row("history_last_act", memory_id=memory_id)
    return str(row["act_id"]) if row else None


def read_last_num(db: Db) -> int:
    """The number of the newest change."""
    return int(db.tuples("history_last")[0][0])


def list_changes_since(db: Db, seq: int) -> list[tuple[int, int | None]]:
    """The changes after that one: the number of each and of its memory, None for one that is gone."""
    return [(number, num) for number, num in db.tuples("history_changed", seq=seq)]


def mark_undone(db: Db, act_id: str, undone_by: str) -> None:
    """That act was taken back."""
    db.run("history_mark_undone", act_id=act_id, undone_by=undone_by)


def record_memory_events(db: Db, kind: str, act: Act, memories: Iterable[Memory]) -> None:
    """Put what became of memories on the feed of events."""
    db.run_many(
        "event_insert",
        (
            {
                "at": to_micros(act.at),
                "type": kind,
                "session_id": memory.provenance.session_id,
                "project_id": memory.project_id,
                "memory_id": memory.id,
                "data": _to_json({"kind": memory.kind, "actor": act.actor}),
            }
            for memory in memories
        ),
    )


def _change_from_row(row: Row) -> MemoryChange:
    return MemoryChange(
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


def _to_json(values: Mapping[str, object]) -> str:
    return json_text(dict(values))
