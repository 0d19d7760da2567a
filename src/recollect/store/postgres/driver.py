"""
The PostgreSQL driver, on psycopg.

Each organisation's rows are its own: they carry its number, the database shows no others, and its writers take turns.
Taking turns is what SQLite does as well: a look for duplicates holds until what was looked for is written, and numbers
grow in the order in which others see them.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
from operator import itemgetter
from typing import Any

from recollect.errors import BadInput, NotFound, StoreReadOnly, StoreUnavailable
from recollect.model.viewer import Viewer
from recollect.store.db import Row, T
from recollect.store.postgres import connections, errors
from recollect.store.postgres.connections import Connection, Connections, find_standing
from recollect.store.postgres.errors import ServerErrors
from recollect.store.postgres.statements import NEW_NUMBER, ServerStatement, fill_template, find_statement
from recollect.store.postgres.table_access import PostgresTables

# So long a reader waits for a writer, to count that something was read.
_HARDLY_MILLISECONDS = 50
# Between two tries of what was cut off.
_PAUSE_SECONDS = 0.1
# So many rows of a change are sent at once.
_AT_ONCE = 500

Tracer = Callable[[str, dict[str, object]], None]
# The columns and the rows of a query.
Answer = tuple[tuple[str, ...], list[tuple[Any, ...]]]


class PostgresDb:
    """One organisation's part of a database; threads take turns."""

    # The database files words under the terms that we make of them.
    makes_terms = False
    has_cell_functions = False

    def __init__(
        self,
        shared: Connections,
        organisation: int,
        path: str,
        *,
        read_only: bool = False,
        viewer: Viewer | None = None,
    ) -> None:
        self.path = path
        self.read_only = read_only
        self.organisation = organisation
        # The person for whom it was opened, if it was for one.
        self.viewer = viewer
        self._standing = find_standing(organisation, viewer)
        self.losses: tuple[str, ...] = ()
        # What was read inside a transaction that was taken back never was; who kept it compares this number.
        self.rollbacks = 0
        self.tracer: Tracer | None = None
        self.shared = shared
        self.keeps_near_vectors = shared.has_near_vectors
        self._lock = threading.RLock()
        self._translated = ServerErrors(path)
        # The connection of the transaction or moment that is open now.
        self._connection: Connection | None = None
        self._depth = 0
        self._is_moment = False
        self._wait_milliseconds = errors.LOCK_SECONDS * 1000
        self._numbers: dict[str, int] = {}
        self._commits = 0
        self._changes = 0
        # Rows to be added that nobody has waited for yet.
        self._waiting: list[tuple[ServerStatement, dict[str, object]]] = []

    def rows(self, query: str, /, **parameters: object) -> list[Row]:
        """All rows of a query."""
        columns, rows = self._ask(query, parameters)
        return [dict(zip(columns, row, strict=True)) for row in rows]

    def row(self, query: str, /, **parameters: object) -> Row | None:
        """The first row of a query, if any."""
        rows = self.rows(query, **parameters)
        return rows[0] if rows else None

    def tuples(self, query: str, /, **parameters: object) -> list[tuple[Any, ...]]:
        """All rows as bare tuples, for reads of many thousands."""
        return self._ask(query, parameters)[1]

    def run(self, query: str, /, **parameters: object) -> int:
        """Change something; how many rows were changed."""
        with self._ensured():
            return self._change(query, parameters)

    def run_many(self, query: str, parameters: Iterable[dict[str, object]]) -> None:
        """The same change once per set of parameters."""
        statement = find_statement(query)
        with self._ensured(), self._translated:
            sets = [self._with_number(statement, one) for one in parameters]
            if self.tracer:
                for one in sets:
                    self.tracer(query, one)
            self._send_many(statement, sets)

    def run_tuples(self, query: str, rows: Iterable[tuple[object, ...]]) -> None:
        """The same change once per row, its values in the order the query names them; for many thousands."""
        statement = find_statement(query)
        with self._ensured(), self._translated:
            if self.tracer:
                self.tracer(query, {})
            sets = (dict(zip(statement.parameters, row, strict=True)) for row in rows)
            self._send_many(statement, [self._with_number(statement, one) for one in sets])

    def insert(self, query: str, /, **parameters: object) -> int:
        """Add one row; its number."""
        with self._ensured():
            self._change(query, parameters)
            return self._numbers[find_statement(query).numbers]

    def insert_many(self, query: str, parameters: Iterable[dict[str, object]]) -> Sequence[int]:
        """Add rows; their numbers, one after the other. Inside a transaction."""
        table = find_statement(query).numbers
        with self._ensured():
            first = self._numbers.get(table, 0) + 1
            self.run_many(query, parameters)
            return range(first, self._numbers.get(table, 0) + 1)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing; inside another one, a savepoint."""
        with self._lock:
            if self.read_only:
                raise StoreReadOnly(path=self.path, reason="it was opened to be read only")
            with self._nested() if self._depth else self._whole():
                yield

    def retried(self, act: Callable[[], T]) -> T:
        """Do what is one transaction; again where the server went away before it was confirmed."""
        until = time.monotonic() + connections.PATIENCE_SECONDS
        while True:
            try:
                return act()
            except StoreUnavailable:
                if self._connection is not None or time.monotonic() > until:
                    raise
                time.sleep(_PAUSE_SECONDS)

    @contextmanager
    def one_moment(self) -> Iterator[None]:
        """Every read inside sees the database as it is now."""
        with self._lock:
            if self._connection is not None:
                yield
                return
            with self._begun("begin_moment"):
                self._is_moment = True
                try:
                    yield
                finally:
                    self._is_moment = False

    def version(self) -> tuple[int, int]:
        """A value that stays the same as long as nothing has changed: neither here nor by another process."""
        with self._lock:
            if self._connection is not None:
                return self._commits, self._changes
            return int(self.tuples("organisation_commits")[0][0]), 0

    def tokens(self, text: str) -> list[str]:
        """The terms under which the full-text index files this text."""
        return self.shared.tokenizer.terms(text)

    def has_vector_functions(self) -> bool:
        """Whether pgvector keeps this database's vectors as well."""
        return self.keeps_near_vectors

    def as_vector(self, vector: bytes) -> object:
        """As pgvector writes it."""
        return "[" + ",".join(map(repr, memoryview(vector).cast("f"))) + "]"

    def wait_at_most(self, milliseconds: int) -> None:
        """How long to wait for another writer before giving up."""
        self._wait_milliseconds = milliseconds

    @contextmanager
    def hardly_waiting(self) -> Iterator[None]:
        """Inside, another writer is not waited for: what is written there can be done another time."""
        with self._lock:
            before = self._wait_milliseconds
            self._wait_milliseconds = min(before, _HARDLY_MILLISECONDS)
            try:
                yield
            finally:
                self._wait_milliseconds = before

    def backup_to(self, target: str, progress: Callable[[int, int], None] | None = None) -> None:
        """A server's database has its own tools for that."""
        raise BadInput(
            reason=f"{self.path} is backed up by pg_dump or by its server; `recollect move` copies it to a file"
        )

    def access_tables(self) -> PostgresTables:
        """The rows of every table, whatever it is called."""
        return PostgresTables(self)

    def statement(self, text: str, parameters: Sequence[object] = (), *, changes: bool = False) -> list[Any]:
        """The rows of a statement made from a template; inside a transaction or a moment."""
        with self._lock, self._translated:
            assert self._connection is not None
            self._flush()
            cursor = self._connection.cursor(binary=True).execute(text.encode(), parameters or None)
            self._changes += changes
            return cursor.fetchall() if cursor.description else []

    def statements(self, text: str, rows: Sequence[tuple[Any, ...]]) -> None:
        """The same statement, made from a template, once per row; inside a transaction."""
        with self._lock, self._translated:
            assert self._connection is not None
            self._flush()
            for start in range(0, len(rows), _AT_ONCE):
                self._connection.cursor().executemany(text.encode(), rows[start : start + _AT_ONCE])
            self._changes += len(rows)

    def give_numbers(self, highest: Mapping[str, int]) -> None:
        """From now on new rows are numbered after these; inside a transaction."""
        for table, number in highest.items():
            self._numbers[table] = max(self._numbers.get(table, 0), number)

    def overwrite_deleted_rows(self) -> None:
        """What a deleted row leaves behind is the server's: see `scrub`."""

    def scrub(self) -> None:
        """The server takes deleted rows out of its files by itself (autovacuum); its log and backups are its own."""

    def close(self) -> None:
        """Give the connections back."""
        self.shared.close()

    @contextmanager
    def _ensured(self) -> Iterator[None]:
        """A transaction of its own, unless one is open: a single change needs no savepoint."""
        with self._lock:
            if self._depth and not self._is_moment:
                yield
                return
            with self.transaction():
                yield

    @contextmanager
    def _whole(self) -> Iterator[None]:
        with self._begun("begin_change"):
            yield
            if self._changes:
                counted: dict[str, object] = {"numbers": json.dumps(self._numbers)}
                with self._translated:
                    self._send(find_statement("organisation_count"), counted, self._connection)

    @contextmanager
    def _begun(self, template: str) -> Iterator[None]:
        """A transaction from its beginning to its end; it begins again where the server was away."""
        with self._translated:
            borrowed, connection = connections.retry_passing(lambda: self._begin(template))
        self._connection, self._depth = connection, 1
        try:
            yield
            with self._translated:
                self._flush()
                connection.execute(b"COMMIT")
        except BaseException:
            self.rollbacks += 1
            self._roll_back(connection)
            raise
        finally:
            self._connection, self._depth, self._changes = None, 0, 0
            self._waiting.clear()
            borrowed.__exit__(None, None, None)

    def _begin(self, template: str) -> tuple[Any, Connection]:
        borrowed = self.shared.borrow()
        connection = borrowed.__enter__()
        try:
            opening = fill_template(template, **self._standing._asdict(), wait=self._wait_milliseconds)
            cursor = connection.execute(opening.encode())
            while cursor.nextset():
                pass
            row = cursor.fetchone()
            if row is None:
                raise NotFound(what="organisation", name=self.path)
            self._commits, self._numbers = int(row[0]), json.loads(row[1])
        except BaseException:
            self._roll_back(connection)
            borrowed.__exit__(None, None, None)
            raise
        return borrowed, connection

    @contextmanager
    def _nested(self) -> Iterator[None]:
        assert self._connection is not None
        connection, name = self._connection, f"nested_{self._depth}"
        if self._is_moment:
            raise RuntimeError("a change cannot begin inside a moment that is only read")
        numbers = dict(self._numbers)
        with self._translated:
            self._flush()
            connection.execute(f"SAVEPOINT {name}".encode())
        self._depth += 1
        try:
            yield
            with self._translated:
                self._flush()
                connection.execute(f"RELEASE {name}".encode())
        except BaseException:
            self.rollbacks += 1
            self._numbers = numbers
            self._waiting.clear()
            if not connection.closed and not connection.broken:
                connection.execute(f"ROLLBACK TO {name}; RELEASE {name}".encode())
            raise
        finally:
            self._depth -= 1

    @staticmethod
    def _roll_back(connection: Connection) -> None:
        if not connection.closed and not connection.broken:
            connection.execute(b"ROLLBACK")

    def _ask(
        self, query: str, parameters: dict[str, object]
    ) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """The columns and rows of a query; one that changes something belongs to a transaction."""
        statement = find_statement(query)
        with self._lock:
            if self.tracer:
                self.tracer(query, parameters)
            if self._connection is not None:
                with self._translated:
                    return self._read(statement, parameters, self._connection)
            if not statement.is_read:
                with self.transaction():
                    return self._ask(query, parameters)
            if self.shared.is_behind_pooler:
                with self.one_moment():
                    return self._ask(query, parameters)
            with self._translated:
                return connections.retry_passing(lambda: self._read_alone(statement, parameters))

    def _read_alone(self, statement: ServerStatement, parameters: dict[str, object]) -> Answer:
        with self.shared.borrow() as connection:
            self.shared.set_standing(connection, self._standing)
            return self._read(statement, parameters, connection)

    def _read(
        self, statement: ServerStatement, parameters: dict[str, object], connection: Connection
    ) -> Answer:
        cursor = self._send(statement, parameters, connection)
        if cursor.description is None:
            return (), []
        if not statement.is_read:
            self._changes += 1
        return tuple(column.name for column in cursor.description), cursor.fetchall()

    def _change(self, query: str, parameters: dict[str, object]) -> int:
        statement = find_statement(query)
        if self.tracer:
            self.tracer(query, parameters)
        numbered = self._with_number(statement, parameters)
        if statement.adds_one_row:  # what it will say is known: it goes with the next that is waited for
            self._waiting.append((statement, numbered))
            self._changes += 1
            return 1
        with self._translated:
            cursor = self._send(statement, numbered, self._connection)
        changed = max(int(cursor.rowcount), 0)
        if statement.numbers and changed > 1:  # rows that come from a query take the numbers after the first
            self._numbers[statement.numbers] += changed - 1
        self._changes += changed
        return changed

    def _send(
        self, statement: ServerStatement, parameters: dict[str, object], connection: Connection | None
    ) -> Any:
        assert connection is not None
        self._flush()
        cursor = connection.cursor(binary=True)
        return cursor.execute(statement.text.encode(), statement.bind(parameters))

    def _send_many(self, statement: ServerStatement, sets: list[dict[str, object]]) -> None:
        for one in sets:
            self._waiting.append((statement, one))
            if len(self._waiting) >= _AT_ONCE:
                self._flush()
        self._changes += len(sets)

    def _flush(self) -> None:
        """Send the rows that wait to be added, all in one go."""
        if not self._waiting or self._connection is None:
            return
        waiting, self._waiting = self._waiting, []
        with self._connection.pipeline():
            for statement, group in groupby(waiting, key=itemgetter(0)):
                rows = [statement.bind(parameters) for _, parameters in group]
                self._connection.cursor().executemany(statement.text.encode(), rows)

    def _with_number(self, statement: ServerStatement, parameters: dict[str, object]) -> dict[str, object]:
        """The parameters, with the number after the last for a new row of a numbered table."""
        if not statement.numbers:
            return parameters
        number = self._numbers.get(statement.numbers, 0) + 1
        self._numbers[statement.numbers] = number
        return {**parameters, NEW_NUMBER: number}
