"""Open a store by its address."""

from __future__ import annotations

from datetime import datetime

from recollect.errors import BadInput
from recollect.store import sqlite
from recollect.store.migrate import migrate
from recollect.store.sqlite import SqliteDb


def open_db(address: str, now: datetime, *, create: bool = True, read_only: bool = False) -> SqliteDb:
    """Open, create or upgrade the database at a path, or one in memory at ":memory:"."""
    if "://" in address:
        raise BadInput(reason=f"{address.split('://')[0]}:// is not a database address this version knows")
    db = sqlite.connect(address, create=create, read_only=read_only)
    try:
        migrate(db, now)
    except BaseException:
        db.close()
        raise
    return db
