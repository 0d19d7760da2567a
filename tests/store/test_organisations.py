"""One database of PostgreSQL for many organisations: each sees and changes its own rows alone."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from recollect.errors import NotFound, StoreBusy, StoreMissing, StoreReadOnly, StoreUnavailable
from recollect.store import sql
from recollect.store.open import open_db
from recollect.store.postgres.connections import Address
from recollect.store.postgres.open import open_organisation
from recollect.store.postgres.statements import make_statement, numbered_tables
from recollect.store.tables import meta
from tests.builders import NOON
from tests.databases import find_store


@pytest.fixture
def db() -> Iterator[Any]:
    opened = open_db(find_store("postgres", Path()), NOON)
    yield opened
    opened.close()


@pytest.fixture
def other(db: Any) -> Iterator[Any]:
    opened = open_organisation(db, f"o{uuid4().hex}", NOON, create=True)
    yield opened
    opened.close()


def catalogue(db: Any, statement: str) -> list[tuple[Any, ...]]:
    with db.shared.borrow() as connection:
        return list(connection.execute(statement.encode()).fetchall())


def test_what_one_organisation_keeps_the_other_does_not_see(db: Any, other: Any) -> None:
    meta.save_meta(db, "canary", "ours")
    assert meta.read_meta(db, "canary") == "ours"
    assert meta.read_meta(other, "canary") is None
    meta.save_meta(other, "canary", "theirs")
    assert meta.read_meta(db, "canary") == "ours"
    assert meta.read_meta(db, "store") != meta.read_meta(other, "store")


def test_a_statement_that_names_another_organisation_gets_nothing(db: Any, other: Any) -> None:
    """The database keeps them apart, whatever the text of a statement says."""
    meta.save_meta(other, "canary", "theirs")
    with db.transaction():
        rows = db._connection.execute(
            "SELECT value FROM meta WHERE org = %s", (other.organisation,)
        ).fetchall()
        assert rows == []
        done = db._connection.execute(
            "UPDATE meta SET value = 'stolen' WHERE org = %s", (other.organisation,)
        )
        assert done.rowcount == 0
    with pytest.raises(StoreReadOnly, match="row-level security"), db.transaction(), db._translated:
        db._connection.execute(
            "INSERT INTO meta (org, key, value) VALUES (%s, 'planted', '')", (other.organisation,)
        )
    assert meta.read_meta(other, "canary") == "theirs"
    assert meta.read_meta(other, "planted") is None


def test_a_connection_that_names_no_organisation_sees_nothing(db: Any) -> None:
    meta.save_meta(db, "canary", "ours")
    with db.shared.borrow() as connection:
        db.shared.forget_standing(connection)
        connection.execute(b"SELECT set_config('recollect.org', '', false)")
        assert connection.execute(b"SELECT COUNT(*) FROM meta").fetchone() == (0,)


def test_every_table_of_organisations_is_kept_apart(db: Any) -> None:
    tables = catalogue(
        db,
        "SELECT c.relname, c.relforcerowsecurity, EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid"
        " AND a.attname = 'org') FROM pg_class c WHERE c.relnamespace = 'recollect'::regnamespace AND c.relkind = 'r'",
    )
    assert len(tables) > 60
    without = {table for table, _, has_org in tables if not has_org}
    assert without == {"migration", "organisation", "schema_lock"}
    assert {table for table, forced, has_org in tables if has_org and not forced} == set()


def test_the_organisation_stands_first_in_every_key(db: Any) -> None:
    keys = catalogue(
        db,
        "SELECT t.relname, i.relname, pg_get_indexdef(x.indexrelid, 1, false) FROM pg_index x"
        " JOIN pg_class t ON t.oid = x.indrelid JOIN pg_class i ON i.oid = x.indexrelid"
        " WHERE t.relnamespace = 'recollect'::regnamespace",
    )
    own = {"migration", "organisation", "schema_lock"}
    assert [(table, key) for table, key, first in keys if table not in own and first != "org"] == []


def test_nobody_works_above_the_rules(db: Any) -> None:
    """A superuser connects, and works as a role that the rules bind."""
    above = "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"
    assert catalogue(db, above) == [(0,)]


def test_both_databases_have_the_same_columns(db: Any) -> None:
    """But for what each makes of full text and vectors in its own way."""
    sqlite: Any = open_db(":memory:", NOON)
    names = [
        name
        for name, kind in sqlite.statement(
            "SELECT name, type FROM pragma_table_list WHERE schema = 'main' AND type = 'table'"
        )
        if not name.startswith("sqlite_")
    ]
    mine = {
        name: {row[0] for row in sqlite.statement("SELECT name FROM pragma_table_info(?)", (name,))}
        for name in names
    }
    theirs: dict[str, set[str]] = {}
    for table, column in catalogue(
        db, "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'recollect'"
    ):
        theirs.setdefault(table, set()).add(column)
    own = {"organisation", "schema_lock", "memory_words", "memory_term", "vault_term", "vector_near"}
    assert {table: columns - {"org"} for table, columns in theirs.items() if table not in own} == mine
    assert sql.newest_schema("postgres") == sql.newest_schema("sqlite")


def test_numbers_count_within_an_organisation(db: Any, other: Any) -> None:
    for at in (1, 2, 3):
        db.run("event_insert", at=at, type="x", session_id=None, project_id=None, memory_id=None, data="{}")
    other.run("event_insert", at=9, type="x", session_id=None, project_id=None, memory_id=None, data="{}")
    with db.transaction():
        assert db._connection.execute("SELECT seq FROM event ORDER BY seq").fetchall() == [(1,), (2,), (3,)]
    with other.transaction():
        assert other._connection.execute("SELECT seq FROM event").fetchall() == [(1,)]


def test_a_transaction_taken_back_gives_its_numbers_back(db: Any) -> None:
    event = {"at": 1, "type": "x", "session_id": None, "project_id": None, "memory_id": None, "data": "{}"}
    with pytest.raises(ZeroDivisionError), db.transaction():
        db.run("event_insert", **event)
        raise ZeroDivisionError
    with db.transaction():
        db.run("event_insert", **event)
        with pytest.raises(ZeroDivisionError), db.transaction():
            db.run("event_insert", **event)
            raise ZeroDivisionError
        db.run("event_insert", **event)
    with db.transaction():
        assert db._connection.execute("SELECT seq FROM event ORDER BY seq").fetchall() == [(1,), (2,)]


def test_writers_of_one_organisation_take_turns_and_others_do_not_wait(db: Any, other: Any) -> None:
    second = open_organisation(db, _name(db), NOON)
    second.wait_at_most(100)
    try:
        with db.transaction():
            meta.save_meta(db, "first", "1")
            with pytest.raises(StoreBusy):
                meta.save_meta(second, "second", "2")
            meta.save_meta(other, "third", "3")
        meta.save_meta(second, "second", "2")
    finally:
        second.close()
    assert [meta.read_meta(db, key) for key in ("first", "second", "third")] == ["1", "2", None]


def _name(db: Any) -> str:
    return str(db.path.partition("organisation=")[2])


def test_the_version_changes_with_every_change_and_with_no_read(db: Any) -> None:
    second = open_organisation(db, _name(db), NOON)
    try:
        before = db.version()
        meta.read_meta(second, "store")
        assert db.version() == before
        meta.save_meta(second, "a", "b")
        assert db.version() != before
    finally:
        second.close()


def test_many_that_open_a_new_database_at_once_make_one_schema() -> None:
    address = find_store("postgres", Path())
    opened: list[Any] = []
    failures: list[BaseException] = []

    def open_one() -> None:
        try:
            opened.append(open_db(address, NOON))
        except BaseException as error:  # noqa: BLE001 - shown below
            failures.append(error)

    threads = [threading.Thread(target=open_one) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len({db.organisation for db in opened}) == 1
    for db in opened:
        db.close()


def test_an_organisation_that_is_not_there_is_not_made_by_reading(db: Any) -> None:
    with pytest.raises(NotFound, match="organisation"):
        open_organisation(db, "nobody", NOON)


def test_a_server_that_is_not_there_is_said_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recollect.store.postgres.open._OPEN_SECONDS", 0.1)
    with pytest.raises(
        StoreUnavailable, match=r"postgresql://me@127\.0\.0\.1:1/x cannot be reached"
    ) as error:
        open_db("postgresql://me:hush@127.0.0.1:1/x", NOON)
    assert "hush" not in str(error.value)


def test_a_database_without_memories_is_not_changed_by_reading() -> None:
    address = Address(find_store("postgres", Path())).conninfo.replace("recollect_", "recollect_", 1)
    base = address.rpartition("/")[0] + "/postgres"
    with pytest.raises(StoreMissing):
        open_db(base, NOON, create=False)


def test_an_address_is_shown_without_its_password() -> None:
    address = Address("postgresql://me:hush@db1,db2:5433/x?organisation=acme&sslmode=require")
    assert address.shown == "postgresql://me@db1,db2:5433/x?organisation=acme"
    assert address.conninfo == "postgresql://me:hush@db1,db2:5433/x?sslmode=require"
    assert address.organisation == "acme"


def test_a_statement_gets_its_organisation_and_number() -> None:
    statement = make_statement(
        "INSERT INTO memory (id, text) VALUES (:id, ':text%') ON CONFLICT (id) DO NOTHING"
    )
    assert statement.numbers == "memory"
    assert statement.text == (
        "INSERT INTO memory (num, id, text) VALUES (%(new_number)s, %(id)s, ':text%%')"
        " ON CONFLICT (org, id) DO NOTHING"
    )
    assert statement.parameters == ("id",)


def test_a_parameter_that_may_be_missing_is_asked_for_apart() -> None:
    statement = make_statement("SELECT 1 FROM memory WHERE :since IS NULL OR happened_at >= :since")
    assert statement.bind({"since": None}) == {"since": None, "since_is_null": True}
    assert statement.bind({"since": 3}) == {"since": 3, "since_is_null": False}


def test_the_numbered_tables_are_those_that_count_in_sqlite() -> None:
    text = sql.read("schema.sqlite.sql")
    counted = {
        table: column
        for table, body in re.findall(r"(?ms)^CREATE TABLE (\w+) \((.*?)^\) STRICT", text)
        for column in re.findall(r"(?m)^    (\w+) +INTEGER PRIMARY KEY(?! REFERENCES)", body)
        if table != "migration"
    }
    assert {
        table: column for table, column in numbered_tables().items() if table != "vector_words"
    } == counted
