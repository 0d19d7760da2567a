"""Open a store by its address."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from recollect.errors import BadInput, StoreFull
from recollect.store import migrate
from recollect.store.db import Db
from recollect.store.safety import commit_counter, counter_file, disk_ballast, snapshots
from recollect.store.sqlite import driver
from recollect.store.sqlite.driver import SqliteDb
from recollect.store.sqlite.filesystem import network_of


def open_db(address: str, now: datetime, *, create: bool = True, read_only: bool = False) -> Db:
    """Open, create or upgrade the database at an address: a path, or ":memory:" for one in memory."""
    if "://" in address:
        raise BadInput(reason=f"{address.split('://')[0]}:// is not a database address this version knows")
    return open_sqlite(address, now, create=create, read_only=read_only)


def open_sqlite(address: str, now: datetime, *, create: bool = True, read_only: bool = False) -> SqliteDb:
    """The same for a file of SQLite."""
    # Before the database is looked at: read later, it could tell of commits that were made in between.
    mirrored = counter_file.read(address)
    try:
        db = driver.connect(address, create=create, read_only=read_only)
    except StoreFull:
        # On a full disk not even the index of the log can be made: this is what the reserve is for.
        if not disk_ballast.release(address):
            raise
        db = driver.connect(address, create=create, read_only=read_only)
        # To open takes a little of it; the rest stays for who comes to forget.
        disk_ballast.keep(address, disk_ballast.SIZE - disk_ballast.TO_OPEN)
    try:
        if migrate.is_due(db):
            snapshots.before_upgrade(db, int(db.pragma("user_version")), now)
        migrate.migrate(db, now)
        if address != ":memory:":
            commit_counter.watch(db, mirrored, now)
            if create and not read_only:
                disk_ballast.keep(address)
    except BaseException:
        db.close()
        raise
    return db


def library_version() -> str:
    """The version of SQLite that this process uses."""
    return driver.library_version()


def network_file_system(path: Path) -> str:
    """The network file system that a database lies on; "" for a local one."""
    return network_of(path)
