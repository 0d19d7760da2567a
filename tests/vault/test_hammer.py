"""A person and an agent write to the same notes at the same time. Nobody's line is lost."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from recollect import Recollect
from recollect.vault.lines import find_items
from tests.hash_embedder import HashEmbedder

ROOT = Path(__file__).parents[2]
WITH_LISTS = "-lists"


@pytest.fixture
def long(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--long", default=False))


def hammered(
    tmp_path: Path, *, seconds: float, person: float, agent: float, form: str = ""
) -> tuple[Recollect, Path, list[str]]:
    root, db = tmp_path / "Vault", tmp_path / "memories.db"
    memory = Recollect(db, folder=None, embedder=HashEmbedder())
    memory.vault.init(root)
    for text in ("The gateway bans at five", "Uploads need one writer", "The cache is cold at nine"):
        memory.remember(text, kind="decision")
    memory.remember("Prefers dark windows", kind="preference")
    memory.remember("Opens every link in a new tab", kind="preference", about=["app:Chrome"])
    memory.vault.append("Daily/2026-05-08.md", "# 2026-05-08")
    memory.vault.sync()
    logs = [tmp_path / "person.log", tmp_path / "agent.log"]
    module = [sys.executable, "-m", "tests.vault.hammer"]
    for log in logs:
        log.touch()
    running = [
        subprocess.Popen([*module, f"person{form}", root, logs[0], str(seconds), str(person)], cwd=ROOT),
        subprocess.Popen([*module, f"agent{form}", db, root, logs[1], str(seconds), str(agent)], cwd=ROOT),
    ]
    for process in running:
        assert process.wait(timeout=seconds + 120) == 0
    memory.vault.sync(mine=True)
    memory.vault.sync(mine=True)
    said = [
        line for log in logs for line in log.read_text("utf-8").splitlines() if not line.startswith("refused")
    ]
    return memory, root, [line.partition("\t")[2] for line in said]


def in_notes(root: Path, *, copies: bool) -> str:
    return "\n".join(
        place.read_text("utf-8") for place in root.rglob("*.md") if copies or "(conflict" not in place.name
    )


def in_history(memory: Recollect, root: Path) -> str:
    paths = [place.relative_to(root).as_posix() for place in root.rglob("*.md")]
    return "\n".join(
        version.content.decode("utf-8", "replace")
        for path in paths
        for version in memory.vault.versions(path, 10_000)
    )


def in_memory(memory: Recollect) -> str:
    return "\n".join(str(change) for change in memory.history(limit=100_000))


def is_in_step(memory: Recollect, root: Path) -> bool:
    """Whether each line says what its memory says, and stands there once."""
    texts = {one.id: one.text for one in memory.list(limit=100_000)}
    items = [
        item
        for place in root.rglob("*.md")
        if "(conflict" not in place.name
        for item in find_items(place.read_text("utf-8"))
        if item.memory_id
    ]
    assert len({item.memory_id for item in items}) == len(items)
    return all(texts.get(item.memory_id) == item.text for item in items)


def test_at_a_persons_pace_every_line_stays_in_the_notes(tmp_path: Path, long: bool) -> None:
    memory, root, lines = hammered(tmp_path, seconds=60 if long else 5, person=0.4, agent=0.3)
    with memory:
        there = in_notes(root, copies=False)
        assert len(lines) >= (150 if long else 8)
        assert [line for line in lines if line not in there] == []
        assert not memory.vault.sync().changed


def test_at_a_machines_pace_every_line_is_in_a_note_a_copy_or_the_history(tmp_path: Path, long: bool) -> None:
    memory, root, lines = hammered(tmp_path, seconds=60 if long else 4, person=0.003, agent=0.0)
    with memory:
        # What an agent changed in a memory may have given way to a person's words before it was ever in a note.
        there = in_notes(root, copies=True) + in_history(memory, root) + in_memory(memory)
        assert len(lines) >= 50
        lost = [line for line in lines if line not in there]
        assert lost == []
        assert list(root.rglob(".recollect-*")) == []


def test_with_lists_at_a_persons_pace_every_line_stays(tmp_path: Path, long: bool) -> None:
    memory, root, lines = hammered(
        tmp_path, seconds=60 if long else 5, person=0.4, agent=0.3, form=WITH_LISTS
    )
    with memory:
        there = in_notes(root, copies=True)
        assert len(lines) >= (100 if long else 8)
        assert [line for line in lines if line not in there] == []
        assert not memory.vault.sync().changed
        assert is_in_step(memory, root)


def test_with_lists_at_a_machines_pace_every_line_is_in_a_list_a_copy_or_the_history(
    tmp_path: Path, long: bool
) -> None:
    memory, root, lines = hammered(
        tmp_path, seconds=60 if long else 4, person=0.003, agent=0.0, form=WITH_LISTS
    )
    with memory:
        there = in_notes(root, copies=True) + in_history(memory, root) + in_memory(memory)
        assert len(lines) >= 50
        assert [line for line in lines if line not in there] == []
        assert list(root.rglob(".recollect-*")) == []
        memory.vault.sync(mine=True)
        assert is_in_step(memory, root)
