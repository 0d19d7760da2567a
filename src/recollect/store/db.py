"""The `Db` protocol: all that the rest of the code may ask of a database, whatever engine is behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from recollect.model.value import dataclass

if TYPE_CHECKING:
    from recollect.model.viewer import Viewer

Row = dict[str, Any]
T = TypeVar("T")


class CommitCount(Protocol):
    """Counts commits inside the database and tells the number outside it."""

    def count(self) -> int:
        """One more; part of the transaction that is about to be committed."""
        ...

    def committed(self, number: int) -> None:
        """That one is on disk now."""
        ...

    def close(self) -> None:
        """No more will come."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTable:
    """A table of ours: its columns, and those of them that tell its rows apart."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]


class TableAccess(Protocol):
    """Rows of any table, for what is done to a whole store: moving it, taking a text out of it."""

    def tables(self) -> list[StoredTable]:
        """Every table that holds rows of ours, those first that others point to."""
        ...

    def read(self, table: StoredTable, after: tuple[object, ...], limit: int) -> list[tuple[Any, ...]]:
        """Rows in the order of their key, from the first behind `after` (empty: from the first of all)."""
        ...

    def count(self, table: StoredTable) -> int:
        """How many rows a table has."""
        ...

    def add(self, table: StoredTable, columns: tuple[str, ...], rows: Sequence[tuple[Any, ...]]) -> None:
        """New rows."""
        ...

    def change(self, table: StoredTable, key: tuple[Any, ...], changes: Mapping[str, object]) -> None:
        """Some columns of one row say something else; a row in its way goes."""
        ...

    def drop(self, table: StoredTable, key: tuple[Any, ...]) -> None:
        """One row goes."""
        ...

    def clear(self) -> None:
        """Every row of every table goes, but for what the store knows of itself."""
        ...

    def settle_numbers(self) -> None:
        """New rows are numbered after those that were added."""
        ...


class Db(Protocol):
    """An open database, whatever engine is behind it. Names are those in `store/sql`; parameters are named too."""

    path: str
    read_only: bool
    # What is known to be missing, noticed when the store was opened.
    losses: tuple[str, ...]
    # Whether the full-text index makes terms of words by itself; else it is given the terms.
    makes_terms: bool
    # Whether vectors are kept a second time, as the database's own functions take them.
    keeps_near_vectors: bool
    # Whether cells of like vectors can be looked through by functions of the database.
    has_cell_functions: bool
    # How often a transaction was taken back: what was read inside one that was never happened.
    rollbacks: int
    # The person for whom it was opened, where several share it; None: it shows everything.
    viewer: Viewer | None

    def rows(self, query: str, /, **parameters: object) -> list[Row]:
        """All rows of a query."""
        ...

    def row(self, query: str, /, **parameters: object) -> Row | None:
        """The first row of a query, if any."""
        ...

    def tuples(self, query: str, /, **parameters: object) -> list[tuple[Any, ...]]:
        """All rows of a query as tuples, which cost less than dictionaries."""
        ...

    def run(self, query: str, /, **parameters: object) -> int:
        """Change something; how many rows were changed."""
        ...

    def run_many(self, query: str, parameters: Iterable[dict[str, object]]) -> None:
        """The same change once per set of parameters."""
        ...

    def run_tuples(self, query: str, rows: Iterable[tuple[object, ...]]) -> None:
        """The same change once per row, its parameters in the order of the query."""
        ...

    def insert(self, query: str, /, **parameters: object) -> int:
        """Add one row; its number."""
        ...

    def insert_many(self, query: str, parameters: Iterable[dict[str, object]]) -> Sequence[int]:
        """Add rows; their numbers, one after the other. Inside a transaction."""
        ...

    def transaction(self) -> AbstractContextManager[None]:
        """All or nothing; inside another one, a savepoint."""
        ...

    def retried(self, act: Callable[[], T]) -> T:
        """Do what is one transaction; again where the server went away before it was confirmed."""
        ...

    def one_moment(self) -> AbstractContextManager[None]:
        """Every read inside sees the database as it is now."""
        ...

    def version(self) -> tuple[int, int]:
        """A value that stays the same as long as nothing has changed, here or by another process."""
        ...

    def tokens(self, text: str) -> list[str]:
        """The terms under which the full-text index files this text."""
        ...

    def has_vector_functions(self) -> bool:
        """Whether the database itself can compute distances of vectors."""
        ...

    def as_vector(self, vector: bytes) -> object:
        """A vector as the database's own functions take it."""
        ...

    def wait_at_most(self, milliseconds: int) -> None:
        """How long to wait for another writer before giving up."""
        ...

    def hardly_waiting(self) -> AbstractContextManager[None]:
        """Inside, another writer is not waited for: what is written there can be done another time."""
        ...

    def backup_to(self, target: str, progress: Callable[[int, int], None] | None = None) -> None:
        """Copy the whole database to a new file, while others may go on writing."""
        ...

    def access_tables(self) -> TableAccess:
        """The rows of every table, whatever it is called."""
        ...

    def overwrite_deleted_rows(self) -> None:
        """From now on a deleted row is zeroed where it lay."""
        ...

    def scrub(self) -> None:
        """Write the database anew without what was deleted."""
        ...

    def close(self) -> None:
        """Give the file back."""
        ...
