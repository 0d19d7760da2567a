"""
The named queries as PostgreSQL wants them.

Their text is the same as SQLite's wherever it can be. What is added here is what every statement shares: parameters in
psycopg's spelling, the organisation first in every key, and numbers that we give ourselves.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from recollect.store import sql

DIALECT = "postgres"

# What a query calls the number of the row it adds.
NEW_NUMBER = "new_number"

_WORD = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"|::|:(\w+)( IS NULL\b)?|%")
_INSERT = re.compile(r"\bINSERT INTO (\w+)\s*\(([^)]*)\)\s*(VALUES\s*\(|SELECT\s)")
_CHANGE = re.compile(r"\b(?:INSERT INTO|DELETE FROM|UPDATE \w+ SET)\b")
_ONE_ROW = re.compile(r"INSERT INTO \w+\s*\([^)]*\)\s*VALUES\b")
_KEY = re.compile(r"\bON CONFLICT \(")
_TABLE = re.compile(r"^CREATE TABLE (\w+) \((.*?)^\)[^;\n]*;", re.MULTILINE | re.DOTALL)
_NUMBER = re.compile(r"^    PRIMARY KEY \(org, (num|seq)\)", re.MULTILINE)


# Whether a parameter is given is asked under this name: of a value alone PostgreSQL could not tell its type.
_IS_NULL = "{}_is_null"


class ServerStatement(NamedTuple):
    """A query ready to be sent."""

    text: str
    # Its parameters, in the order in which it first names them.
    parameters: tuple[str, ...]
    # The table whose rows it gives new numbers, if it does.
    numbers: str
    # Those of its parameters that it asks whether they are given.
    optional: tuple[str, ...] = ()

    def bind(self, parameters: Mapping[str, object]) -> Mapping[str, object]:
        """The parameters as they are sent."""
        if not self.optional:
            return parameters
        return {**parameters, **{_IS_NULL.format(name): parameters[name] is None for name in self.optional}}

    @property
    def adds_one_row(self) -> bool:
        """Whether it adds exactly one row, or fails."""
        return (
            bool(_ONE_ROW.match(self.text)) and "DO NOTHING" not in self.text and "RETURNING" not in self.text
        )

    @property
    def is_read(self) -> bool:
        """Whether it changes nothing."""
        return self.text.startswith(("SELECT", "WITH")) and not _CHANGE.search(self.text)


@cache
def find_statement(name: str) -> ServerStatement:
    """A named query."""
    return make_statement(sql.query(DIALECT, name))


def make_statement(text: str) -> ServerStatement:
    """The statement of a query's common text."""
    numbers = ""
    insert = _INSERT.search(text)
    if insert:
        table, columns, values = insert.groups()
        column = numbered_tables().get(table)
        if column and column not in re.split(r"[\s,]+", columns):
            numbers = table
            number = f":{NEW_NUMBER}, " if values.startswith("VALUES") else _NUMBERED_ROWS
            opened = f"INSERT INTO {table} ({column}, {columns.lstrip()}) {values}{number}"
            text = text[: insert.start()] + opened + text[insert.end() :]
    text = _KEY.sub("ON CONFLICT (org, ", text)
    parameters: dict[str, None] = {}
    optional: dict[str, None] = {}

    def spell(match: re.Match[str]) -> str:
        name, is_null = match.groups()
        if name:
            parameters[name] = None
            if is_null:
                optional[name] = None
                name = _IS_NULL.format(name)
            return f"%({name})s"
        return match.group().replace("%", "%%")

    spelt = _WORD.sub(spell, text)
    names = tuple(name for name in parameters if name != NEW_NUMBER)
    return ServerStatement(spelt, names, numbers, tuple(optional))


# The first of several rows that come from a query gets the number, the others those after it.
_NUMBERED_ROWS = f"CAST(:{NEW_NUMBER} AS BIGINT) - 1 + ROW_NUMBER() OVER (), "


@cache
def numbered_tables() -> dict[str, str]:
    """Tables whose rows have a number of their own within their organisation, and the column it stands in."""
    schema = sql.read(f"schema.{DIALECT}.sql")
    keys = ((table, _NUMBER.search(body)) for table, body in _TABLE.findall(schema))
    return {table: match.group(1) for table, match in keys if match}


@cache
def tables_in_order() -> tuple[str, ...]:
    """The tables as the schema makes them: one that others point to comes before them."""
    return tuple(table for table, _ in _TABLE.findall(sql.read(f"schema.{DIALECT}.sql")))


def fill_template(name: str, **words: str | int) -> str:
    """A statement over names that are known only when it runs."""
    text = sql.templates(DIALECT)[name]
    for word, value in words.items():
        text = re.sub(rf"@{word}\b", str(value), text)
    return text
