"""Opening a store by its address, and bringing its schema up to date: a new one at once, an old one step by step."""

from __future__ import annotations

from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.errors import (
    BadInput,
    MissingExtra,
    SchemaTooNew,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreReadOnly,
)
from recollect.store import sql
from recollect.store.db import Db
from recollect.store.safety import commit_counter, disk_ballast, snapshots
from recollect.store.search import fulltext
from recollect.store.sqlite import driver
from recollect.store.sqlite.driver import APPLICATION_ID, DIALECT, SqliteDb
from recollect.store.sqlite.files import find_network
from recollect.store.tables import row_checksums
from recollect.store.tables.row_values import to_micros

if TYPE_CHECKING:
    from recollect.model.viewer import Viewer

_SERVER_SCHEMES = ("postgresql://", "postgres://")


def open_db(
    address: str, now: datetime, *, create: bool = True, read_only: bool = False, viewer: Viewer | None = None
) -> Db:
    """Open, create or upgrade the database at an address: a path, ":memory:" for one in memory, or postgresql://….

    For a `viewer` it shows what that person may see, and their new memories are theirs.
    """
    if is_server_address(address):
        return _open_on_server(address, now, create=create, read_only=read_only, viewer=viewer)
    if "://" in address:
        raise BadInput(reason=f"{address.split('://')[0]}:// is not a database address this version knows")
    db = open_sqlite(address, now, create=create, read_only=read_only)
    if viewer is not None:
        db.set_viewer(viewer)
    return db


def is_server_address(address: str) -> bool:
    """Whether a database is a server's, not a file."""
    return address.startswith(_SERVER_SCHEMES)


def _open_on_server(
    address: str, now: datetime, *, create: bool, read_only: bool, viewer: Viewer | None
) -> Db:
    if find_spec("psycopg") is None or find_spec("psycopg_pool") is None:
        raise MissingExtra(feature="A memory in PostgreSQL", package="'recollect[postgres]'")
    from recollect.store.postgres.open import open_postgres

    return open_postgres(address, now, create=create, read_only=read_only, viewer=viewer)


def open_sqlite(address: str, now: datetime, *, create: bool = True, read_only: bool = False) -> SqliteDb:
    """The same for a file of SQLite."""
    # Before the database is looked at: read later, it could tell of commits that were made in between.
    mirrored = commit_counter.read_counter(address)
    if mirrored is not None and mirrored.commits and _is_emptied(Path(address)):
        raise StoreCorrupt(path=address, reason=f"it is empty, but {mirrored.commits} commits were counted")
    if mirrored is None and commit_counter.is_illegible(address):
        # Nobody can say whether commits are missing: what the log holds is not left to SQLite alone.
        snapshots.keep_log(address, 0)
    try:
        db = driver.connect(address, create=create, read_only=read_only)
    except StoreReadOnly:
        if create or read_only:
            raise
        # It can be asked all the same; whoever writes is told so then.
        return open_sqlite(address, now, create=False, read_only=True)
    except StoreFull:
        # On a full disk not even the index of the log can be made: this is what the reserve is for.
        if not disk_ballast.release_ballast(address):
            raise
        db = driver.connect(address, create=create, read_only=read_only)
        # To open takes a little of it; the rest stays for who comes to forget.
        disk_ballast.ensure_ballast(address, disk_ballast.SIZE - disk_ballast.TO_OPEN)
    try:
        if is_migration_due(db):
            snapshots.take_before_upgrade(db, int(db.pragma("user_version")), now)
        migrate(db, now)
        if address != ":memory:":
            commit_counter.watch_commits(db, mirrored, now)
            if create and not read_only:
                disk_ballast.ensure_ballast(address)
    except StoreCorrupt:
        # Closing puts into the file what can be read of the log, and drops the rest.
        snapshots.keep_log(address, 0)
        db.close()
        raise
    except BaseException:
        db.close()
        raise
    return db


def _is_emptied(file: Path) -> bool:
    """Whether a file has nothing in it. SQLite would begin a new store there, and drop the log of the old one."""
    return file.is_file() and not file.stat().st_size


def library_version() -> str:
    """The version of SQLite that this process uses."""
    return driver.library_version()


def network_file_system(path: Path) -> str:
    """The network file system that a database lies on; "" for a local one."""
    return find_network(path)


def is_migration_due(db: SqliteDb) -> bool:
    """Whether this is a store with an older schema that may be changed."""
    return 0 < int(db.pragma("user_version")) < sql.newest_schema(DIALECT) and not db.read_only


def migrate(db: SqliteDb, now: datetime) -> list[str]:
    """Create or upgrade the schema; the names of the steps taken. Steps and their records are one transaction."""
    schema = int(db.pragma("user_version"))
    if schema > sql.newest_schema(DIALECT):
        raise SchemaTooNew(path=db.path, found=schema, known=sql.newest_schema(DIALECT))
    if schema == sql.newest_schema(DIALECT):
        return []
    if db.read_only:
        raise StoreError(
            path=db.path,
            reason=f"it is at schema {schema} and must first be brought to {sql.newest_schema(DIALECT)}",
            fix="recollect doctor --fix",
        )
    steps: list[str] = []
    with db.transaction():
        # Asked again inside the transaction: another process may have done it while we waited.
        schema = int(db.pragma("user_version"))
        if schema == 0:
            db.script(sql.read(f"schema.{DIALECT}.sql"))
            db.pragma("application_id", APPLICATION_ID)
        for number, name, text in sql.migrations(DIALECT):
            if number <= schema:
                continue
            if schema:
                db.script(text)
            db.run("migration_record", number=number, name=name, applied_at=to_micros(now))
            steps.append(f"{number:04d}_{name}")
        row_checksums.add_missing_checksums(db)
        _fill_index(db)
        db.pragma("user_version", sql.newest_schema(DIALECT))
    return steps


def _fill_index(db: SqliteDb) -> None:
    """A step in SQL can make the full-text index anew but not fill it: the words are made in Python."""
    counts = db.rows("verify_counts")[0]
    if counts["filed"] < counts["memories"]:
        fulltext.rebuild_search_index(db, lambda done, total: None)
