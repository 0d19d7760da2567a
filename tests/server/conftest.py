"""A server on each database there is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from recollect.server.accounts import Accounts
from tests.databases import DATABASES, find_store
from tests.server.running import RunningServer, Visitor, run_server


@pytest.fixture(params=DATABASES)
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RunningServer]:
    with run_server(find_store(request.param, tmp_path)) as running:
        yield running


@pytest.fixture
def team(server: RunningServer) -> tuple[Accounts, Visitor]:
    """An organisation of its own with its admin."""
    accounts, token = server.create(f"o{uuid4().hex[:12]}")
    return accounts, server.visit(token)


@pytest.fixture
def accounts(team: tuple[Accounts, Visitor]) -> Accounts:
    return team[0]


@pytest.fixture
def alex(team: tuple[Accounts, Visitor]) -> Visitor:
    return team[1]


@pytest.fixture
def bo(server: RunningServer, accounts: Accounts) -> Visitor:
    return server.join(accounts, "bo")
