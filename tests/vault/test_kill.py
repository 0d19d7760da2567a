"""A process is killed anywhere: no half file, no word lost, and the next sync brings both sides together."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from recollect import Recollect
from recollect.vault import replace, writing
from recollect.vault.note import read_note
from tests.conftest import Clock
from tests.hash_embedder import HashEmbedder

ROOT = Path(__file__).parents[2]


class Killed(BaseException):
    """As if the process had ended here: nothing of ours may catch it."""


def opened(tmp_path: Path, clock: Clock) -> Recollect:
    return Recollect(tmp_path / "memories.db", folder=None, embedder=HashEmbedder(), clock=clock)


STEPS = ("_announce", "replace_file", "record_note", "create_file", "look_again")


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", STEPS)
def test_ended_at_any_step_of_a_write_the_next_sync_agrees(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch, step: str, when: str
) -> None:
    root = tmp_path / "Vault"
    with opened(tmp_path, clock) as memory:
        memory.vault.init(root)
        memory.remember("Retries are capped at 3", kind="decision")
        memory.vault.sync()
        (one,) = memory.list()
        memory.edit(one.id, text="Retries are capped at 4")
        memory.remember("A second memory", kind="fact")
        real = getattr(writing, step)

        def killed(*given: object, **named: object) -> object:
            if when == "after":
                real(*given, **named)
            raise Killed

        with monkeypatch.context() as broken:
            broken.setattr(writing, step, killed)
            with suppress(Killed):
                memory.vault.sync()
    with opened(tmp_path, clock) as memory:
        memory.vault.sync()
        assert not memory.vault.sync().changed
        agree(memory, root)
        assert memory.show(one.id).text == "Retries are capped at 4"
        assert memory.count() == 2


def test_what_a_person_wrote_before_the_kill_is_in_the_file_that_was_left(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed after the two files changed places: the person's version lies in a file of ours, and is not lost."""
    root = tmp_path / "Vault"
    with opened(tmp_path, clock) as memory:
        memory.vault.init(root)
        memory.vault.append("Daily/2026-05-08.md", "# Day\n\nfirst")
        place = root / "Daily" / "2026-05-08.md"
        real = replace._write_beside

        def written_meanwhile(*given: object) -> object:
            done = real(*given)  # type: ignore[arg-type]
            with place.open("a", encoding="utf-8") as stream:
                stream.write("by a person, in the last moment\n")
            return done

        def killed(*given: object) -> int:
            raise Killed

        with monkeypatch.context() as broken:
            broken.setattr(replace, "_write_beside", written_meanwhile)
            broken.setattr(replace, "_open", killed)
            with pytest.raises(Killed):
                memory.vault.append("Daily/2026-05-08.md", "by an agent")
    with opened(tmp_path, clock) as memory:
        memory.vault.sync()
        text = place.read_text("utf-8")
        assert "by a person, in the last moment\n" in text
        assert "by an agent\n" in text
        assert list(root.rglob(".recollect-*")) == []


def test_kill_9_while_it_works(tmp_path: Path) -> None:
    root, db = tmp_path / "Vault", tmp_path / "memories.db"
    with Recollect(db, folder=None, embedder=HashEmbedder()) as memory:
        memory.vault.init(root)
        for text in ("The gateway bans at five", "Uploads need one writer", "The cache is cold at nine"):
            memory.remember(text, kind="decision")
        memory.vault.sync()
    chance = random.Random(7)
    for _ in range(4):
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.vault.killed", db, root],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        told = int(process.stdout.readline())
        time.sleep(chance.uniform(0.0, 0.4))
        process.kill()
        rest = process.stdout.read().split()
        process.wait(timeout=30)
        process.stdout.close()
        told = int(rest[-1]) if rest and rest[-1].isdigit() else told
        with Recollect(db, folder=None, embedder=HashEmbedder()) as memory:
            memory.vault.use(root)
            memory.vault.sync()
            assert f"line {told}\n" in (root / "Daily" / "2026-05-08.md").read_text("utf-8")
            agree(memory, root)
            assert not memory.vault.sync().changed
    assert list(root.rglob(".recollect-*")) == []


def agree(memory: Recollect, root: Path) -> None:
    """Every memory has one note, and both say the same."""
    found = {}
    for place in root.rglob("*.md"):
        note = read_note(place.read_text("utf-8"))
        if note.memory_id:
            assert note.memory_id not in found, "two notes for one memory"
            found[note.memory_id] = note.text
    assert found == {one.id: one.text for one in memory.list(limit=100)}
