"""The SQLite driver, on apsw alone: a second SQLite library in the process would drop this one's locks."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw

from recollect.errors import (
    NotOurStore,
    SqliteTooOld,
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreMissing,
    StoreReadOnly,
)
from recollect.store import sql
from recollect.store.db import CommitCount, Row, T
from recollect.store.sqlite import errors
from recollect.store.sqlite.errors import TranslatedErrors
from recollect.store.sqlite.files import (
    ensure_private_file,
    find_network,
    has_commit_count,
    is_on_read_only_mount,
)
from recollect.store.sqlite.table_access import SqliteTables
from recollect.store.sqlite.tokenizer import Tokenizer

if TYPE_CHECKING:
    from recollect.model.viewer import Viewer

DIALECT = "sqlite"
APPLICATION_ID = 0x7265636F  # "reco"
MAGIC = b"SQLite format 3\0"
NEEDED = (3, 51, 3)

# One statement per execute: a pragma that returns a row would stop the ones after it.
_PRAGMAS: tuple[tuple[str, object], ...] = (
    ("foreign_keys", 1),
    ("synchronous", 2),  # FULL: NORMAL loses acknowledged writes when the power goes
    ("trusted_schema", 0),
    ("temp_store", 2),
    ("cache_size", -16_000),
    ("mmap_size", 268_435_456),
)
# A network file system has neither shared memory for a log nor pages that stay what they were.
_ON_A_NETWORK = {"mmap_size": 0}

# So long a reader waits for a writer, to count that something was read.
_HARDLY_MILLISECONDS = 50

Tracer = Callable[[str, dict[str, object]], None]


class SqliteDb:
    """One connection to one file; threads take turns."""

    makes_terms = True
    keeps_near_vectors = False
    has_cell_functions = True

    def __init__(self, connection: apsw.Connection, path: str, *, read_only: bool, network: str = "") -> None:
        self.path = path
        self.read_only = read_only
        # The network file system it lies on, if it does.
        self.network = network
        # Whoever opens a store sets these: who counts its commits, and what is known to be missing.
        self.commits: CommitCount | None = None
        self.losses: tuple[str, ...] = ()
        self.tracer: Tracer | None = None
        # The person for whom it was opened, if it was for one.
        self.viewer: Viewer | None = None
        self._find_query: Callable[[str], str] = partial(sql.query, DIALECT)
        self._connection = connection
        self._columns: dict[str, tuple[str, ...]] = {}
        self._lock = threading.RLock()
        self._translated = TranslatedErrors(path)
        self._depth = 0
        # The version of the moment in which all is read now, if there is one.
        self._at: tuple[int, int] | None = None
        # What was read inside a transaction that was taken back never was; who kept it compares this number.
        self.rollbacks = 0
        self._vector_functions: bool | None = None
        self._tokenizer = Tokenizer(connection)

    def rows(self, query: str, /, **parameters: object) -> list[Row]:
        """All rows of a query."""
        with self._lock, self._translated:
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
        rows = self.rows(query, **parameters)
        return rows[0] if rows else None

    def tuples(self, query: str, /, **parameters: object) -> list[tuple[Any, ...]]:
        """All rows as bare tuples, for reads of many thousands."""
        with self._lock, self._translated:
            return self._execute(query, parameters).fetchall()

    def run(self, query: str, /, **parameters: object) -> int:
        """Change something; how many rows were changed."""
        with self._lock, self._translated:
            self._execute(query, parameters).fetchall()
            return self._connection.changes()

    def run_many(self, query: str, parameters: Iterable[dict[str, object]]) -> None:
        """The same change once per set of parameters."""
        with self._lock, self._translated:
            self._connection.executemany(self._text(query), self._trace(query, parameters))

    def run_tuples(self, query: str, rows: Iterable[tuple[object, ...]]) -> None:
        """The same change once per row, its values in the order the query names them; for many thousands."""
        with self._lock, self._translated:
            if self.tracer:
                self.tracer(query, {})
            self._connection.executemany(self._text(query), rows)

    def insert(self, query: str, /, **parameters: object) -> int:
        """Add one row; its number."""
        with self._lock, self._translated:
            self._execute(query, parameters).fetchall()
            return self._connection.last_insert_rowid()

    def insert_many(self, query: str, parameters: Iterable[dict[str, object]]) -> Sequence[int]:
        """Add rows; their numbers, one after the other. Inside a transaction: nobody else adds any meanwhile."""
        with self._lock, self._translated:
            rows = list(parameters)
            if not rows:
                return ()
            self._connection.executemany(self._text(query), self._trace(query, rows))
            last = self._connection.last_insert_rowid()
            return range(last - len(rows) + 1, last + 1)

    def statement(self, text: str, parameters: Any = ()) -> Iterator[tuple[Any, ...]]:
        """The rows of a statement made from a template, as far as they can be read."""
        with self._lock, self._translated:
            yield from self._connection.execute(text, parameters)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing; inside another one, a savepoint."""
        with self._lock:
            begin, commit, rollback = _SAVEPOINT if self._depth else _WHOLE
            self._step(begin)
            self._depth += 1
            changes = self._connection.total_changes()
            try:
                yield
                number = self._count_commit(changes)
                self._step(commit)
                if number is not None and self.commits:
                    self.commits.committed(number)
            except BaseException:
                self.rollbacks += 1
                # SQLite may have rolled back by itself (disk full); then there is nothing left to undo.
                if self._connection.in_transaction:
                    self._step(rollback)
                raise
            finally:
                self._depth -= 1

    def retried(self, act: Callable[[], T]) -> T:
        """A file does not go away."""
        return act()

    @contextmanager
    def one_moment(self) -> Iterator[None]:
        """Every read inside sees the database as it is now; and costs less, since the file is locked once."""
        with self._lock:
            if self._connection.in_transaction:
                yield
                return
            self._step(_BEGIN_READ)
            self._at = self.version()
            try:
                yield
            finally:
                self._at = None
                self._step("ROLLBACK")

    def version(self) -> tuple[int, int]:
        """A value that stays the same as long as nothing has changed: neither here nor by another process."""
        with self._lock, self._translated:
            if self._at is not None:
                return self._at
            if not self._connection.in_transaction:
                self._connection.pragma("data_version")  # SQLite learns of other processes when it reads
            return self._connection.data_version(), self._connection.total_changes()

    def script(self, text: str) -> None:
        """Run the statements of a schema or migration file."""
        with self._lock, TranslatedErrors(self.path, is_schema_sound=False):
            self._connection.execute(text).fetchall()

    def pragma(self, name: str, value: object = None) -> Any:
        """Read, or set and read back, one pragma."""
        with self._lock, self._translated:
            return (
                self._connection.pragma(name, value) if value is not None else self._connection.pragma(name)
            )

    def wait_at_most(self, milliseconds: int) -> None:
        """How long to wait for another writer before giving up."""
        self.pragma("busy_timeout", milliseconds)

    @contextmanager
    def hardly_waiting(self) -> Iterator[None]:
        """Inside, another writer is not waited for: what is written there can be done another time."""
        with self._lock:
            before = int(self.pragma("busy_timeout"))
            self.wait_at_most(min(before, _HARDLY_MILLISECONDS))
            try:
                yield
            finally:
                self.wait_at_most(before)

    def tokens(self, text: str) -> list[str]:
        """The terms under which the full-text index files this text."""
        return self._tokenizer.terms(text)

    def has_vector_functions(self) -> bool:
        """Load sqlite-vec by its path: importing its package would import numpy."""
        with self._lock:
            if self._vector_functions is None:
                self._vector_functions = _load_vec(self._connection)
            return self._vector_functions

    def as_vector(self, vector: bytes) -> object:
        """Its bytes."""
        return vector

    def backup_to(self, target: str, progress: Callable[[int, int], None] | None = None) -> None:
        """Copy the whole database page by page, while others may go on writing."""
        with self._lock, TranslatedErrors(target):
            destination = apsw.Connection(target)
            try:
                destination.set_busy_timeout(_busy_milliseconds())
                # Without it, every commit of another process would start the copy anew.
                with self.one_moment(), destination.backup("main", self._connection, "main") as copy:
                    while not copy.done:
                        copy.step(1000)
                        if progress:
                            progress(copy.page_count - copy.remaining, copy.page_count)
            finally:
                destination.close()

    def access_tables(self) -> SqliteTables:
        """The rows of every table, whatever it is called."""
        return SqliteTables(self)

    def statements(self, text: str, rows: Iterable[Sequence[object]]) -> None:
        """The same statement, made from a template, once per row."""
        with self._lock, self._translated:
            self._connection.executemany(text, rows)

    def overwrite_deleted_rows(self) -> None:
        """From now on a deleted row is zeroed where it lay, not only given up."""
        self.pragma("secure_delete", 1)

    def scrub(self) -> None:
        """Write the file anew without what was deleted, and empty the log; a full disk leaves that for later."""
        with self._lock, self._translated:
            for statement in ("VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"):
                with suppress(apsw.FullError):
                    self._connection.execute(statement).fetchall()

    def close(self) -> None:
        """Give the file back."""
        with self._lock, self._translated:
            if self.commits:
                self.commits.close()
            self._connection.close()

    def _count_commit(self, changes: int) -> int | None:
        """The number of the commit to come; none inside another one, or if nothing has changed since."""
        if self._depth > 1 or self.commits is None or self._connection.total_changes() == changes:
            return None
        return self.commits.count()

    def _trace(self, query: str, sets: Iterable[dict[str, object]]) -> Iterator[dict[str, object]]:
        for parameters in sets:
            if self.tracer:
                self.tracer(query, parameters)
            yield parameters

    def _execute(self, query: str, parameters: dict[str, object]) -> apsw.Cursor:
        if self.tracer:
            self.tracer(query, parameters)
        return self._connection.execute(self._text(query), parameters)

    def set_viewer(self, viewer: Viewer) -> None:
        """From now on named queries read what this person may see."""
        # Loaded here: a memory of one person has no views.
        from recollect.store.sqlite.visible import find_query, make_views

        self.script(make_views(viewer))
        self.viewer = viewer
        self._find_query = find_query

    def _text(self, query: str) -> str:
        return self._find_query(query)

    def _step(self, statement: str) -> None:
        with self._translated:
            self._connection.execute(statement).fetchall()


_BEGIN_READ = "BEGIN; SELECT 1 FROM sqlite_schema LIMIT 1"
# IMMEDIATE: a transaction that first reads and then writes fails with "busy" when another wrote in between.
_WHOLE = ("BEGIN IMMEDIATE", "COMMIT", "ROLLBACK")
# A savepoint outlives its rollback: left in place, it would stand in for the one around it, of the same name.
_SAVEPOINT = ("SAVEPOINT nested", "RELEASE nested", "ROLLBACK TO nested; RELEASE nested")


def connect(path: str, *, create: bool, read_only: bool = False) -> SqliteDb:
    """Open a file (or ":memory:") with every pragma set and checked. The schema is the caller's matter."""
    _check_library()
    if path == ":memory:":
        return _prepare(apsw.Connection(path), path, read_only=False)
    file = Path(path)
    if create and not read_only:
        ensure_private_file(file)
    elif not file.exists():
        raise StoreMissing(path=path)
    with TranslatedErrors(path):
        _check_is_ours(file)
        connection = _open_connection(file, read_only=read_only)
        return _prepare(connection, path, read_only=read_only, network=find_network(file))


def library_version() -> str:
    """The SQLite we run on."""
    return apsw.sqlite_lib_version()


def _check_library() -> None:
    version = tuple(int(part) for part in apsw.sqlite_lib_version().split("."))
    if version < NEEDED:
        raise SqliteTooOld(found=apsw.sqlite_lib_version(), needed=".".join(map(str, NEEDED)))


def _open_connection(file: Path, *, read_only: bool) -> apsw.Connection:
    if not read_only:
        return apsw.Connection(str(file), flags=apsw.SQLITE_OPEN_READWRITE)
    flags = apsw.SQLITE_OPEN_READONLY
    if not _has_log(file) and (is_on_read_only_mount(file) or not os.access(file.parent, os.W_OK)):
        # There SQLite could not make the index of its log, and nobody can change the file under us.
        return apsw.Connection(file.absolute().as_uri() + "?immutable=1", flags=flags | apsw.SQLITE_OPEN_URI)
    return apsw.Connection(str(file), flags=flags)


def _has_log(file: Path) -> bool:
    return file.with_name(file.name + "-wal").exists()


def _check_is_ours(file: Path) -> None:
    if not file.is_file():
        raise NotOurStore(path=file, reason="it is not a file")
    head = _read_head(str(file))
    if head and not head.startswith(MAGIC):
        if not head.strip(b"\0"):
            raise StoreCorrupt(path=file, reason="its first page is empty")
        if looks_like_ours(head) or has_commit_count(file):
            raise StoreCorrupt(path=file, reason="its first bytes are damaged")
        raise NotOurStore(path=file, reason="it is not a database")
    mark = int.from_bytes(head[68:72], "big")
    # The mark of a young store may still be in its log alone; SQLite knows.
    if head and mark != APPLICATION_ID and (mark != 0 or _holds_other_tables(file)):
        if has_commit_count(file):
            raise StoreCorrupt(path=file, reason="its mark is damaged")
        raise NotOurStore(path=file, reason="it belongs to another program")


def looks_like_ours(head: bytes) -> bool:
    """Whether most of a damaged first page is as we write it: the name of the format, or our own mark."""
    alike = sum(a == b for a, b in zip(head, MAGIC, strict=False))
    # Three bytes that are the same in every file of SQLite.
    is_sqlite = alike >= len(MAGIC) // 2 and head[21:24] == b"\x40\x20\x20"
    return is_sqlite or int.from_bytes(head[68:72], "big") == APPLICATION_ID


def _holds_other_tables(file: Path) -> bool:
    # Opened so that not even a log is made beside what may be another program's file.
    address = file.absolute().as_uri() + ("" if _has_log(file) else "?immutable=1")
    connection = apsw.Connection(address, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    try:
        # In this order: a process that makes the store just now commits tables, version and mark together.
        tables = connection.execute(sql.query(DIALECT, "any_table")).fetchall()
        version = connection.pragma("user_version")
        return bool(tables or version) and connection.pragma("application_id") != APPLICATION_ID
    finally:
        connection.close()


def _read_head(path: str) -> bytes:
    # Through SQLite: closing a file that this process has open elsewhere would drop its locks.
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_MAIN_DB
    file = apsw.VFSFile("", path, [flags, 0])
    try:
        return file.xRead(100, 0)
    finally:
        file.xClose()


def _prepare(connection: apsw.Connection, path: str, *, read_only: bool, network: str = "") -> SqliteDb:
    db = SqliteDb(connection, path, read_only=read_only, network=network)
    connection.set_busy_timeout(_busy_milliseconds())
    try:
        if not read_only and connection.readonly("main"):  # SQLite makes do with reading; a writer must know
            raise StoreReadOnly(path=path, reason="Permission denied")
        for name, value in _PRAGMAS:
            db.pragma(name, _ON_A_NETWORK.get(name, value) if network else value)
        if not read_only and path != ":memory:":
            _set_journal(db, "delete" if network else "wal")
        _assert_pragmas(db)
    except BaseException:
        connection.close()
        raise
    return db


def _set_journal(db: SqliteDb, mode: str) -> None:
    # SQLite does not wait for its turn with this one, so we do: several processes may make a store at once.
    until = time.monotonic() + errors.BUSY_SECONDS
    while db.pragma("journal_mode") != mode:
        try:
            if db.pragma("journal_mode", mode) != mode:
                raise StoreError(path=db.path, reason=f"its file system does not allow the journal {mode!r}")
        except StoreBusy:
            if time.monotonic() > until:
                raise
            time.sleep(0.02)


def _assert_pragmas(db: SqliteDb) -> None:
    for name, value in _PRAGMAS:
        actual = db.pragma(name)
        if name != "mmap_size" and actual != value:  # a build may cap mmap; that costs speed, not safety
            raise StoreError(path=db.path, reason=f"pragma {name} stayed {actual!r} instead of {value!r}")


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


def _busy_milliseconds() -> int:
    return int(errors.BUSY_SECONDS * 1000)
