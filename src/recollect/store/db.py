"""What the table modules ask of a database: run a named query, and hold several together."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Any, Protocol

Row = dict[str, Any]


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


class Db(Protocol):
    """An open database. Names are those in `store/sql`; parameters are named too."""

    path: str
    read_only: bool

    def rows(self, query: str, /, **parameters: object) -> list[Row]:
        """All rows of a query."""
        ...

    def row(self, query: str, /, **parameters: object) -> Row | None:
        """The first row of a query, if any."""
        ...

    def run(self, query: str, /, **parameters: object) -> int:
        """Change something; how many rows were changed."""
        ...

    def run_many(self, query: str, parameters: Iterable[dict[str, object]]) -> None:
        """The same change once per set of parameters."""
        ...

    def insert(self, query: str, /, **parameters: object) -> int:
        """Add one row; its number."""
        ...

    def transaction(self) -> AbstractContextManager[None]:
        """All or nothing; inside another one, a savepoint."""
        ...

    def close(self) -> None:
        """Give the file back."""
        ...
