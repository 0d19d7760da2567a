"""A memory with a vault of its own."""

from __future__ import annotations

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
