"""
Checksums of memories: a fingerprint over each row and what hangs on it, so that an altered row can be named.

It covers subjects, tags and relations, but not how often the memory was recalled: that is counted for many rows at once
and proves nothing. Whatever else changes a memory ends with `renew_checksums`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from recollect.store.db import Db, Row
from recollect.store.tables.checksum import compute_checksum
from recollect.store.tables.memories import is_intact, memory_from_row

_AT_ONCE = 500


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


def is_sealed(db: Db, num: int) -> bool:
    """Whether one memory is there and as it was sealed."""
    rows = db.rows("memories_by_num", nums=json.dumps([num]))
    return bool(rows) and rows[0]["seal"] is not None and is_intact(rows[0])


def is_memory(db: Db, num: int) -> bool:
    """Whether a row can still be read as a memory, whatever its seal says."""
    try:
        return any(memory_from_row(row) for row in db.rows("memories_by_num", nums=json.dumps([num])))
    except (KeyError, ValueError, TypeError, OverflowError):
        return False


def check_rows(db: Db) -> Iterator[tuple[Row, bool]]:
    """Every memory's row, in order, and whether it is as it was sealed."""
    after = 0
    while page := db.rows("memories_sealed", after=after, limit=_AT_ONCE):
        for row in page:
            yield row, row["seal"] is not None and is_intact(row)
        after = page[-1]["num"]
