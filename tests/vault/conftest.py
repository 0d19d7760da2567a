"""A memory with a vault of its own."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect import Recollect
from tests.conftest import Clock
from tests.hash_embedder import HashEmbedder


def pytest_addoption(parser: pytest.Parser) -> None:
    """The long form of the hammer; the durability tests have the same option."""
    try:
        parser.addoption("--long", action="store_true", help="as long as is promised")
    except ValueError:
        return


@pytest.fixture(autouse=True)
def _in_utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Notes tell the time of their reader: here that is UTC, wherever the tests run."""
    with monkeypatch.context() as zone:
        zone.setenv("TZ", "UTC")
        _tell_the_clock()
        yield
    _tell_the_clock()


def _tell_the_clock() -> None:
    if hasattr(time, "tzset"):  # Windows has none
        time.tzset()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The folder of the vault."""
    return tmp_path / "Vault"


@pytest.fixture
def vaulted(tmp_path: Path, root: Path, clock: Clock) -> Iterator[Recollect]:
    """A memory whose vault is made and synced."""
    with Recollect(tmp_path / "memories.db", folder=None, embedder=HashEmbedder(), clock=clock) as memory:
        memory.vault.init(root)
        memory.vault.sync()
        yield memory
