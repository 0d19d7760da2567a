"""What belongs to the store itself: its embedding model, its birth."""

from __future__ import annotations

from recollect.store.db import Db


def get(db: Db, key: str) -> str | None:
    """One setting of the store."""
    row = db.row("meta_get", key=key)
    return str(row["value"]) if row else None


def put(db: Db, key: str, value: str) -> None:
    """Keep one setting of the store."""
    db.run("meta_set", key=key, value=value)
