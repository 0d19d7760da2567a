"""A vault inside a repository: memories are reviewed in pull requests, and branches meet without duplicates."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from recollect import Recollect
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


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


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


def test_a_colleague_has_the_same_memory_under_the_same_id(team: tuple[Colleague, Colleague]) -> None:
    ann, ben = team
    assert ben.decisions() == ann.decisions()
    assert ben.notes() == ann.notes(), "and nothing was written for it"


def test_two_branches_come_together_without_duplicates(team: tuple[Colleague, Colleague]) -> None:
    ann, ben = team
    (shared,) = ann.decisions()
    ann.decide("Payments go through the blue gateway")
    ben.decide("Sessions live in the cookie store")
    ben.memory.edit(shared, text="Retries are capped at two")
    ann.share("blue")
    ben.share("cookies")
    for one in (ann, ben):
        one.merge("blue", "cookies")
        one.memory.vault.sync()
    assert ann.decisions() == ben.decisions()
    assert sorted(ann.decisions().values()) == [
        "Payments go through the blue gateway",
        "Retries are capped at two",
        "Sessions live in the cookie store",
    ]
    assert ann.notes() == ben.notes()
    assert len(ann.notes()) == 3
    for one in (ann, ben):
        assert not one.memory.vault.sync().changed
        assert (
            subprocess.run(
                ["git", "status", "--porcelain"], cwd=one.clone, capture_output=True, check=True
            ).stdout
            == b""
        ), "a sync after a merge leaves nothing to commit"


def test_what_two_people_decided_alike_is_one_memory_for_each(team: tuple[Colleague, Colleague]) -> None:
    ann, ben = team
    ann.decide("Money is kept in cents")
    ben.decide("Money is kept in cents.")
    ann.share("cents")
    ben.memory.vault.sync()
    git(ben.clone, "add", "-A")
    git(ben.clone, "commit", "-qm", "the same")
    git(ben.clone, "fetch", "-q")
    git(ben.clone, "merge", "-q", "-X", "theirs", "-m", "merge", "origin/cents")
    report = ben.memory.vault.sync()
    assert [text.rstrip(".") for text in ben.decisions().values()].count("Money is kept in cents") == 1
    assert not report.conflicts
    ben.memory.vault.sync()
    assert len([name for name in ben.notes() if "cents" in name]) == 1
