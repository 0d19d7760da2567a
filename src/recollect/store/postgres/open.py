"""Opening a database of PostgreSQL: its role, its schema, the organisation that is meant."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import Any

import psycopg
from psycopg import errors as pg

from recollect.errors import NotFound, SchemaTooNew, StoreMissing
from recollect.model.viewer import Viewer
from recollect.store import sql
from recollect.store.postgres import connections
from recollect.store.postgres.connections import ROLE, SCHEMA, Address, Connection, Connections
from recollect.store.postgres.driver import PostgresDb
from recollect.store.postgres.errors import ServerErrors
from recollect.store.postgres.statements import DIALECT, fill_template, find_statement
from recollect.store.tables.row_values import to_micros

# So long a server is waited for that nobody has reached yet: a name or a port may be wrong.
_OPEN_SECONDS = 3.0
# What two processes that make the same thing at the same moment are told.
_MADE_MEANWHILE = (pg.DuplicateObject, pg.DuplicateTable, pg.DuplicateSchema, pg.UniqueViolation)


def open_postgres(
    address: str, now: datetime, *, create: bool = True, read_only: bool = False, viewer: Viewer | None = None
) -> PostgresDb:
    """Open, create or upgrade the database at an address; `?organisation=…` names whose part of it is meant."""
    where = Address(address)
    if not connections.is_prepared(where):
        with ServerErrors(where.shown):
            _prepare_role(where, may_create=create and not read_only)
    shared = connections.connect(where)
    try:
        with ServerErrors(where.shown):
            if not shared.is_prepared:
                migrate(shared, now, may_change=not read_only)
                with shared.borrow() as connection:
                    shared.has_near_vectors = bool(_run(connection, "has_near_vectors", schema=SCHEMA))
                # A server opens one database for every request; what was made once is there.
                shared.is_prepared = not read_only
            number = _find_organisation(shared, where, now, create=create and not read_only)
        return PostgresDb(shared, number, where.shown, read_only=read_only, viewer=viewer)
    except BaseException:
        shared.close()
        raise


def open_organisation(
    db: PostgresDb, organisation: str, now: datetime, *, create: bool = False
) -> PostgresDb:
    """Another organisation's part of the same database, over the same connections."""
    where = Address(f"postgresql://localhost/?organisation={organisation}")
    shared = db.shared.share()
    try:
        with ServerErrors(db.path):
            number = _find_organisation(shared, where, now, create=create)
    except BaseException:
        shared.close()
        raise
    return PostgresDb(shared, number, f"{db.path.partition('?')[0]}?organisation={organisation}")


def migrate(shared: Connections, now: datetime, *, may_change: bool = True) -> list[str]:
    """Create or upgrade the schema; the names of the steps taken. Steps and their records are one transaction."""
    newest = sql.newest_schema(DIALECT)
    with shared.borrow() as connection:
        schema = _read_schema(connection)
        if schema > newest:
            raise SchemaTooNew(path=shared.shown, found=schema, known=newest)
        if schema == newest or not may_change:
            return []
        _run(connection, "create_lock", schema=SCHEMA)
        _run(connection, "fill_lock", schema=SCHEMA)
        steps: list[str] = []
        with connection.transaction():
            _run(connection, "take_lock", schema=SCHEMA)
            # Asked again behind the lock: another process may have done it while we waited.
            schema = _read_schema(connection)
            if schema == 0:
                connection.execute(sql.read(f"schema.{DIALECT}.sql").encode())
                if extension := _run(connection, "extension_schema"):
                    connection.execute(
                        sql.read(f"vectors.{DIALECT}.sql").replace("@extension", extension).encode()
                    )
            for number, name, text in sql.migrations(DIALECT):
                if number <= schema:
                    continue
                if schema:
                    connection.execute(text.encode())
                record = {"number": number, "name": name, "applied_at": to_micros(now)}
                connection.execute(find_statement("migration_record").text.encode(), record)
                steps.append(f"{number:04d}_{name}")
            _protect_tables(connection)
        return steps


def _protect_tables(connection: Connection) -> None:
    """Every table of organisations shows each its own rows; also one that a later step has made."""
    tables = connection.execute(fill_template("unprotected_tables", schema=SCHEMA).encode()).fetchall()
    for (table,) in tables:
        _run(connection, "protect_table", schema=SCHEMA, table=table)


def _read_schema(connection: Connection) -> int:
    if not _run(connection, "has_schema", schema=SCHEMA):
        return 0
    return int(_run(connection, "schema_number", schema=SCHEMA) or 0)


def _prepare_role(where: Address, *, may_create: bool) -> None:
    """A superuser gets a role of ours to work as, since no rule binds a superuser; and a schema is made for it."""
    with _first_connection(where) as connection:
        if not may_create:
            if not _run(connection, "has_schema", schema=SCHEMA):
                raise StoreMissing(path=where.shown)
            return
        if _run(connection, "has_schema", schema=SCHEMA):
            return
        _install_extension(connection)
        if not _run(connection, "is_above_rules"):
            _make(connection, "create_own_schema", schema=SCHEMA)
            return
        if not _run(connection, "has_role", role=ROLE):
            _make(connection, "create_role", role=ROLE)
        _make(connection, "create_schema", schema=SCHEMA, role=ROLE)


def _install_extension(connection: Connection) -> None:
    """pgvector, where the server has it and lets us: without it, vectors are compared in this process."""
    if _run(connection, "has_extension") and not _run(connection, "extension_schema"):
        with suppress(pg.InsufficientPrivilege, *_MADE_MEANWHILE):
            _run(connection, "create_extension")


@contextmanager
def _first_connection(where: Address) -> Iterator[Connection]:
    connection = connections.retry_passing(
        lambda: psycopg.connect(where.conninfo, autocommit=True, connect_timeout=5), _OPEN_SECONDS
    )
    try:
        yield connection
    finally:
        connection.close()


def _make(connection: Connection, template: str, **words: str) -> None:
    with suppress(*_MADE_MEANWHILE):
        _run(connection, template, **words)


def _find_organisation(shared: Connections, where: Address, now: datetime, *, create: bool) -> int:
    with shared.borrow() as connection:
        row = _ask_one(connection, "organisation_by_id", id=where.organisation)
        if row is None and create:
            with connection.transaction():
                _run(connection, "take_lock", schema=SCHEMA)
                row = _ask_one(
                    connection, "organisation_insert", id=where.organisation, created_at=to_micros(now)
                )
                if row is not None:
                    shared.forget_standing(connection)
                    _run(connection, "set_organisation", org=row[0], person="", projects="", local="true")
                    _ask_one(connection, "meta_set", key="store", value=secrets.token_hex(8))
            row = row or _ask_one(connection, "organisation_by_id", id=where.organisation)
    if row is None:
        raise NotFound(what="organisation", name=where.organisation)
    return int(row[0])


def _ask_one(connection: Connection, query: str, **parameters: object) -> tuple[Any, ...] | None:
    cursor = connection.execute(find_statement(query).text.encode(), parameters)
    return cursor.fetchone() if cursor.description else None


def _run(connection: Connection, template: str, **words: str | int) -> Any:
    cursor = connection.execute(fill_template(template, **words).encode())
    row = cursor.fetchone() if cursor.description else None
    return row[0] if row else None
