"""Anchors: the files memories are about, the content those had, and what has become of them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from recollect.model.anchor import Anchor, AnchorState
from recollect.model.memory import Memory
from recollect.model.value import asdict
from recollect.store.db import Db, Row
from recollect.store.tables import memories
from recollect.store.tables.row_values import json_list, to_micros


def save_anchors(db: Db, memory_id: str, anchors: Iterable[Anchor]) -> None:
    """A memory stands on exactly these."""
    db.run("anchors_clear", memory_id=memory_id)
    by_path = {anchor.path: anchor for anchor in anchors}
    db.run_many(
        "anchor_insert",
        (
            asdict(anchor) | {"is_folder": int(anchor.is_folder), "state": str(anchor.state)}
            for anchor in by_path.values()
        ),
    )


def list_anchors_of_project(db: Db, project_id: str) -> dict[str, list[Anchor]]:
    """What the memories of a project that are in use stand on, by memory."""
    return _group_by_memory(db.rows("anchors_of_project", project_id=project_id))


def list_anchors_of_memories(db: Db, memory_ids: Iterable[str]) -> dict[str, list[Anchor]]:
    """What these memories stand on, by memory."""
    return _group_by_memory(db.rows("anchors_of_memories", memory_ids=json_list(memory_ids)))


def advance_anchors(db: Db, project_id: str, was_in: str, paths: Iterable[str], tracked_in: str) -> None:
    """Files that stand where they stood, seen from a later commit."""
    db.run(
        "anchors_advance", project_id=project_id, was_in=was_in, paths=json_list(paths), tracked_in=tracked_in
    )


def list_memories_on_files(db: Db, project_id: str, kinds: Iterable[str]) -> dict[int, Memory]:
    """Memories in use that are about files, symbols or modules, and all of these kinds."""
    nums: list[int] = []
    for kind in ("file", "symbol", "module"):
        rows = db.rows("memories_about_type", project_id=project_id, low=f"{kind}:", high=f"{kind};")
        nums += [row["num"] for row in rows]
    for kind in kinds:
        nums += [row["num"] for row in db.rows("memories_of_kind", project_id=project_id, kind=kind)]
    return memories.read_memories(db, set(nums))


def list_stale_memories(db: Db, project_id: str, limit: int) -> list[Memory]:
    """What is stale in a project, the newest mark first."""
    nums = [row["num"] for row in db.rows("memories_stale", project_id=project_id, limit=limit)]
    by_num = memories.read_memories(db, nums)
    return [by_num[num] for num in nums]


def was_undone(db: Db, memory_id: str, action: str) -> bool:
    """Whether an act of this kind on a memory was taken back."""
    return db.row("history_undone", memory_id=memory_id, action=action) is not None


def count_sessions_since(db: Db, project_id: str, since: datetime) -> int:
    """How many sessions of a project began after a moment."""
    row = db.row("sessions_since", project_id=project_id, since=to_micros(since))
    return int(row["sessions"]) if row else 0


def _group_by_memory(rows: Iterable[Row]) -> dict[str, list[Anchor]]:
    by_memory: dict[str, list[Anchor]] = {}
    for row in rows:
        values = row | {"is_folder": bool(row["is_folder"]), "state": AnchorState(row["state"])}
        by_memory.setdefault(row["memory_id"], []).append(Anchor(**values))
    return by_memory
