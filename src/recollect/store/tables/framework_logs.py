"""Logs of frameworks: ordered entries of JSON, each known by its own id where it has one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from recollect.model.framework_state import LogKey, LogSummary
from recollect.store.db import Db
from recollect.store.tables.row_values import from_micros, to_micros

Entry = Mapping[str, Any]


def append(db: Db, key: LogKey, entries: Iterable[tuple[str | None, Entry]], at: datetime) -> list[Entry]:
    """Add entries, each with its own id if it has one; those that were new."""
    num = _ensure(db, key, at)
    row = db.row("framework_entries_end", log=num)
    number = int(row["next"]) if row else 0
    fresh: list[Entry] = []
    for uid, entry in entries:
        if db.run("framework_entry_add", log=num, seq=number, uid=uid, body=exact_json(entry)):
            fresh.append(entry)
            number += 1
    db.run("framework_log_changed", num=num, at=to_micros(at))
    return fresh


def read(db: Db, key: LogKey) -> list[Any] | None:
    """All entries in order; None if there is no such log."""
    num = _find(db, key)
    if num is None:
        return None
    return [json.loads(body) for (body,) in db.tuples("framework_entries_of", log=num)]


def read_last(db: Db, key: LogKey, limit: int) -> list[Any]:
    """The last entries, in order."""
    num = _find(db, key)
    if num is None:
        return []
    newest = db.tuples("framework_entries_last", log=num, limit=limit)
    return [json.loads(body) for _, body in reversed(newest)]


def pop(db: Db, key: LogKey) -> Any | None:
    """Take the last entry away; None if there is none."""
    num = _find(db, key)
    newest = db.tuples("framework_entries_last", log=num, limit=1) if num is not None else []
    if not newest:
        return None
    number, body = newest[0]
    db.run("framework_entry_delete", log=num, seq=number)
    return json.loads(body)


def clear(db: Db, key: LogKey) -> None:
    """Take all entries away; the log stays."""
    num = _find(db, key)
    if num is not None:
        db.run("framework_entries_clear", log=num)


def delete(db: Db, key: LogKey) -> int:
    """Remove a log with its parts, or one part; how many went."""
    return db.run(
        "framework_log_delete", framework=key.framework, owner=key.owner, name=key.name, part=key.part
    )


def read_summary(db: Db, key: LogKey) -> LogSummary | None:
    """What is known of a log besides its entries."""
    row = db.row("framework_log_get", framework=key.framework, owner=key.owner, name=key.name, part=key.part)
    return _summary(key.name, row) if row else None


def save_summary(db: Db, key: LogKey, summary: Entry) -> None:
    """Keep what the framework says about a log."""
    num = _find(db, key)
    if num is not None:
        db.run("framework_log_summarised", num=num, summary=exact_json(summary))


def list_logs(db: Db, framework: str, owner: str) -> list[LogSummary]:
    """The logs of one owner, the newest first, without their parts."""
    rows = db.rows("framework_logs_of", framework=framework, owner=owner)
    return [_summary(row["name"], row) for row in rows]


def list_parts(db: Db, key: LogKey) -> list[str]:
    """The parts of a log."""
    rows = db.rows("framework_log_parts", framework=key.framework, owner=key.owner, name=key.name)
    return [row["part"] for row in rows]


def exact_json(value: object) -> str:
    """A foreign value as JSON; half characters, which no database takes, are written as escapes."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"))
    return text


def _summary(name: str, row: Mapping[str, Any]) -> LogSummary:
    return LogSummary(
        name=name,
        created_at=from_micros(row["created_at"]),
        changed_at=from_micros(row["changed_at"]),
        summary=json.loads(row["summary"]) if row["summary"] is not None else None,
    )


def _ensure(db: Db, key: LogKey, at: datetime) -> int:
    db.run(
        "framework_log_put",
        framework=key.framework,
        owner=key.owner,
        name=key.name,
        part=key.part,
        at=to_micros(at),
    )
    num = _find(db, key)
    assert num is not None, "it was just written"
    return num


def _find(db: Db, key: LogKey) -> int | None:
    row = db.row("framework_log_get", framework=key.framework, owner=key.owner, name=key.name, part=key.part)
    return int(row["num"]) if row else None
