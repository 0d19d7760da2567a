"""Reading what can still be read of a damaged database, and writing it into a sound one: row by row, table by table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import apsw

from recollect.errors import StoreError
from recollect.model.value import dataclass
from recollect.store import sql
from recollect.store.sqlite.driver import DIALECT, SqliteDb

_PAGE = 200
# After so many stretches of numbers in which nothing was found, a table whose end is unknown has ended.
_EMPTY_STRETCHES = 20
_DAMAGE = (StoreError, UnicodeDecodeError)

Values = tuple[Any, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table as the catalogue describes it."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    numbered: bool


def tables(db: SqliteDb) -> list[Table]:
    """Every table that holds rows of ours; what SQLite and the search index keep for themselves is made anew."""
    found = []
    for row in db.rows("tables_all"):
        columns = db.rows("table_columns", table=row["name"])
        found.append(
            Table(
                name=row["name"],
                columns=tuple(column["name"] for column in columns),
                key=tuple(
                    column["name"] for column in sorted(columns, key=lambda c: c["pk"]) if column["pk"]
                ),
                numbered=not row["wr"],
            )
        )
    return found


def copy_readable(damaged: SqliteDb, sound: SqliteDb, table: Table, *, over: bool) -> int:
    """Bring every readable row of a table over; how many. `over`: also where the sound one has a row already."""
    try:
        there = {column["name"] for column in damaged.rows("table_columns", table=table.name)}
    except _DAMAGE:
        return 0
    columns = tuple(column for column in table.columns if column in there)
    if not columns:
        return 0
    write = _writing("write_over" if over else "write_missing", table, columns)
    return sum(_written(sound, write, values) for values in readable(damaged, table, columns))


def readable(db: SqliteDb, table: Table, columns: tuple[str, ...]) -> Iterator[Values]:
    """These columns of every row that can be read."""
    return (_numbered if table.numbered else _both_ways)(db, table, columns)


def replace_of(earlier: SqliteDb, later: SqliteDb, table: Table, num: int) -> None:
    """The rows of one memory as an earlier store has them; their own numbers may be taken and are given anew."""
    key = "num" if "num" in table.columns else "memory_num"
    columns = tuple(column for column in table.columns if column != "seq")
    words = {"table": _quoted(table.name), "columns": _list(columns), "key": _quoted(key)}
    list(later.statement(_filled("drop_of", **words), {"num": num}))
    for values in list(earlier.statement(_filled("read_of", **words), {"num": num})):
        _written(later, _writing("write_over", table, columns), values)


def drop_dangling(db: SqliteDb, *, spare: str) -> int:
    """Take out rows that point to nothing, until none is left; those of the table `spare` stay."""
    links = [
        (table.name, link)
        for table in tables(db)
        if table.name != spare
        for link in db.rows("table_links", table=table.name)
    ]
    dropped = 0
    while gone := sum(_unlinked(db, name, link) for name, link in links):
        dropped += gone
    return dropped


def _filled(name: str, **words: str) -> str:
    text = sql.templates(DIALECT)[name]
    for word, value in words.items():
        text = text.replace(f"@{word}", value)
    return text


def _numbered(db: SqliteDb, table: Table, columns: tuple[str, ...]) -> Iterator[Values]:
    words = {"table": _quoted(table.name), "columns": _list(columns)}
    page = _filled("read_after", **words)
    one = _filled("read_one", **words)
    highest = _highest(db, table)
    after, empty = 0, 0
    while empty < _EMPTY_STRETCHES and (highest is None or after < highest):
        rows = _tried(db, page, after=after, limit=_PAGE)
        if rows == []:
            return
        if rows is None:  # something in this stretch cannot be read: its rows one by one
            numbers = range(after + 1, after + _PAGE + 1)
            rows = [row for number in numbers for row in _tried(db, one, rowid=number) or ()]
            after += _PAGE
        else:
            after = rows[-1][0]
        empty = 0 if rows else empty + 1
        yield from (row[1:] for row in rows)


def _both_ways(db: SqliteDb, table: Table, columns: tuple[str, ...]) -> Iterator[Values]:
    seen: set[Values] = set()
    for way, order in (("read_forward", ""), ("read_backward", " DESC")):
        key = f"{order}, ".join(_quoted(column) for column in table.key)
        statement = _filled(way, table=_quoted(table.name), columns=_list(columns), key=key)
        try:
            for row in db.statement(statement):
                if row not in seen:
                    seen.add(row)
                    yield row
        except _DAMAGE:
            continue
        return


def _highest(db: SqliteDb, table: Table) -> int | None:
    found = _tried(db, _filled("read_highest", table=_quoted(table.name)))
    return int(found[0][0] or 0) if found else None


def _tried(db: SqliteDb, statement: str, **parameters: int) -> list[Values] | None:
    try:
        return list(db.statement(statement, parameters))
    except _DAMAGE:
        return None


def _writing(how: str, table: Table, columns: tuple[str, ...]) -> str:
    values = ", ".join("?" * len(columns))
    return _filled(how, table=_quoted(table.name), columns=_list(columns), values=values)


def _written(db: SqliteDb, write: str, values: Values) -> bool:
    try:
        list(db.statement(write, values))
    except apsw.ConstraintError:  # damage made something of it that no row of ours can be
        return False
    return True


def _unlinked(db: SqliteDb, table: str, link: dict[str, Any]) -> int:
    words = {"from": link["from"], "to": link["to"] or link["from"], "parent": link["parent"]}
    statement = _filled("drop_dangling", table=_quoted(table), **{k: _quoted(v) for k, v in words.items()})
    return len(list(db.statement(statement)))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _list(columns: tuple[str, ...]) -> str:
    return ", ".join(_quoted(column) for column in columns)
