"""The rows of every table of a SQLite file, as what is done to a whole store asks for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from recollect.store import sql
from recollect.store.db import StoredTable

DIALECT = "sqlite"
# The files of a search index come as tables of their own; they are made anew.
_OF_AN_INDEX = ("memory_fts", "vault_fts")


class SqliteTables:
    """By the catalogue of the file."""

    def __init__(self, db: Any) -> None:
        self._db = db

    def tables(self) -> list[StoredTable]:
        """Every table that holds rows of ours, those first that others point to."""
        names = [row["name"] for row in self._db.rows("tables_all")]
        by_name = {name: self._describe(name) for name in names if not name.startswith(_OF_AN_INDEX)}
        ordered: dict[str, StoredTable] = {}

        def place(name: str) -> None:
            if name not in ordered and name in by_name:
                for link in self._db.rows("table_links", table=name):
                    if link["parent"] != name and link["parent"] not in path:
                        path.add(name)
                        place(link["parent"])
                ordered.setdefault(name, by_name[name])

        path: set[str] = set()
        for name in by_name:
            place(name)
        return list(ordered.values())

    def _describe(self, name: str) -> StoredTable:
        columns = self._db.rows("table_columns", table=name)
        key = sorted((column for column in columns if column["pk"]), key=lambda column: column["pk"])
        return StoredTable(
            name=name,
            columns=tuple(column["name"] for column in columns),
            key=tuple(column["name"] for column in key),
        )

    def read(self, table: StoredTable, after: tuple[object, ...], limit: int) -> list[tuple[Any, ...]]:
        """Rows in the order of their key."""
        words = {"table": _quote(table.name), "columns": _list(table.columns), "key": _list(table.key)}
        if not after:
            return list(self._db.statement(fill("page_first", **words), (limit,)))
        values = ", ".join("?" * len(after))
        return list(self._db.statement(fill("page_after", values=values, **words), (*after, limit)))

    def count(self, table: StoredTable) -> int:
        """How many rows a table has."""
        return int(next(iter(self._db.statement(fill("count_rows", table=_quote(table.name)))))[0])

    def add(self, table: StoredTable, columns: tuple[str, ...], rows: Sequence[tuple[Any, ...]]) -> None:
        """New rows."""
        values = ", ".join("?" * len(columns))
        write = fill("add_row", table=_quote(table.name), columns=_list(columns), values=values)
        self._db.statements(write, rows)

    def change(self, table: StoredTable, key: tuple[Any, ...], changes: Mapping[str, object]) -> None:
        """Some columns of one row say something else; a row in its way goes."""
        assigned = ", ".join(f"{_quote(column)} = ?" for column in changes)
        write = fill("change_row", table=_quote(table.name), changes=assigned, row=_match(table.key))
        list(self._db.statement(write, (*changes.values(), *key)))

    def drop(self, table: StoredTable, key: tuple[Any, ...]) -> None:
        """One row goes."""
        list(self._db.statement(fill("drop_row", table=_quote(table.name), row=_match(table.key)), key))

    def clear(self) -> None:
        """Every row of every table goes, but for what the store knows of itself."""
        for table in reversed(self.tables()):
            if table.name not in ("migration", "meta"):
                list(self._db.statement(fill("clear_table", table=_quote(table.name))))

    def settle_numbers(self) -> None:
        """SQLite numbers new rows after those it has."""


def fill(name: str, **words: str) -> str:
    """A statement for a table that is known by the catalogue alone."""
    text = sql.templates(DIALECT)[name]
    for word, value in words.items():
        text = text.replace(f"@{word}", value)
    return text


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _list(columns: tuple[str, ...]) -> str:
    return ", ".join(map(_quote, columns))


def _match(key: tuple[str, ...]) -> str:
    return " AND ".join(f"{_quote(column)} = ?" for column in key)
