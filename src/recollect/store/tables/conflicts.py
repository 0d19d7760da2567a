"""Memories that contradict each other."""

from __future__ import annotations

from recollect.store.db import Db


def waiting(db: Db) -> list[tuple[str, str]]:
    """Pairs of ids that wait for somebody to say which holds: the newer, then the older; newest first."""
    return [(row["newer"], row["older"]) for row in db.rows("conflicts_waiting")]
