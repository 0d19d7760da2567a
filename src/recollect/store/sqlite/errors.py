"""Errors of SQLite, translated into sentences with the path and the remedy."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

import apsw

from recollect.errors import (
    NotOurStore,
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreReadOnly,
)
from recollect.store.sqlite.files import find_lock_holder, has_commit_count, has_room

BUSY_SECONDS = 30


# What a damaged catalogue or search index makes SQLite say of statements that are ours.
_BROKEN_SCHEMA = re.compile(
    r"no such (?:table|column|module|tokenizer)|malformed|vtable constructor failed|tokenizer constructor|fts5|corrupt"
    r"|parse error in|unrecognized (?:column )?option|unrecognized token|contentless_delete|prefix length",
    re.IGNORECASE,
)


class TranslatedErrors:
    """Turn what SQLite says into sentences. What is left is a mistake of ours and keeps its traceback."""

    __slots__ = ("_is_schema_sound", "_path")

    def __init__(self, path: str, *, is_schema_sound: bool = True) -> None:
        self._path = path
        # While a schema is made, a table that is not there is a mistake of ours.
        self._is_schema_sound = is_schema_sound

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, apsw.Error) and (translated := _TRANSLATED.get(type(error))):
            raise translated(self._path, error) from error
        if isinstance(error, UnicodeDecodeError):  # only bytes that we did not write
            raise StoreCorrupt(
                path=self._path, reason=f"a text in it is no text any more ({error.reason})"
            ) from error
        if self._is_schema_sound and isinstance(error, apsw.SQLError) and _BROKEN_SCHEMA.search(str(error)):
            raise StoreCorrupt(path=self._path, reason=str(error)) from error


def _busy(path: str, _: apsw.Error) -> StoreError:
    return StoreBusy(path=path, seconds=BUSY_SECONDS, holder=find_lock_holder(Path(path)))


def _full(path: str, _: apsw.Error) -> StoreError:
    return StoreFull(path=path)


def _read_only(path: str, error: apsw.Error) -> StoreError:
    return StoreReadOnly(path=path, reason=str(error))


def _corrupt(path: str, error: apsw.Error) -> StoreError:
    return StoreCorrupt(path=path, reason=str(error))


def _foreign(path: str, error: apsw.Error) -> StoreError:
    if has_commit_count(Path(path)):
        return StoreCorrupt(path=path, reason=str(error))
    return NotOurStore(path=path, reason=str(error))


def _failed(path: str, error: apsw.Error) -> StoreError:
    # SQLite cannot make the index of its log on a full disk, and calls that an error of the disk.
    if not has_room(Path(path)):
        return StoreFull(path=path)
    return StoreError(path=path, reason=f"{error}; check the disk and its free space")


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
    apsw.IOError: _failed,
    apsw.NoMemError: _refused,
    apsw.ProtocolError: _busy,
    apsw.NoLFSError: _refused,
    apsw.TooBigError: _refused,
    apsw.InterruptError: _refused,
    apsw.AbortError: _refused,
    apsw.AuthError: _refused,
    apsw.SchemaChangeError: _busy,
}

# What only a mistake of ours can cause: it keeps its traceback.
_OURS_TO_FIX: frozenset[type[apsw.Error]] = frozenset(
    {
        apsw.Error,
        apsw.BindingsError,
        apsw.ConnectionClosedError,
        apsw.ConnectionNotClosedError,
        apsw.ConstraintError,
        apsw.CursorClosedError,
        apsw.EmptyError,
        apsw.ExecTraceAbort,
        apsw.ExecutionCompleteError,
        apsw.ExtensionLoadingError,
        apsw.ForkingViolationError,
        apsw.FormatError,
        apsw.IncompleteExecutionError,
        apsw.InternalError,
        apsw.InvalidContextError,
        apsw.MismatchError,
        apsw.MisuseError,
        apsw.NoFTS5Error,
        apsw.NotFoundError,
        apsw.RangeError,
        apsw.SQLError,
        apsw.ThreadingViolationError,
        apsw.VFSFileClosedError,
        apsw.VFSNotImplementedError,
    }
)
