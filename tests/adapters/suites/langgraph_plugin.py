"""Lets the tests of LangGraph's SQLite store run against ours: the modules they import are replaced by shims."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from types import ModuleType
from typing import Any

from recollect import Recollect
from recollect.adapters.langgraph_store import AsyncRecollectStore, RecollectStore


def _index(given: dict[str, Any] | None) -> Any:
    return {**given, "fields": given.get("text_fields") or ["$"]} if given else False


def _open(address: str) -> Recollect:
    return Recollect(address, folder=None)


class SqliteStore(RecollectStore):
    """Ours, made as theirs is."""

    @classmethod
    @contextmanager
    def from_conn_string(cls, address: str, *, index: Any = None, ttl: Any = None) -> Iterator[SqliteStore]:
        with _open(address) as memory:
            store = cls(memory, index=_index(index), ttl=ttl)
            yield store
            store.stop_ttl_sweeper()

    def setup(self) -> None:
        """There is nothing to set up."""


class AsyncSqliteStore(AsyncRecollectStore):
    """Ours, made as theirs is."""

    @classmethod
    @asynccontextmanager
    async def from_conn_string(
        cls, address: str, *, index: Any = None, ttl: Any = None
    ) -> AsyncIterator[AsyncSqliteStore]:
        with _open(address) as memory:
            store = cls(memory, index=_index(index), ttl=ttl)
            yield store
            await store.stop_ttl_sweeper()

    async def setup(self) -> None:
        """There is nothing to set up."""


def _not_ours(*_: object, **__: object) -> None:
    raise NotImplementedError("a private part of their own store")


def _module(name: str, **names: object) -> None:
    module = ModuleType(name)
    vars(module).update(names)
    sys.modules[name] = module


_module("langgraph.store.sqlite", SqliteStore=SqliteStore, AsyncSqliteStore=AsyncSqliteStore)
_module("langgraph.store.sqlite.aio", AsyncSqliteStore=AsyncSqliteStore)
_module(
    "langgraph.store.sqlite.base",
    NS_MATCH_FUNCTION="",
    BaseSqliteStore=_not_ours,
    SqliteIndexConfig=dict,
    _escape_glob_literal=_not_ours,
    _namespace_match_pattern=_not_ours,
)
