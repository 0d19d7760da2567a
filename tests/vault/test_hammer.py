"""A person and an agent write to the same notes at the same time. Nobody's line is lost."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from recollect import Recollect
from tests.hash_embedder import HashEmbedder

ROOT = Path(__file__).parents[2]


@pytest.fixture
def long(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--long", default=False))


def hammered(
    tmp_path: Path, *, seconds: float, person: float, agent: float
) -> tuple[Recollect, Path, list[str]]:
    root, db = tmp_path / "Vault", tmp_path / "memories.db"
    memory = Recollect(db, folder=None, embedder=HashEmbedder())
    memory.vault.init(root)
    for text in ("The gateway bans at five", "Uploads need one writer", "The cache is cold at nine"):
        memory.remember(text, kind="decision")
    memory.vault.append("Daily/2026-05-08.md", "# 2026-05-08")
    memory.vault.sync()
    logs = [tmp_path / "person.log", tmp_path / "agent.log"]
    module = [sys.executable, "-m", "tests.vault.hammer"]
    for log in logs:
        log.touch()
    running = [
        subprocess.Popen([*module, "person", root, logs[0], str(seconds), str(person)], cwd=ROOT),
        subprocess.Popen([*module, "agent", db, root, logs[1], str(seconds), str(agent)], cwd=ROOT),
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
        there = in_notes(root, copies=True) + in_history(memory, root)
        assert len(lines) >= 50
        lost = [line for line in lines if line not in there]
        assert lost == []
        assert list(root.rglob(".recollect-*")) == []
