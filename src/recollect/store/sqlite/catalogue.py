"""The catalogue of a SQLite file: which tables of ours it has, and statements made for them from templates."""

from __future__ import annotations

from recollect.model.value import dataclass
from recollect.store import sql
from recollect.store.sqlite.driver import DIALECT, SqliteDb


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table as the catalogue describes it."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    numbered: bool


def list_tables(db: SqliteDb) -> list[Table]:
    """Every table that holds rows of ours; what SQLite and the search index keep for themselves is made anew."""
    tables = []
    for row in db.rows("tables_all"):
        columns = db.rows("table_columns", table=row["name"])
        tables.append(
            Table(
                name=row["name"],
                columns=tuple(column["name"] for column in columns),
                key=tuple(
                    column["name"] for column in sorted(columns, key=lambda c: c["pk"]) if column["pk"]
                ),
                numbered=not row["wr"],
            )
        )
    return tables


def fill_template(name: str, **words: str) -> str:
    """A statement for a table that is known by the catalogue alone."""
    text = sql.templates(DIALECT)[name]
    for word, value in words.items():
        text = text.replace(f"@{word}", value)
    return text


def quote_name(name: str) -> str:
    """A name as SQL writes it, whatever it holds."""
    return '"' + name.replace('"', '""') + '"'


def list_columns(columns: tuple[str, ...]) -> str:
    """Names of columns as SQL lists them."""
    return ", ".join(quote_name(column) for column in columns)
