"""LangChain's own standard tests for stores and retrievers, run against ours."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from recollect import Recollect
from tests.hash_embedder import HashEmbedder

pytest.importorskip("langchain_tests", reason="langchain-tests is not installed; see `make test-adapters`")

from langchain_tests.integration_tests import (
    BaseStoreAsyncTests,
    BaseStoreSyncTests,
    RetrieversIntegrationTests,
)

from recollect.adapters.langchain_agents import RecollectByteStore, RecollectRetriever


class TestByteStore(BaseStoreSyncTests[bytes]):
    """Their eleven tests of a store."""

    @pytest.fixture
    def kv_store(self) -> Iterator[RecollectByteStore]:
        with Recollect(":memory:", folder=None, embedder=HashEmbedder()) as memory:
            yield RecollectByteStore(memory)

    @pytest.fixture
    def three_values(self) -> tuple[bytes, bytes, bytes]:
        return b"foo", b"bar", b"buzz"


class TestByteStoreInALoop(BaseStoreAsyncTests[bytes]):
    """The same in an event loop."""

    @pytest.fixture
    async def kv_store(self) -> AsyncIterator[RecollectByteStore]:
        with Recollect(":memory:", folder=None, embedder=HashEmbedder()) as memory:
            yield RecollectByteStore(memory)

    @pytest.fixture
    def three_values(self) -> tuple[bytes, bytes, bytes]:
        return b"foo", b"bar", b"buzz"


class TestRetriever(RetrieversIntegrationTests):
    """Their four tests of a retriever."""

    @pytest.fixture(autouse=True)
    def _memory(self) -> Iterator[None]:
        with Recollect(":memory:", folder=None, embedder=HashEmbedder()) as memory:
            for number in range(6):
                memory.remember(f"Service {number} listens on port {8000 + number}, an example query")
            self._remembered = memory
            yield

    @property
    def retriever_constructor(self) -> Any:
        return RecollectRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"memory": self._remembered, "k": 5}

    @property
    def retriever_query_example(self) -> str:
        return "which port does the service listen on, example query"
