"""
Checksums of memories: a fingerprint over each row and what hangs on it, so that an altered row can be named.

It covers subjects, tags and relations, but not how often the memory was recalled: that is counted for many rows at once
and proves nothing. Whatever else changes a memory ends with `renew_checksums`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from recollect.model.ids import blake2b
from recollect.model.memory import Memory
from recollect.store.db import Db, Row
from recollect.store.tables.memories import memory_from_row
from recollect.store.tables.row_values import to_micros

_AT_ONCE = 500
# Begins every seal. Another list of sealed things gets another letter; seals of the old one stay valid as they are.
_FORM = "a"
_SORTED = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def compute_checksum(memory: Memory) -> str:
    """The seal a memory must carry."""
    digest = blake2b(
        _SORTED.encode(_checksummed_values(memory)).encode("utf-8", "surrogatepass"), digest_size=12
    )
    return _FORM + digest.hexdigest()


def renew_checksums(db: Db, nums: Iterable[int]) -> None:
    """Seal these memories as they are now."""
    nums_listed = list(nums)
    for start in range(0, len(nums_listed), _AT_ONCE):
        rows = db.rows("memories_by_num", nums=json.dumps(nums_listed[start : start + _AT_ONCE]))
        db.run_many(
            "memory_seal",
            ({"num": row["num"], "seal": compute_checksum(memory_from_row(row))} for row in rows),
        )


def add_missing_checksums(db: Db) -> int:
    """Seal what has no seal yet: rows from before there were seals. How many there were."""
    nums = [row["num"] for row in db.rows("memories_unsealed")]
    renew_checksums(db, nums)
    return len(nums)


def check_rows(db: Db) -> Iterator[tuple[Row, bool]]:
    """Every memory's row, in order, and whether it is as it was sealed."""
    after = 0
    while page := db.rows("memories_sealed", after=after, limit=_AT_ONCE):
        for row in page:
            yield row, is_intact(row)
        after = page[-1]["num"]


def is_intact(row: Row) -> bool:
    """Whether a memory's row, read with its seal, is as it was sealed."""
    try:
        return bool(row["seal"] == compute_checksum(memory_from_row(row)))
    except (
        KeyError,
        ValueError,
        TypeError,
        OverflowError,
    ):  # damage can make of a row what is no memory at all
        return False


def _checksummed_values(memory: Memory) -> list[object]:
    work, provenance = memory.work, memory.provenance
    return [
        memory.id,
        memory.text,
        memory.kind,
        memory.state,
        float(memory.confidence),
        memory.scope,
        memory.project_id,
        sorted({str(subject) for subject in memory.subjects}),
        sorted(set(memory.tags)),
        [work.methodology, list(work.hierarchy), work.label] if work else None,
        [memory.trust.verified, memory.trust.needs_review, memory.pinned],
        [provenance.channel, provenance.source, provenance.session_id, provenance.phase],
        [provenance.commit_sha, list(provenance.event_ids)],
        memory.citation,
        float(memory.half_life_days) if memory.half_life_days is not None else None,
        sorted(
            [r.type, r.memory_id or "", r.path or "", float(r.confidence), r.auto_extracted]
            for r in memory.relations
        ),
        dict(memory.fields),
        to_micros(memory.happened_at),
        to_micros(memory.created_at),
        to_micros(memory.updated_at),
        [to_micros(memory.stale_at) if memory.stale_at else None, memory.stale_why],
        float(memory.base_confidence) if memory.base_confidence is not None else None,
        to_micros(memory.reinforced_at) if memory.reinforced_at else None,
        list(memory.sessions),
    ]
