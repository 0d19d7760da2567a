"""Open a store by its address."""

from __future__ import annotations

from datetime import datetime

from recollect.errors import BadInput, StoreFull
from recollect.store import commits, migrate, mirror, reserve, snapshots, sqlite
from recollect.store.sqlite import SqliteDb


def open_db(address: str, now: datetime, *, create: bool = True, read_only: bool = False) -> SqliteDb:
    """Open, create or upgrade the database at a path, or one in memory at ":memory:"."""
    if "://" in address:
        raise BadInput(reason=f"{address.split('://')[0]}:// is not a database address this version knows")
    # Before the database is looked at: read later, it could tell of commits that were made in between.
    mirrored = mirror.read(address)
    try:
        db = sqlite.connect(address, create=create, read_only=read_only)
    except StoreFull:
        # On a full disk not even the index of the log can be made: this is what the reserve is for.
        if not reserve.release(address):
            raise
        db = sqlite.connect(address, create=create, read_only=read_only)
        # To open takes a little of it; the rest stays for who comes to forget.
        reserve.keep(address, reserve.SIZE - reserve.TO_OPEN)
    try:
        if migrate.is_due(db):
            snapshots.before_upgrade(db, int(db.pragma("user_version")), now)
        migrate.migrate(db, now)
        if address != ":memory:":
            commits.watch(db, mirrored, now)
            if create and not read_only:
                reserve.keep(address)
    except BaseException:
        db.close()
        raise
    return db
