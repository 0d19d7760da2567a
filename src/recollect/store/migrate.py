"""Bring a database to the schema this version knows: a new one at once, an old one step by step."""

from __future__ import annotations

from datetime import datetime

from recollect.errors import SchemaTooNew, StoreError
from recollect.store import sql
from recollect.store.search import fulltext
from recollect.store.sqlite.driver import APPLICATION_ID, DIALECT, SqliteDb
from recollect.store.tables import row_checksums
from recollect.store.tables.row_values import to_micros


def known_schema() -> int:
    """The newest schema this version can read."""
    return sql.migrations(DIALECT)[-1][0]


def is_due(db: SqliteDb) -> bool:
    """Whether this is a store with an older schema that may be changed."""
    return 0 < int(db.pragma("user_version")) < known_schema() and not db.read_only


def migrate(db: SqliteDb, now: datetime) -> list[str]:
    """Create or upgrade the schema; the names of the steps taken. Steps and their records are one transaction."""
    found = int(db.pragma("user_version"))
    if found > known_schema():
        raise SchemaTooNew(path=db.path, found=found, known=known_schema())
    if found == known_schema():
        return []
    if db.read_only:
        raise StoreError(
            path=db.path,
            reason=f"it is at schema {found} and must first be brought to {known_schema()}",
            fix="recollect doctor --fix",
        )
    steps: list[str] = []
    with db.transaction():
        # Asked again inside the transaction: another process may have done it while we waited.
        found = int(db.pragma("user_version"))
        if found == 0:
            db.script(sql.read(f"schema.{DIALECT}.sql"))
            db.pragma("application_id", APPLICATION_ID)
        for number, name, text in sql.migrations(DIALECT):
            if number <= found:
                continue
            if found:
                db.script(text)
            db.run("migration_record", number=number, name=name, applied_at=to_micros(now))
            steps.append(f"{number:04d}_{name}")
        row_checksums.renew_missing(db)
        _fill_index(db)
        db.pragma("user_version", known_schema())
    return steps


def _fill_index(db: SqliteDb) -> None:
    """A step in SQL can make the full-text index anew but not fill it: the words are made in Python."""
    found = db.rows("verify_counts")[0]
    if found["filed"] < found["memories"]:
        fulltext.file_all(db, lambda done, total: None)
