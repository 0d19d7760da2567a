"""Errors of PostgreSQL, translated into sentences with the address and the remedy."""

from __future__ import annotations

from types import TracebackType

import psycopg
from psycopg import errors as pg
from psycopg_pool import PoolClosed, PoolTimeout, TooManyRequests

from recollect.errors import (
    BadInput,
    RecollectError,
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreReadOnly,
    StoreUnavailable,
)

LOCK_SECONDS = 30

# The transaction is gone and may be tried again: somebody else's came first, or the server is being replaced.
_PASSING = (
    pg.SerializationFailure,
    pg.DeadlockDetected,
    pg.AdminShutdown,
    pg.CrashShutdown,
    pg.CannotConnectNow,
    pg.IdleInTransactionSessionTimeout,
    # A leader that has become a replica: the next connection finds the new one.
    pg.ReadOnlySqlTransaction,
    pg.TooManyConnections,
    PoolTimeout,
    TooManyRequests,
)


# What the pool itself raises.
POOL_ERRORS = (PoolTimeout, TooManyRequests, PoolClosed)


class ServerErrors:
    """Turn what PostgreSQL says into sentences. What is left is a mistake of ours and keeps its traceback."""

    __slots__ = ("_path",)

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, (psycopg.Error, *POOL_ERRORS)):
            translated = translate(self._path, error)
            if translated is not None:
                raise translated from error


def translate(path: str, error: Exception) -> RecollectError | None:
    """What to tell of an error; None for one that only a mistake of ours can cause."""
    reason = describe(error)
    if is_passing(error):
        return StoreUnavailable(path=path, reason=reason)
    if isinstance(error, pg.LockNotAvailable | pg.QueryCanceled):
        return StoreBusy(path=path, seconds=LOCK_SECONDS)
    if isinstance(error, pg.DiskFull):
        return StoreFull(path=path)
    if isinstance(error, pg.InsufficientPrivilege):
        return StoreReadOnly(path=path, reason=reason)
    if isinstance(error, pg.UndefinedTable | pg.UndefinedColumn | pg.UndefinedFunction | pg.DataCorrupted):
        return StoreCorrupt(path=path, reason=reason)
    if isinstance(error, pg.ProgramLimitExceeded):
        return BadInput(reason=f"a name in it is too long for an index of PostgreSQL ({reason})")
    if isinstance(error, pg.UntranslatableCharacter | pg.CharacterNotInRepertoire):
        return BadInput(reason=f"it holds a character that PostgreSQL cannot keep ({reason})")
    if isinstance(error, pg.OutOfMemory | pg.InsufficientResources):
        return StoreError(path=path, reason=reason)
    return None


def is_passing(error: BaseException) -> bool:
    """Whether the same may succeed when it is tried again."""
    if isinstance(error, _PASSING):
        return True
    # Without a code of the server's it is the connection that failed, or could not be made.
    if isinstance(error, psycopg.OperationalError):
        return error.sqlstate is None or error.sqlstate.startswith("08")
    return isinstance(error, psycopg.InterfaceError) and "closed" in str(error)


def describe(error: BaseException) -> str:
    """The first line of what the server said, without its address: that may hold a password."""
    diagnosis = getattr(error, "diag", None)
    if diagnosis is not None and diagnosis.message_primary:
        return str(diagnosis.message_primary)
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
