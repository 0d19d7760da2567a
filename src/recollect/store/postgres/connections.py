"""Connections to one PostgreSQL database, shared by all that asks it in this process."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any, NamedTuple, TypeVar
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit
from weakref import WeakKeyDictionary

import psycopg
from psycopg.adapt import Buffer, Dumper, Loader
from psycopg.pq import Format
from psycopg.types.numeric import NumericBinaryLoader, NumericLoader
from psycopg_pool import ConnectionPool

from recollect.errors import BadInput
from recollect.model.viewer import Viewer
from recollect.store.postgres import errors
from recollect.store.postgres.statements import fill_template
from recollect.store.sqlite.tokenizer import Tokenizer

SCHEMA = "recollect"
# Who owns the tables where a superuser connects: rows are kept apart by rules that bind everybody but a superuser.
ROLE = "recollect"
DEFAULT_ORGANISATION = "default"
# So long a server that went away is waited for: a standby takes over within it, with the usual settings of a cluster.
PATIENCE_SECONDS = 60.0
_FIRST_PAUSE = 0.05
_LONGEST_PAUSE = 1.0
_MAX_CONNECTIONS = 16

# What the pool logs at every try is told once, by whoever waits for a connection in vain.
logging.getLogger("psycopg.pool").addHandler(logging.NullHandler())

Connection = psycopg.Connection[tuple[Any, ...]]
T = TypeVar("T")


class Address:
    """Where a database is, and which organisation's part of it is meant."""

    def __init__(self, address: str) -> None:
        """Take `organisation=…` out of the address: libpq does not know it."""
        parts = urlsplit(address)
        settings = dict(parse_qsl(parts.query, keep_blank_values=True))
        self.organisation = settings.pop("organisation", "") or DEFAULT_ORGANISATION
        self.connections = settings.pop("connections", "")
        if self.connections and not self.connections.isdigit():
            raise BadInput(
                reason=f"connections={self.connections} in the address of the database is no number"
            )
        self.conninfo = urlunsplit(parts._replace(query=urlencode(settings, quote_via=quote)))
        self.shown = _without_password(parts.netloc, parts.path, self.organisation)


def _without_password(netloc: str, path: str, organisation: str) -> str:
    user, _, hosts = netloc.rpartition("@")
    name = user.partition(":")[0]
    suffix = "" if organisation == DEFAULT_ORGANISATION else f"?organisation={organisation}"
    return f"postgresql://{name}{'@' if name else ''}{hosts}{path}{suffix}"


class ConnectionStanding(NamedTuple):
    """For whom a connection asks: the number of an organisation, and the person there, if it is for one."""

    org: int
    person: str = ""
    # As the database takes a list; empty: every project.
    projects: str = ""


def find_standing(organisation: int, viewer: Viewer | None) -> ConnectionStanding:
    """What is told to a connection."""
    if viewer is None:
        return ConnectionStanding(organisation)
    projects = "" if viewer.projects is None else "{" + ",".join(viewer.projects) + "}"
    return ConnectionStanding(organisation, viewer.person, projects)


class Connections:
    """A pool, with what we know of each connection in it."""

    def __init__(self, address: Address) -> None:
        self.shown = address.shown
        self.tokenizer = Tokenizer()
        # A pooler of its own stands between: what is set for a session would meet another session's statement.
        self.is_behind_pooler = False
        # Whether pgvector keeps vectors here; whoever opens the database finds out.
        self.has_near_vectors = False
        # Whether its role and schema were made or found by this process.
        self.is_prepared = False
        self._users = 1
        self._standings: WeakKeyDictionary[Connection, ConnectionStanding] = WeakKeyDictionary()
        self._pool: ConnectionPool[Connection] = ConnectionPool(
            address.conninfo,
            min_size=1,
            max_size=int(address.connections or _MAX_CONNECTIONS),
            timeout=PATIENCE_SECONDS,
            reconnect_timeout=PATIENCE_SECONDS,
            configure=self._configure,
            kwargs={"autocommit": True, "application_name": "recollect", "connect_timeout": 5},
            open=False,
            name="recollect",
        )

    def open(self) -> None:
        """From now on connections are made as they are asked for."""
        self._pool.open()

    @contextmanager
    def borrow(self) -> Iterator[Connection]:
        """A connection for a while; a broken one is thrown away when it comes back."""
        connection = self._pool.getconn()
        try:
            yield connection
        finally:
            self._pool.putconn(connection)

    def set_standing(self, connection: Connection, standing: ConnectionStanding) -> None:
        """From now on this connection sees what that organisation, and that person there, may see."""
        if self._standings.get(connection) != standing:
            # Before the statement: one that fails half-way must not be taken for the old one.
            self.forget_standing(connection)
            text = fill_template("set_organisation", **standing._asdict(), local="false")
            connection.execute(text.encode())
            self._standings[connection] = standing

    def forget_standing(self, connection: Connection) -> None:
        """It must be set anew."""
        self._standings.pop(connection, None)

    def share(self) -> Connections:
        """One more user of the same connections."""
        with _OPENED_LOCK:
            self._users += 1
        return self

    def close(self) -> None:
        """Give the connections back; the last user closes them."""
        with _OPENED_LOCK:
            self._users -= 1
            if self._users:
                return
            for key in [key for key, opened in _OPENED.items() if opened is self]:
                del _OPENED[key]
        self._pool.close()

    def _configure(self, connection: Connection) -> None:
        row = connection.execute(fill_template("who_serves").encode()).fetchone()
        backend, is_above_rules = row or (0, False)
        if backend != connection.info.backend_pid:
            self.is_behind_pooler = True
            connection.prepare_threshold = None
        connection.execute(fill_template("set_session", schema=SCHEMA).encode())
        if is_above_rules:
            connection.execute(fill_template("set_role", role=ROLE).encode())
        for kind, dumper in ((int, _PlainDumper), (bool, _BoolDumper), (str, _TextDumper)):
            connection.adapters.register_dumper(kind, dumper)
        connection.adapters.register_loader("bool", _BoolLoader)
        connection.adapters.register_loader("bool", _BoolBinaryLoader)
        connection.adapters.register_loader("numeric", _NumberLoader)
        connection.adapters.register_loader("numeric", _NumberBinaryLoader)


_OPENED: dict[str, Connections] = {}
_OPENED_LOCK = threading.Lock()


def is_prepared(address: Address) -> bool:
    """Whether this process has the database open, with its role and schema."""
    with _OPENED_LOCK:
        opened = _OPENED.get(_key_of(address))
        return opened is not None and opened.is_prepared


def _key_of(address: Address) -> str:
    return f"{address.conninfo} {address.connections}"


def connect(address: Address) -> Connections:
    """The connections to a database: those that this process has already, or new ones."""
    key = _key_of(address)
    with _OPENED_LOCK:
        opened = _OPENED.get(key)
        if opened is not None:
            opened._users += 1
            return opened
    made = Connections(address)
    made.open()
    with _OPENED_LOCK:
        _OPENED.setdefault(key, made)
    return made


def retry_passing(act: Callable[[], T], seconds: float = PATIENCE_SECONDS) -> T:
    """Do what may be done twice, again for so long as it fails for a reason that passes."""
    until = time.monotonic() + seconds
    pause = _FIRST_PAUSE
    while True:
        try:
            return act()
        except (psycopg.Error, *errors.POOL_ERRORS) as error:
            if not errors.is_passing(error) or is_refusal(error) or time.monotonic() + pause > until:
                raise
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)


def is_refusal(error: BaseException) -> bool:
    """Whether a connection was refused for a reason that no waiting mends: a password, a name, an address."""
    text = str(error)
    return isinstance(error, psycopg.OperationalError) and any(
        sign in text
        for sign in ("password", "does not exist", "could not translate host name", "no pg_hba.conf")
    )


class _PlainDumper(Dumper):
    """A value as a literal without a type, as SQLite takes it: the column decides."""

    oid = 0
    format = Format.TEXT

    def dump(self, obj: Any) -> Buffer | None:
        return str(obj).encode()


class _BoolDumper(_PlainDumper):
    def dump(self, obj: Any) -> Buffer | None:
        return b"1" if obj else b"0"


class _TextDumper(_PlainDumper):
    def dump(self, obj: Any) -> Buffer | None:
        if "\0" in obj:
            raise BadInput(reason="it holds a NUL character, which PostgreSQL cannot keep")
        return str(obj).encode()


class _BoolLoader(Loader):
    """A truth as 0 or 1, as SQLite has it."""

    def load(self, data: Buffer) -> int:
        return int(data == b"t")


class _BoolBinaryLoader(Loader):
    format = Format.BINARY

    def load(self, data: Buffer) -> int:
        return int(data != b"\x00")


class _NumberLoader(NumericLoader):
    """A sum as a whole number if it is one."""

    def load(self, data: Buffer) -> Any:
        return _plain_number(super().load(data))


class _NumberBinaryLoader(NumericBinaryLoader):
    def load(self, data: Buffer) -> Any:
        return _plain_number(super().load(data))


def _plain_number(value: Decimal) -> int | float:
    return int(value) if value.as_tuple().exponent == 0 else float(value)
