"""What a store holds, as one value: equal only if every row of every table is."""

from __future__ import annotations

from recollect.store.sqlite.driver import SqliteDb


def signature(db: SqliteDb) -> dict[str, list[tuple[object, ...]]]:
    """All rows of all tables; of the search index what can be found in it."""
    ask = db._connection.execute
    tables = [
        name for (name,) in ask("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'")
    ]
    held = {table: sorted(ask(f'SELECT * FROM "{table}"').fetchall(), key=repr) for table in tables}  # noqa: S608
    held["index"] = ask("SELECT term, doc, cnt FROM memory_vocab ORDER BY term").fetchall()
    held["filed"] = ask("SELECT id, sz FROM memory_fts_docsize ORDER BY id").fetchall()
    return held


def assert_sound(db: SqliteDb) -> None:
    """The file, its links and the search index are in order."""
    assert db._connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert db._connection.execute("PRAGMA foreign_key_check").fetchall() == []
    db._connection.execute("INSERT INTO memory_fts (memory_fts, rank) VALUES ('integrity-check', 0)")
    (memories,) = db._connection.execute("SELECT COUNT(*) FROM memory").fetchone()
    (filed,) = db._connection.execute("SELECT COUNT(*) FROM memory_fts_docsize").fetchone()
    assert memories == filed
