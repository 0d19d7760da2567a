"""
An empty store of each database there is. What asks for `db` runs once per dialect.

A file that looks at what only SQLite has (its file, its log, its pragmas) is marked `pytest.mark.sqlite`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from recollect.store.db import Db
from recollect.store.open import open_db
from tests.builders import NOON
from tests.databases import DATABASES, find_store

OpenStore = Callable[[], Db]


@pytest.fixture(params=DATABASES)
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OpenStore]:
    """Opens the same store again, as another process would."""
    opened: list[Db] = []
    address = find_store(request.param, tmp_path)

    def open_once_more() -> Db:
        opened.append(open_db(address, NOON))
        return opened[-1]

    yield open_once_more
    for db in opened:
        db.close()


@pytest.fixture
def db(open_store: OpenStore) -> Db:
    """An empty store."""
    return open_store()
