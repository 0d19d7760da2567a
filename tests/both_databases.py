"""`memory` on each database there is; a conftest that imports it has its whole folder run on both."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect import Recollect
from tests.conftest import Clock
from tests.databases import DATABASES, find_store
from tests.hash_embedder import HashEmbedder


@pytest.fixture(params=DATABASES)
def store_address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where `memory` is, for a test that opens it a second time."""
    if request.param != "sqlite" and request.node.get_closest_marker("sqlite"):
        pytest.skip("looks at what only a file of SQLite has")
    return find_store(request.param, tmp_path)


@pytest.fixture
def memory(store_address: str, clock: Clock) -> Iterator[Recollect]:
    """An empty memory, outside any project, with the hash embedder."""
    with Recollect(store_address, folder=None, embedder=HashEmbedder(), clock=clock) as opened:
        yield opened
