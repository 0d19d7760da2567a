"""Salvage: reading what is still readable of a damaged database into a sound one, row by row."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import apsw

from recollect.errors import StoreError
from recollect.store.sqlite.catalogue import Table, fill_template, list_columns, list_tables, quote_name
from recollect.store.sqlite.driver import SqliteDb

_PAGE = 200
# After so many stretches of numbers in which nothing was found, a table whose end is unknown has ended.
_EMPTY_STRETCHES = 20
_DAMAGE = (StoreError, UnicodeDecodeError)

Values = tuple[Any, ...]


def copy_readable(damaged: SqliteDb, sound: SqliteDb, table: Table, *, over: bool) -> int:
    """Bring every readable row of a table over; how many. `over`: also where the sound one has a row already."""
    try:
        readable_columns = {column["name"] for column in damaged.rows("table_columns", table=table.name)}
    except _DAMAGE:
        return 0
    columns = tuple(column for column in table.columns if column in readable_columns)
    if not columns:
        return 0
    write = write_over if over else write_missing
    return sum(write(sound, table, columns, values) for values in read_rows(damaged, table, columns))


def write_over(db: SqliteDb, table: Table, columns: tuple[str, ...], values: Values) -> bool:
    """A row in the place of what is there; whether it could be one."""
    return _write_row(db, _make_write("write_over", table, columns), values)


def write_missing(db: SqliteDb, table: Table, columns: tuple[str, ...], values: Values) -> bool:
    """A row that only fills a gap."""
    return _write_row(db, _make_write("write_missing", table, columns), values)


def read_rows(db: SqliteDb, table: Table, columns: tuple[str, ...]) -> Iterator[Values]:
    """These columns of every row that can be read."""
    return (_read_numbered if table.numbered else _read_both_ways)(db, table, columns)


def replace_memory_rows(earlier: SqliteDb, later: SqliteDb, table: Table, num: int) -> None:
    """The rows of one memory as an earlier store has them; their own numbers may be taken and are given anew."""
    key = "num" if "num" in table.columns else "memory_num"
    columns = tuple(column for column in table.columns if column != "seq")
    words = {"table": quote_name(table.name), "columns": list_columns(columns), "key": quote_name(key)}
    list(later.statement(fill_template("drop_of", **words), {"num": num}))
    for values in list(earlier.statement(fill_template("read_of", **words), {"num": num})):
        write_over(later, table, columns, values)


def drop_dangling(db: SqliteDb, *, spare: str) -> int:
    """Take out rows that point to nothing, until none is left; those of the table `spare` stay."""
    links = [
        (table.name, link)
        for table in list_tables(db)
        if table.name != spare
        for link in db.rows("table_links", table=table.name)
    ]
    dropped = 0
    while removed := sum(_delete_unlinked(db, name, link) for name, link in links):
        dropped += removed
    return dropped


def _read_numbered(db: SqliteDb, table: Table, columns: tuple[str, ...]) -> Iterator[Values]:
    words = {"table": quote_name(table.name), "columns": list_columns(columns)}
    page = fill_template("read_after", **words)
    one = fill_template("read_one", **words)
    highest = _read_highest(db, table)
    after, empty = 0, 0
    while empty < _EMPTY_STRETCHES and (highest is None or after < highest):
        rows = _try_statement(db, page, after=after, limit=_PAGE)
        if rows == []:
            return
        if rows is None:  # something in this stretch cannot be read: its rows one by one
            numbers = range(after + 1, after + _PAGE + 1)
            rows = [row for number in numbers for row in _try_statement(db, one, rowid=number) or ()]
            after += _PAGE
        else:
            after = rows[-1][0]
        empty = 0 if rows else empty + 1
        yield from (row[1:] for row in rows)


def _read_both_ways(db: SqliteDb, table: Table, columns: tuple[str, ...]) -> Iterator[Values]:
    rows_read: set[Values] = set()
    for way, order in (("read_forward", ""), ("read_backward", " DESC")):
        key = f"{order}, ".join(quote_name(column) for column in table.key)
        statement = fill_template(way, table=quote_name(table.name), columns=list_columns(columns), key=key)
        try:
            for row in db.statement(statement):
                if row not in rows_read:
                    rows_read.add(row)
                    yield row
        except _DAMAGE:
            continue
        return


def _read_highest(db: SqliteDb, table: Table) -> int | None:
    rows = _try_statement(db, fill_template("read_highest", table=quote_name(table.name)))
    return int(rows[0][0] or 0) if rows else None


def _try_statement(db: SqliteDb, statement: str, **parameters: int) -> list[Values] | None:
    try:
        return list(db.statement(statement, parameters))
    except _DAMAGE:
        return None


@cache
def _make_write(how: str, table: Table, columns: tuple[str, ...]) -> str:
    values = ", ".join("?" * len(columns))
    return fill_template(how, table=quote_name(table.name), columns=list_columns(columns), values=values)


def _write_row(db: SqliteDb, write: str, values: Values) -> bool:
    try:
        list(db.statement(write, values))
    except apsw.ConstraintError:  # damage made something of it that no row of ours can be
        return False
    return True


def _delete_unlinked(db: SqliteDb, table: str, link: dict[str, Any]) -> int:
    words = {"from": link["from"], "to": link["to"] or link["from"], "parent": link["parent"]}
    statement = fill_template(
        "drop_dangling", table=quote_name(table), **{k: quote_name(v) for k, v in words.items()}
    )
    return len(list(db.statement(statement)))
