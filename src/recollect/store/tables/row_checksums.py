"""
A seal on every memory: a fingerprint over all that was said about it, so that an altered row can be named.

It covers the row and what hangs on it (subjects, tags, relations), but not how often the memory was asked for: that is
counted in passing, many rows at once, and proves nothing. Whatever else changes a memory ends with `renew`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from recollect.model.digest import blake2b
from recollect.model.memory import Memory
from recollect.store.db import Db, Row
from recollect.store.tables.memories import memory_of
from recollect.store.tables.row_values import to_micros

_AT_ONCE = 500
# Begins every seal. Another list of sealed things gets another letter; seals of the old one stay valid as they are.
_FORM = "a"
_SORTED = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def seal_of(memory: Memory) -> str:
    """The seal a memory must carry."""
    digest = blake2b(_SORTED.encode(_sealed(memory)).encode("utf-8", "surrogatepass"), digest_size=12)
    return _FORM + digest.hexdigest()


def renew(db: Db, nums: Iterable[int]) -> None:
    """Seal these memories as they are now."""
    wanted = list(nums)
    for start in range(0, len(wanted), _AT_ONCE):
        rows = db.rows("memories_by_num", nums=json.dumps(wanted[start : start + _AT_ONCE]))
        db.run_many("memory_seal", ({"num": row["num"], "seal": seal_of(memory_of(row))} for row in rows))


def renew_missing(db: Db) -> int:
    """Seal what has no seal yet: rows from before there were seals. How many there were."""
    nums = [row["num"] for row in db.rows("memories_unsealed")]
    renew(db, nums)
    return len(nums)


def checked(db: Db) -> Iterator[tuple[Row, bool]]:
    """Every memory's row, in order, and whether it is as it was sealed."""
    after = 0
    while page := db.rows("memories_sealed", after=after, limit=_AT_ONCE):
        for row in page:
            yield row, holds(row)
        after = page[-1]["num"]


def holds(row: Row) -> bool:
    """Whether a memory's row, read with its seal, is as it was sealed."""
    try:
        return bool(row["seal"] == seal_of(memory_of(row)))
    except (
        KeyError,
        ValueError,
        TypeError,
        OverflowError,
    ):  # damage can make of a row what is no memory at all
        return False


def _sealed(memory: Memory) -> list[object]:
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
