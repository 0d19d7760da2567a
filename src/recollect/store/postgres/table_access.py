"""The rows of every table of one organisation, as what is done to a whole store asks for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from recollect.store.db import StoredTable
from recollect.store.postgres.connections import SCHEMA
from recollect.store.postgres.statements import fill_template, numbered_tables, tables_in_order

# What only this database has: made anew from the rows, never moved.
_OWN = frozenset({"memory_words", "memory_term", "vault_term", "vector_near"})


class PostgresTables:
    """By the catalogue of the server; every statement is part of the caller's transaction or moment."""

    def __init__(self, db: Any) -> None:
        self._db = db

    def tables(self) -> list[StoredTable]:
        """Every table that holds rows of ours, in the order in which the schema makes them."""
        columns: dict[str, list[str]] = {}
        keys: dict[str, list[tuple[int, str]]] = {}
        for table, column, place in self._db.statement(fill_template("tables_of_rows", schema=SCHEMA)):
            if column != "org" and table not in _OWN:
                columns.setdefault(table, []).append(column)
                if place:
                    keys.setdefault(table, []).append((place, column))
        return [
            StoredTable(
                name=table,
                columns=tuple(columns[table]),
                key=tuple(column for _, column in sorted(keys[table])),
            )
            for table in tables_in_order()
            if table in columns
        ]

    def read(self, table: StoredTable, after: tuple[object, ...], limit: int) -> list[tuple[Any, ...]]:
        """Rows in the order of their key."""
        words = {"table": _quote(table.name), "columns": _list(table.columns), "key": _list(table.key)}
        if not after:
            return list(self._db.statement(fill_template("page_first", **words), (limit,)))
        values = ", ".join(["%s"] * len(after))
        return list(self._db.statement(fill_template("page_after", values=values, **words), (*after, limit)))

    def count(self, table: StoredTable) -> int:
        """How many rows a table has."""
        return int(self._db.statement(fill_template("count_rows", table=_quote(table.name)))[0][0])

    def add(self, table: StoredTable, columns: tuple[str, ...], rows: Sequence[tuple[Any, ...]]) -> None:
        """New rows. Not as a stream: COPY passes by the rules that keep organisations apart, and is refused."""
        values = ", ".join(["%s"] * len(columns))
        words = {"table": _quote(table.name), "columns": _list(columns), "values": values}
        self._db.statements(fill_template("add_row", **words), rows)

    def change(self, table: StoredTable, key: tuple[Any, ...], changes: Mapping[str, object]) -> None:
        """Some columns of one row say something else."""
        assigned = ", ".join(f"{_quote(column)} = %s" for column in changes)
        write = fill_template("change_row", table=_quote(table.name), changes=assigned, row=_match(table.key))
        self._db.statement(write, (*changes.values(), *key), changes=True)

    def drop(self, table: StoredTable, key: tuple[Any, ...]) -> None:
        """One row goes."""
        write = fill_template("drop_row", table=_quote(table.name), row=_match(table.key))
        self._db.statement(write, key, changes=True)

    def clear(self) -> None:
        """Every row of the organisation goes, but for what the store knows of itself."""
        own = [StoredTable(name=name, columns=(), key=()) for name in sorted(_OWN - {"vector_near"})]
        for table in [*own, *(table for table in reversed(self.tables()) if table.name != "meta")]:
            self._db.statement(fill_template("clear_table", table=_quote(table.name)), changes=True)

    def settle_numbers(self) -> None:
        """New rows are numbered after those that were added."""
        highest = {
            table: self._db.statement(fill_template("highest_number", table=_quote(table), column=column))[0][
                0
            ]
            for table, column in numbered_tables().items()
        }
        self._db.give_numbers({table: int(number) for table, number in highest.items() if number})


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _list(columns: tuple[str, ...]) -> str:
    return ", ".join(map(_quote, columns))


def _match(key: tuple[str, ...]) -> str:
    return " AND ".join(f"{_quote(column)} = %s" for column in key)
