"""The databases that the same tests run on: one row each."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import pytest

from tests import postgres_server

DATABASES = ("postgres", "sqlite")


def find_store(database: str, folder: Path) -> str:
    """The address of a fresh store; skips the test with the reason where there is no such database here."""
    if database == "sqlite":
        return str(folder / "memories.db")
    try:
        base = postgres_server.find_database()
    except postgres_server.PostgresMissing as missing:
        pytest.skip(f"no PostgreSQL to test on: {missing}")
    return f"{base}{'&' if '?' in base else '?'}organisation=t{uuid4().hex}"
