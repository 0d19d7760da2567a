"""When a session begins, what a person wrote into the vault since the last one is taken in, behind the agent's back."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.hooks import background
from tests.hooks.hooking import Hooks


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long each process that was started in the background is waited for."""
    waits: list[float] = []
    monkeypatch.setattr(background, "start_learning", lambda db, folder, *, wait=0.0: waits.append(wait))
    return waits


def begin(hooks: Hooks) -> None:
    with hooks.memory() as memory:
        memory.remember("Answer in short sentences", kind="preference")
        memory.learning.run_due()
    hooks.send("SessionStart", source="startup")


def test_with_a_vault_a_start_brings_it_in_step_and_waits_for_nothing(
    hooks: Hooks, started: list[float], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("RECOLLECT_VAULT_PATH", str(tmp_path / "Notes"))
    begin(hooks)
    assert started == [0.0]


def test_without_a_vault_a_start_with_nothing_due_starts_nothing(hooks: Hooks, started: list[float]) -> None:
    begin(hooks)
    assert started == []
