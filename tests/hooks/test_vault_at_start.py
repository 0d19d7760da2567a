"""When a session begins or ends, notes and memories are brought in step, in a process that nobody waits for."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from recollect.hooks import background
from recollect.hooks.after_session import learn_and_look_after
from tests.hooks.hooking import Hooks

_MAX_SECONDS = 60.0


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long each process that was started in the background is waited for."""
    waits: list[float] = []
    monkeypatch.setattr(background, "start_learning", lambda db, folder, *, wait=0.0: waits.append(wait))
    return waits


def wait_until(is_so: Callable[[], bool]) -> bool:
    until = time.monotonic() + _MAX_SECONDS
    while not (done := is_so()) and time.monotonic() < until:
        time.sleep(0.05)
    return done


def remember_something(hooks: Hooks) -> None:
    with hooks.memory() as memory:
        memory.remember("Answer in short sentences", kind="preference")
        memory.learning.run_due()


def make_vault(hooks: Hooks, root: Path) -> None:
    with hooks.memory() as memory:
        memory.vault.init(root)
        memory.vault.sync()


def is_known(hooks: Hooks, text: str) -> bool:
    with hooks.memory() as memory:
        return any(one.text == text for one in memory.list())


def test_a_note_that_a_person_wrote_is_a_memory_soon_after_the_next_start(
    hooks: Hooks, tmp_path: Path
) -> None:
    hooks.as_processes = True
    remember_something(hooks)
    root = tmp_path / "Notes"
    make_vault(hooks, root)
    note = root / "Memory/Gotchas/The gateway bans at five.md"
    note.parent.mkdir(parents=True)
    note.write_text("The gateway bans at five\n", "utf-8")
    hooks.send("SessionStart", source="startup")
    assert wait_until(lambda: is_known(hooks, "The gateway bans at five"))
    assert wait_until(lambda: "recollect_id: " in note.read_text("utf-8"))


def test_what_was_remembered_is_a_note_soon_after_the_end(hooks: Hooks, tmp_path: Path) -> None:
    hooks.as_processes = True
    root = tmp_path / "Notes"
    make_vault(hooks, root)
    hooks.send("SessionStart", source="startup")
    with hooks.memory() as memory:
        memory.remember("Uploads need one writer", kind="decision")
    hooks.send("SessionEnd", reason="exit")
    assert wait_until(lambda: (root / "Decisions/Uploads need one writer.md").is_file())


def test_with_a_vault_a_start_brings_it_in_step_and_waits_for_nothing(
    hooks: Hooks, started: list[float], tmp_path: Path
) -> None:
    remember_something(hooks)
    make_vault(hooks, tmp_path / "Notes")
    hooks.send("SessionStart", source="startup")
    assert started == [0.0]


def test_without_a_vault_a_start_with_nothing_due_starts_nothing(hooks: Hooks, started: list[float]) -> None:
    remember_something(hooks)
    hooks.send("SessionStart", source="startup")
    assert started == []


def test_the_usual_vault_and_the_one_of_the_project_are_both_brought_in_step(
    hooks: Hooks, tmp_path: Path
) -> None:
    subprocess.run(["git", "init", "-q", str(hooks.project)], check=True)
    usual, shared = tmp_path / "Notes", hooks.project / "docs/memory"
    with hooks.memory() as memory:
        memory.vault.init(usual)
        memory.vault.init(shared, only_project=True, kinds=["decision"])
        memory.remember("Uploads need one writer", kind="decision")
        memory.remember("The gateway bans at five", kind="gotcha")
    learn_and_look_after(str(hooks.db), str(hooks.project))
    assert [place.name for place in shared.rglob("*.md")] == ["Uploads need one writer.md"]
    assert (usual / "Decisions/Uploads need one writer.md").is_file()
    assert (usual / "Memory/Gotchas/The gateway bans at five.md").is_file()
    assert not (shared / "Context").exists(), "a session leaves nothing to commit but memories"
