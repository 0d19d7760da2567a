"""Shared by all tests: a home of their own, a clock that stands still, and a model that needs no weights."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from recollect import Recollect
from recollect.config import AGENT_SIGNS
from tests import postgres_server
from tests.hash_embedder import HashEmbedder

NOON = datetime(2026, 5, 8, 12, 0, tzinfo=UTC)

# How long an example takes says something about the load of the machine, nothing about the code.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")


def pytest_unconfigure() -> None:
    """The server that a test has started ends with the run."""
    postgres_server.stop()


class Clock:
    """Time that passes only when a test says so."""

    def __init__(self, start: datetime = NOON) -> None:
        self.at = start

    def __call__(self) -> datetime:
        return self.at

    def pass_(self, **span: float) -> None:
        self.at += timedelta(**span)


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees the settings, memories or agents of the machine it runs on."""
    for name in list(os.environ):
        if name.startswith("RECOLLECT_") or name in (*AGENT_SIGNS, "OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("RECOLLECT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only loopback may be reached."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: object) -> None:
        host = address[0] if isinstance(address, tuple) else "localhost"
        if host not in ("127.0.0.1", "::1", "localhost"):
            raise AssertionError(f"a test reached out to {host}")
        connect(self, address)  # type: ignore[arg-type]

    monkeypatch.setattr(socket.socket, "connect", guarded)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Iterator[Recollect]:
    """An empty memory in a file, outside any project, with the hash embedder."""
    with Recollect(tmp_path / "memories.db", folder=None, embedder=HashEmbedder(), clock=clock) as opened:
        yield opened
