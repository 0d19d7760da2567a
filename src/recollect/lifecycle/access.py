"""Counting that memories were asked for. Reads do not write; the engine calls this afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from recollect.store.db import Db
from recollect.store.tables import memory_writes


def count(db: Db, counts: Mapping[str, int], at: datetime) -> None:
    """These were asked for and shown, so often. A store that cannot be written goes without."""
    if counts and not db.read_only:
        with db.transaction():
            memory_writes.accessed(db, counts, at)
