"""Changing durable memories. Only `capture` and `lifecycle` may import this: one door for writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from recollect.model.memory import Memory
from recollect.model.normal_form import normal_form, text_hash
from recollect.store.db import Db
from recollect.store.tables import row_checksums, subjects
from recollect.store.tables.checksum import compute_checksum
from recollect.store.tables.row_values import json_list, json_text, to_micros
from recollect.store.tables.sessions import find_person


def insert_memories(db: Db, new: Sequence[Memory]) -> Sequence[int]:
    """Add memories with all that hangs on them; their row numbers. Inside a transaction."""
    _note_sessions(db, new)
    nums = db.insert_many("memory_insert", map(_new_columns, new))
    _attach(db, dict(zip(nums, new, strict=True)))
    return nums


def _note_sessions(db: Db, new: Sequence[Memory]) -> None:
    """A session lasts from the first to the last that was remembered in it."""
    by_session: dict[str, list[Memory]] = {}
    for memory in new:
        if memory.provenance.session_id:
            by_session.setdefault(memory.provenance.session_id, []).append(memory)
    db.run_many(
        "session_seen",
        (
            {"id": session_id, "project_id": group[0].project_id, "at": moment, "owner": find_person(db)}
            for session_id, group in by_session.items()
            for moment in dict.fromkeys(
                edge(to_micros(memory.happened_at) for memory in group) for edge in (min, max)
            )
        ),
    )


def _new_columns(memory: Memory) -> dict[str, object]:
    return {
        **_changeable_columns(memory),
        "session_id": memory.provenance.session_id,
        "channel": memory.provenance.channel,
        "source": memory.provenance.source,
        "phase": memory.provenance.phase,
        "commit_sha": memory.provenance.commit_sha,
        "event_ids": json_list(memory.provenance.event_ids),
        "created_at": to_micros(memory.created_at),
        "last_accessed_at": to_micros(memory.last_accessed_at) if memory.last_accessed_at else None,
        "access_count": memory.access_count,
        "seal": compute_checksum(memory),
        "owner": memory.owner,
    }


def update_memory(db: Db, num: int, memory: Memory) -> None:
    """Make the stored memory what this value says. Provenance, creation and accesses stay as they were."""
    db.run("memory_update", **_changeable_columns(memory))
    for clear in ("subjects_clear", "tags_clear", "relations_clear"):
        db.run(clear, memory_num=num)
    db.run("usefulness_clear", memory_num=num)
    _attach(db, {num: memory})
    row_checksums.renew_checksums(db, [num])


def set_owner(db: Db, memory_id: str, owner: str | None) -> None:
    """Whose a memory is from now on; None: everybody's."""
    db.run("memory_owner_set", id=memory_id, owner=owner)


def delete_memory(db: Db, memory_id: str) -> None:
    """Remove a memory for good, with its story and its events, and what others said about it."""
    sources = [row["num"] for row in db.rows("relation_sources", id=memory_id)]
    db.run("history_forget", memory_id=memory_id)
    db.run("events_forget", memory_id=memory_id)
    db.run("memory_delete", id=memory_id)
    row_checksums.renew_checksums(db, sources)


def record_accesses(db: Db, counts: Mapping[str, int], at: datetime) -> None:
    """Count how often each of these was asked for and shown."""
    moment = to_micros(at)
    db.run_many(
        "memory_accessed", ({"id": name, "times": times, "at": moment} for name, times in counts.items())
    )


def _changeable_columns(memory: Memory) -> dict[str, object]:
    work = memory.work
    return {
        "id": memory.id,
        "state": memory.state,
        "project_id": memory.project_id,
        "kind": memory.kind,
        "scope": memory.scope,
        "confidence": memory.confidence,
        "happened_at": to_micros(memory.happened_at),
        "pinned": int(memory.pinned),
        "verified": int(memory.trust.verified),
        "needs_review": int(memory.trust.needs_review),
        "methodology": work.methodology if work else None,
        "work_path": json_list(work.hierarchy) if work else None,
        "work_label": work.label if work else None,
        "half_life_days": memory.half_life_days,
        "updated_at": to_micros(memory.updated_at),
        "normal_hash": text_hash(normal_form(memory.text)),
        "text_hash": text_hash(memory.text),
        "citation": memory.citation,
        "fields": json_text(dict(memory.fields)),
        "text": memory.text,
        "stale_at": to_micros(memory.stale_at) if memory.stale_at else None,
        "stale_why": memory.stale_why,
        "base_confidence": memory.base_confidence,
        "reinforced_at": to_micros(memory.reinforced_at) if memory.reinforced_at else None,
        "sessions": json_list(memory.sessions),
    }


def _attach(db: Db, memories: Mapping[int, Memory]) -> None:
    subjects.attach_subjects(db, {num: memory.subjects for num, memory in memories.items()})
    db.run_many(
        "tag_insert",
        [
            {"tag": tag, "memory_num": num, "position": position}
            for num, memory in memories.items()
            for position, tag in enumerate(dict.fromkeys(memory.tags))
        ],
    )
    db.run_many(
        "relation_insert",
        [
            {
                "memory_num": num,
                "type": relation.type,
                "target_memory_id": relation.memory_id,
                "target_path": relation.path,
                "confidence": relation.confidence,
                "auto_extracted": int(relation.auto_extracted),
            }
            for num, memory in memories.items()
            for relation in memory.relations
        ],
    )
    db.run_many(
        "usefulness_insert",
        [
            {"memory_num": num, "useful": memory.useful, "noise": memory.noise}
            for num, memory in memories.items()
            if memory.useful or memory.noise
        ],
    )
