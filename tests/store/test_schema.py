"""The schema file and the migrations say the same, and a step is taken whole or not at all."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from recollect.model.query import Filters
from recollect.store import sql
from recollect.store.open import migrate, open_db
from recollect.store.sqlite.driver import APPLICATION_ID, DIALECT, SqliteDb, connect
from recollect.store.tables import memory_writes
from tests.builders import NOON, a_db, a_memory, an_engine

pytestmark = pytest.mark.sqlite

MIGRATIONS = sql.migrations(DIALECT)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "memories.db"


@pytest.fixture
def bare(file: Path) -> Iterator[SqliteDb]:
    """A database with all pragmas and no schema."""
    db = connect(str(file), create=True)
    yield db
    db.close()


def catalogue(db: SqliteDb) -> dict[tuple[str, str], str]:
    """Every table, index and view with its text, without comments and spacing."""
    rows = db._connection.execute("SELECT type, name, sql FROM sqlite_schema")
    return {(kind, name): _plain(text or "") for kind, name, text in rows}


def columns(db: SqliteDb) -> dict[str, list[tuple[object, ...]]]:
    """Every column of every table, as SQLite understands it."""
    tables = db._connection.execute("SELECT name FROM pragma_table_list WHERE schema = 'main'").fetchall()
    return {
        table: db._connection.execute("SELECT * FROM pragma_table_xinfo(?)", (table,)).fetchall()
        for (table,) in tables
    }


def taken_up_to(db: SqliteDb, number: int) -> None:
    """Bring a bare database to an earlier schema, as an earlier version would have left it."""
    with db.transaction():
        for step, name, text in MIGRATIONS[:number]:
            db.script(text)
            db.run("migration_record", number=step, name=name, applied_at=0)
        db.pragma("application_id", APPLICATION_ID)
        db.pragma("user_version", MIGRATIONS[number - 1][0])


def test_the_schema_file_is_the_sum_of_all_migrations(bare: SqliteDb) -> None:
    new = a_db()
    taken_up_to(bare, len(MIGRATIONS))
    assert catalogue(new) == catalogue(bare)
    assert columns(new) == columns(bare)
    assert len(columns(new)) > 15


def test_migrations_are_numbered_from_one_without_gaps() -> None:
    assert [number for number, _, _ in MIGRATIONS] == list(range(1, len(MIGRATIONS) + 1))
    assert sql.newest_schema(DIALECT) == len(MIGRATIONS)


@pytest.mark.parametrize("number", range(1, len(MIGRATIONS) + 1))
def test_every_earlier_schema_is_brought_to_the_newest(bare: SqliteDb, file: Path, number: int) -> None:
    taken_up_to(bare, number)
    bare.close()
    upgraded = a_db(file)
    try:
        assert catalogue(upgraded) == catalogue(a_db())
        assert upgraded.pragma("user_version") == sql.newest_schema(DIALECT)
        recorded = upgraded._connection.execute(
            "SELECT number, name FROM migration ORDER BY number"
        ).fetchall()
        assert recorded == [(step, name) for step, name, _ in MIGRATIONS]
    finally:
        upgraded.close()
    with an_engine(file) as memory:
        memory.remember("It works after the upgrade")
        assert memory.count() == 1


def test_an_index_that_a_step_makes_anew_is_filled(
    bare: SqliteDb, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken_up_to(bare, next(number for number, name, _ in MIGRATIONS if name == "lighter_writes") - 1)
    with monkeypatch.context() as earlier:  # a memory had no owner then
        earlier.setattr(
            bare, "_find_query", lambda name: re.sub(r", :?owner\)", ")", sql.query(DIALECT, name))
        )
        memory_writes.insert_memories(bare, [a_memory("The client keeps a refreshToken")])
    bare.close()
    with an_engine(file) as memory:
        assert [hit.memory.text for hit in memory.recall("token", filters=Filters(every_project=True))]
        assert memory.admin.verify()[-1].detail == "1 entries"


def test_a_new_database_records_every_step_as_taken() -> None:
    db = a_db()
    recorded = db._connection.execute("SELECT number, name FROM migration ORDER BY number").fetchall()
    assert recorded == [(number, name) for number, name, _ in MIGRATIONS]
    assert migrate(db, NOON) == []


def with_steps(monkeypatch: pytest.MonkeyPatch, *texts: str) -> None:
    """As a later version would have it: more steps than there are now."""
    last = sql.newest_schema(DIALECT)
    more = tuple((last + place, f"later_{place}", text) for place, text in enumerate(texts, start=1))
    monkeypatch.setattr(sql, "migrations", lambda dialect: MIGRATIONS + more)


def test_later_steps_are_taken_on_a_database_with_rows(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with an_engine(file) as memory:
        memory.remember("Written before the upgrade")
    with_steps(monkeypatch, "CREATE TABLE later (a TEXT) STRICT;", "ALTER TABLE later ADD COLUMN b TEXT;")
    db = open_db(str(file), NOON)
    try:
        assert db.pragma("user_version") == MIGRATIONS[-1][0] + 2
        assert [column[1] for column in columns(db)["later"]] == ["a", "b"]
        assert db._connection.execute("SELECT text FROM memory").fetchall() == [
            ("Written before the upgrade",)
        ]
    finally:
        db.close()


def test_a_broken_step_leaves_the_old_schema_whole(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with an_engine(file) as memory:
        memory.remember("Written before the upgrade")
    before = a_db(file)
    old = catalogue(before)
    before.close()
    with monkeypatch.context() as later:
        with_steps(
            later,
            "CREATE TABLE half (a TEXT) STRICT; UPDATE memory SET text = 'changed';",
            "CREATE TABLE other (a TEXT) STRICT; INSERT INTO nowhere VALUES (1);",
        )
        with pytest.raises(apsw.SQLError, match="nowhere"):
            open_db(str(file), NOON)
    after = a_db(file)
    try:
        assert catalogue(after) == old
        assert after.pragma("user_version") == sql.newest_schema(DIALECT)
        assert after._connection.execute("SELECT text FROM memory").fetchall() == [
            ("Written before the upgrade",)
        ]
        assert after.pragma("integrity_check") == "ok"
    finally:
        after.close()


def test_a_birth_that_fails_leaves_no_half_made_store(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as broken:
        whole = sql.read(f"schema.{DIALECT}.sql")
        broken.setattr(sql, "read", lambda name: whole + "CREATE TABLE broken (;")
        with pytest.raises(apsw.SQLError):
            a_db(file)
    db = a_db(file)
    try:
        assert catalogue(db) == catalogue(a_db())
    finally:
        db.close()


def test_every_table_is_strict() -> None:
    db = a_db()
    tables = db._connection.execute(
        "SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND type = 'table'"
    ).fetchall()
    assert [name for name, strict in tables if not strict and not name.startswith("sqlite_")] == []


def _plain(text: str) -> str:
    words = " ".join(re.sub(r"--[^\n]*", "", text).split())
    return re.sub(r" ?([(),]) ?", r"\1", words)
