"""Two people with clones of one repository that has a vault in it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from recollect import Recollect
from recollect.api.vault import SyncReport
from recollect.model.memory import Remembered
from tests.conftest import Clock
from tests.hash_embedder import HashEmbedder

FOLDER = "docs/memory"


class Colleague:
    """A clone of the repository with a store of its own."""

    def __init__(self, name: str, origin: Path, place: Path, clock: Clock) -> None:
        self.clone = place / name
        git(place, "clone", "-q", str(origin), str(self.clone))
        git(self.clone, "config", "user.name", name)
        git(self.clone, "config", "user.email", f"{name}@example.org")
        self.memory = Recollect(place / f"{name}.db", folder=self.clone, embedder=HashEmbedder(), clock=clock)
        self.memory.vault.init(self.clone / FOLDER, only_project=True, kinds=["decision", "gotcha"])
        self.memory.vault.sync()

    def decide(self, text: str) -> str:
        answer = self.memory.remember(text, kind="decision")
        assert isinstance(answer, Remembered)
        return answer.memory.id

    def share(self, branch: str) -> None:
        """Sync, commit, and push as a branch."""
        self.memory.vault.sync()
        git(self.clone, "add", "-A")
        git(self.clone, "commit", "-qm", branch)
        git(self.clone, "push", "-q", "origin", f"HEAD:{branch}")

    def merge(self, *branches: str) -> None:
        git(self.clone, "fetch", "-q")
        for branch in branches:
            git(self.clone, "merge", "-q", "-m", f"merge {branch}", f"origin/{branch}")
        self.memory.vault.sync()

    def notes(self) -> dict[str, bytes]:
        root = self.clone / FOLDER
        return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.glob("Decisions/*.md")}

    def decisions(self) -> dict[str, str]:
        return {one.id: one.text for one in self.memory.list(limit=50) if one.kind == "decision"}

    def sync(self) -> SyncReport:
        return self.memory.vault.sync()

    def note(self, name: str) -> Path:
        return self.clone / FOLDER / "Decisions" / f"{name}.md"

    def left_to_commit(self) -> str:
        return git(self.clone, "status", "--porcelain")


def git(folder: Path, *words: str, fails: bool = False) -> str:
    done = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True)
    assert (done.returncode != 0) is fails, (words, done.stdout, done.stderr)
    return done.stdout


@pytest.fixture
def team(tmp_path: Path, clock: Clock) -> tuple[Colleague, Colleague]:
    """Two people who share one decision."""
    first = tmp_path / "first"
    first.mkdir()
    git(first, "init", "-q", "-b", "main")
    git(first, "config", "user.name", "a")
    git(first, "config", "user.email", "a@example.org")
    (first / "README.md").write_text("shop\n")
    git(first, "add", "-A")
    git(first, "commit", "-qm", "first")
    origin = tmp_path / "origin.git"
    git(tmp_path, "clone", "-q", "--bare", str(first), str(origin))
    ann = Colleague("ann", origin, tmp_path, clock)
    ann.decide("Retries are capped at three")
    ann.share("main")
    ben = Colleague("ben", origin, tmp_path, clock)
    return ann, ben
