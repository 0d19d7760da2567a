"""Finding what may be pruned, a page at a time, and recording what was."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import NamedTuple

from recollect.model.scope import WorkRef
from recollect.store.db import Db, Row
from recollect.store.tables.row_values import from_micros, to_micros

_PAGE = 500


class WorkMemory(NamedTuple):
    """A memory of a unit of work, with the branch its session was on, if that is known, and when it last was."""

    num: int
    work: WorkRef
    on: dict[str, datetime]


def find_expired(db: Db, scope: str, before: datetime) -> Iterator[int]:
    """Memories of one scope that were made, or last said again, before a moment."""
    at = to_micros(before)
    return _nums(lambda after: db.rows("prune_expired", after=after, scope=scope, before=at, limit=_PAGE))


def find_weak(
    db: Db, below: float, before: datetime, project_id: str | None, *, every: bool
) -> Iterator[int]:
    """Memories less sure than this that nobody has asked for or said again since a moment."""
    where = {"project_id": project_id, "every_project": int(every)}
    at = to_micros(before)
    return _nums(
        lambda after: db.rows("prune_weak", after=after, below=below, before=at, limit=_PAGE, **where)
    )


def find_of_kind(db: Db, kind: str, source: str | None = None) -> Iterator[int]:
    """Memories of one kind and, if one is named, from one source."""
    return _nums(lambda after: db.rows("prune_by_kind", after=after, kind=kind, source=source, limit=_PAGE))


def find_about_files(db: Db, project_id: str) -> Iterator[int]:
    """Memories of a project that are about files."""
    files = {"low": "file:", "beyond": "file;"}  # all that begins with "file:", as the index sorts
    return _nums(
        lambda after: db.rows("prune_about_files", after=after, project_id=project_id, limit=_PAGE, **files)
    )


def list_work_memories(db: Db, project_id: str | None) -> Iterator[WorkMemory]:
    """Memories of a project's units of work."""
    for row in _rows(lambda after: db.rows("prune_by_work", after=after, project_id=project_id, limit=_PAGE)):
        hierarchy = tuple(json.loads(row["work_path"]))
        work = WorkRef(methodology=row["methodology"], hierarchy=hierarchy, label=row["work_label"])
        on = {row["branch"]: from_micros(row["last_at"])} if row["branch"] else {}
        yield WorkMemory(row["num"], work, on)


def list_branches(db: Db, project_id: str) -> dict[str, dict[str, datetime]]:
    """On which branches sessions worked at each unit of work, and when last."""
    last_by_branch: dict[str, dict[str, datetime]] = {}
    for row in db.rows("work_branches", project_id=project_id):
        last_by_branch.setdefault(row["work"], {})[row["branch"]] = from_micros(row["last_at"])
    return last_by_branch


def record_pruned(db: Db, num: int, at: datetime, rule: str) -> None:
    """A memory was pruned by this rule."""
    db.run("pruned_put", memory_num=num, at=to_micros(at), rule=rule)


def delete_pruned(db: Db, num: int) -> None:
    """A memory is no longer among the pruned."""
    db.run("pruned_remove", memory_num=num)


def list_pruned_ids(db: Db, project_id: str | None, *, every: bool) -> list[str]:
    """What was pruned and can still come back, newest first."""
    return [row["id"] for row in db.rows("pruned_ids", project_id=project_id, every_project=int(every))]


def list_pruned_before(db: Db, moment: datetime, limit: int) -> list[int]:
    """What was pruned before a moment; nothing that a person stands by."""
    return [row["num"] for row in db.rows("pruned_before", before=to_micros(moment), limit=limit)]


def measure_size(db: Db, nums: list[int]) -> tuple[int, int]:
    """The bytes that memories take up with their vectors, and the characters of their texts."""
    row = db.rows("memory_bytes", nums=json.dumps(nums))[0]
    return int(row["bytes"]), int(row["characters"])


def count_old_events(db: Db, moment: datetime, words: datetime) -> int:
    """How many recorded events belong to sessions that were over before a moment; what was said has its own."""
    rows = db.rows("events_old", before=to_micros(moment), words_before=to_micros(words))
    return int(rows[0]["events"])


def delete_old_events(db: Db, moment: datetime, words: datetime, limit: int) -> int:
    """Let some of them go; how many."""
    return db.run("events_drop", before=to_micros(moment), words_before=to_micros(words), limit=limit)


def _nums(ask: Callable[[int], list[Row]]) -> Iterator[int]:
    return (row["num"] for row in _rows(ask))


def _rows(ask: Callable[[int], list[Row]]) -> Iterator[Row]:
    after = 0
    while page := ask(after):
        yield from page
        after = page[-1]["num"]
