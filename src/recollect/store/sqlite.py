"""The SQLite driver, on apsw alone: a second SQLite library in the process would drop this one's locks."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import apsw

from recollect.errors import (
    NotOurStore,
    SqliteTooOld,
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreMissing,
    StoreReadOnly,
)
from recollect.store import sql
from recollect.store.db import Row

DIALECT = "sqlite"
APPLICATION_ID = 0x7265636F  # "reco"
NEEDED = (3, 51, 3)
BUSY_SECONDS = 10

# One statement per execute: a pragma that returns a row would stop the ones after it.
_PRAGMAS: tuple[tuple[str, object], ...] = (
    ("foreign_keys", 1),
    ("synchronous", 2),  # FULL: NORMAL loses acknowledged writes when the power goes
    ("trusted_schema", 0),
    ("temp_store", 2),
    ("cache_size", -16_000),
    ("mmap_size", 268_435_456),
)

Tracer = Callable[[str, dict[str, object]], None]


class SqliteDb:
    """One connection to one file; threads take turns."""

    def __init__(self, connection: apsw.Connection, path: str, *, read_only: bool) -> None:
        self.path = path
        self.read_only = read_only
        self.tracer: Tracer | None = None
        self._connection = connection
        self._queries = sql.queries(DIALECT)
        self._columns: dict[str, tuple[str, ...]] = {}
        self._lock = threading.RLock()
        self._depth = 0
        self._vector_functions: bool | None = None

    def rows(self, query: str, /, **parameters: object) -> list[Row]:
        """All rows of a query."""
        with self._lock, wrap_errors(self.path):
            cursor = self._execute(query, parameters)
            columns = self._columns.get(query)
            if columns is None:
                try:
                    columns = tuple(column[0] for column in cursor.getdescription())
                except apsw.ExecutionCompleteError:  # no row came, so there is nothing to name
                    return []
                self._columns[query] = columns
            return [dict(zip(columns, row, strict=True)) for row in cursor]

    def row(self, query: str, /, **parameters: object) -> Row | None:
        """The first row of a query, if any."""
        found = self.rows(query, **parameters)
        return found[0] if found else None

    def tuples(self, query: str, /, **parameters: object) -> list[tuple[Any, ...]]:
        """All rows as bare tuples, for reads of many thousands."""
        with self._lock, wrap_errors(self.path):
            return self._execute(query, parameters).fetchall()

    def run(self, query: str, /, **parameters: object) -> int:
        """Change something; how many rows were changed."""
        with self._lock, wrap_errors(self.path):
            self._execute(query, parameters).fetchall()
            return self._connection.changes()

    def run_many(self, query: str, parameters: Iterable[dict[str, object]]) -> None:
        """The same change once per set of parameters."""
        with self._lock, wrap_errors(self.path):
            self._connection.executemany(self._queries[query], parameters)

    def insert(self, query: str, /, **parameters: object) -> int:
        """Add one row; its number."""
        with self._lock, wrap_errors(self.path):
            self._execute(query, parameters).fetchall()
            return self._connection.last_insert_rowid()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing; inside another one, a savepoint."""
        with self._lock:
            begin, commit, rollback = _SAVEPOINT if self._depth else _WHOLE
            self._step(begin)
            self._depth += 1
            try:
                yield
                self._step(commit)
            except BaseException:
                # SQLite may have rolled back by itself (disk full); then there is nothing left to undo.
                if self._connection.in_transaction:
                    self._step(rollback)
                raise
            finally:
                self._depth -= 1

    def script(self, text: str) -> None:
        """Run the statements of a schema or migration file."""
        with self._lock, wrap_errors(self.path):
            self._connection.execute(text).fetchall()

    def pragma(self, name: str, value: object = None) -> Any:
        """Read, or set and read back, one pragma."""
        with self._lock, wrap_errors(self.path):
            return self._connection.pragma(name, value) if value is not None else self._connection.pragma(name)

    def tokens(self, text: str) -> list[str]:
        """The terms under which the full-text index files this text."""
        tokenizer = self._connection.fts5_tokenizer("porter", ["unicode61", "remove_diacritics", "2"])
        found = tokenizer(text.encode("utf-8", "replace"), apsw.FTS5_TOKENIZE_QUERY, None, include_offsets=False)
        return [str(token) for group in found for token in (group if isinstance(group, tuple) else (group,))]

    def has_vector_functions(self) -> bool:
        """Load sqlite-vec by its path: importing its package would import numpy."""
        with self._lock:
            if self._vector_functions is None:
                self._vector_functions = _load_vec(self._connection)
            return self._vector_functions

    def data_version(self) -> int:
        """Changes whenever another connection has committed."""
        return int(self.pragma("data_version"))

    def backup_to(self, target: str, progress: Callable[[int, int], None] | None = None) -> None:
        """Copy the whole database page by page, while others may go on writing."""
        with self._lock, wrap_errors(target):
            destination = apsw.Connection(target)
            try:
                with destination.backup("main", self._connection, "main") as copy:
                    while not copy.done:
                        copy.step(1000)
                        if progress:
                            progress(copy.page_count - copy.remaining, copy.page_count)
            finally:
                destination.close()

    def close(self) -> None:
        """Give the file back."""
        with self._lock:
            self._connection.close()

    def _execute(self, query: str, parameters: dict[str, object]) -> apsw.Cursor:
        if self.tracer:
            self.tracer(query, parameters)
        return self._connection.execute(self._queries[query], parameters)

    def _step(self, statement: str) -> None:
        with wrap_errors(self.path):
            self._connection.execute(statement).fetchall()


# IMMEDIATE: a transaction that first reads and then writes fails with "busy" when another wrote in between.
_WHOLE = ("BEGIN IMMEDIATE", "COMMIT", "ROLLBACK")
_SAVEPOINT = ("SAVEPOINT nested", "RELEASE nested", "ROLLBACK TO nested")


def connect(path: str, *, create: bool, read_only: bool = False) -> SqliteDb:
    """Open a file (or ":memory:") with every pragma set and checked. The schema is the caller's matter."""
    _check_library()
    if path == ":memory:":
        return _prepared(apsw.Connection(path), path, read_only=False)
    file = Path(path)
    if create and not read_only:
        _make_private(file)
    elif not file.exists():
        raise StoreMissing(path=path)
    with wrap_errors(path):
        _check_is_ours(file)
        flags = apsw.SQLITE_OPEN_READONLY if read_only else apsw.SQLITE_OPEN_READWRITE
        return _prepared(apsw.Connection(path, flags=flags), path, read_only=read_only)


def library_version() -> str:
    """The SQLite we run on."""
    return apsw.sqlite_lib_version()


@contextmanager
def wrap_errors(path: str) -> Iterator[None]:
    """Turn what SQLite says into sentences. What is left over is a mistake of ours and keeps its traceback."""
    try:
        yield
    except apsw.Error as error:
        translated = _TRANSLATED.get(type(error))
        if translated is None:
            raise
        raise translated(path, error) from error


def _check_library() -> None:
    found = tuple(int(part) for part in apsw.sqlite_lib_version().split("."))
    if found < NEEDED:
        raise SqliteTooOld(found=apsw.sqlite_lib_version(), needed=".".join(map(str, NEEDED)))


def _make_private(file: Path) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError as error:
        if error.errno == 28:  # ENOSPC
            raise StoreFull(path=file) from error
        raise StoreReadOnly(path=file, reason=error.strerror or str(error)) from error


def _check_is_ours(file: Path) -> None:
    if file.is_dir() or not stat.S_ISREG(file.stat().st_mode):
        raise NotOurStore(path=file, reason="it is not a file")
    try:
        with file.open("rb") as stream:
            head = stream.read(100)
    except OSError as error:
        raise StoreReadOnly(path=file, reason=error.strerror or str(error)) from error
    if head and not head.startswith(b"SQLite format 3\0"):
        if not head.strip(b"\0"):
            raise StoreCorrupt(path=file, reason="its first page is empty")
        raise NotOurStore(path=file, reason="it is not a database")
    if len(head) == 100 and int.from_bytes(head[68:72], "big") not in (0, APPLICATION_ID):
        raise NotOurStore(path=file, reason="it belongs to another program")


def _prepared(connection: apsw.Connection, path: str, *, read_only: bool) -> SqliteDb:
    db = SqliteDb(connection, path, read_only=read_only)
    connection.set_busy_timeout(BUSY_SECONDS * 1000)
    try:
        for name, value in _PRAGMAS:
            db.pragma(name, value)
        if not read_only and path != ":memory:" and db.pragma("journal_mode", "wal") != "wal":
            raise StoreError(path=path, reason="its file system does not allow a write-ahead log")
        _assert_pragmas(db)
    except BaseException:
        connection.close()
        raise
    return db


def _assert_pragmas(db: SqliteDb) -> None:
    for name, value in _PRAGMAS:
        found = db.pragma(name)
        if name != "mmap_size" and found != value:  # a build may cap mmap; that costs speed, not safety
            raise StoreError(path=db.path, reason=f"pragma {name} stayed {found!r} instead of {value!r}")


def _load_vec(connection: apsw.Connection) -> bool:
    spec = find_spec("sqlite_vec")
    if spec is None or not spec.origin:
        return False
    try:
        connection.enable_load_extension(True)
        connection.load_extension(str(Path(spec.origin).parent / "vec0"))
    except apsw.ExtensionLoadingError:  # a platform without the binary: numpy does the same work
        return False
    finally:
        connection.enable_load_extension(False)
    return True


def _busy(path: str, _: apsw.Error) -> StoreError:
    return StoreBusy(path=path, seconds=BUSY_SECONDS)


def _full(path: str, _: apsw.Error) -> StoreError:
    return StoreFull(path=path)


def _read_only(path: str, error: apsw.Error) -> StoreError:
    return StoreReadOnly(path=path, reason=str(error))


def _corrupt(path: str, error: apsw.Error) -> StoreError:
    return StoreCorrupt(path=path, reason=str(error))


def _foreign(path: str, error: apsw.Error) -> StoreError:
    return NotOurStore(path=path, reason=str(error))


def _refused(path: str, error: apsw.Error) -> StoreError:
    return StoreError(path=path, reason=str(error))


_TRANSLATED: dict[type[apsw.Error], Callable[[str, apsw.Error], StoreError]] = {
    apsw.BusyError: _busy,
    apsw.LockedError: _busy,
    apsw.FullError: _full,
    apsw.ReadOnlyError: _read_only,
    apsw.PermissionsError: _read_only,
    apsw.CantOpenError: _read_only,
    apsw.CorruptError: _corrupt,
    apsw.NotADBError: _foreign,
    apsw.IOError: _refused,
    apsw.NoMemError: _refused,
    apsw.ProtocolError: _busy,
    apsw.NoLFSError: _refused,
    apsw.TooBigError: _refused,
    apsw.InterruptError: _refused,
    apsw.AbortError: _refused,
    apsw.AuthError: _refused,
    apsw.SchemaChangeError: _busy,
}
