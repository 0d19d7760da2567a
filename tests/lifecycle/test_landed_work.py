"""Open work is closed when git says that its branch was merged, whatever became of the branch."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect import Recollect
from recollect.model.event import EventType
from tests.conftest import Clock
from tests.git.repos import a_repository, commit, git, isolate
from tests.hash_embedder import HashEmbedder
from tests.learn.talk import act, live, person
from tests.observe.acts import edit, run

SUBJECT = "Split the first part"
MANY = tuple(act(edit(f"src/part_{number}.py")) for number in range(9))


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A branch with one commit beside a main branch that went on."""
    isolate(monkeypatch, tmp_path / "home")
    made = a_repository(tmp_path / "shop")
    git(made, "checkout", "-q", "-b", "parts")
    commit(made, "src/part_0.py", "one\n", SUBJECT)
    git(made, "checkout", "-q", "main")
    commit(made, "other.py", "main went on\n")
    return made


@pytest.fixture
def memory(repository: Path, tmp_path: Path, clock: Clock) -> Iterator[Recollect]:
    """A memory that knows of open work on the branch: one commit, and changes after it."""
    path = tmp_path / "memories.db"
    with Recollect(path, folder=repository, embedder=HashEmbedder(), clock=clock) as opened:
        live(
            opened,
            clock,
            "s1",
            (EventType.SESSION_STARTED, {"data": {"branch": "parts"}}),
            person("Split the parts"),
            act(edit("src/part_0.py")),
            act(run(f"git commit -am '{SUBJECT}'", f"[parts 1234567] {SUBJECT}")),
            *MANY,
        )
        opened.observer.learn_due()
        assert len(open_work(opened)) == 1
        yield opened


def open_work(memory: Recollect) -> list[str]:
    return [one.text for one in memory.list() if one.kind == "work_state"]


def after_upkeep(memory: Recollect) -> list[str]:
    memory.upkeep.run()
    return open_work(memory)


def test_work_on_a_branch_that_is_not_merged_stays_open(memory: Recollect) -> None:
    assert len(after_upkeep(memory)) == 1


def test_a_merge_closes_it(memory: Recollect, repository: Path) -> None:
    git(repository, "merge", "-q", "--no-ff", "--no-edit", "parts")
    assert after_upkeep(memory) == []


def test_a_squash_merge_closes_it(memory: Recollect, repository: Path) -> None:
    git(repository, "merge", "-q", "--squash", "parts")
    git(repository, "commit", "-q", "-m", "All of it (#12)")
    assert after_upkeep(memory) == []


def test_a_branch_that_was_merged_and_deleted_is_done(memory: Recollect, repository: Path) -> None:
    git(repository, "merge", "-q", "--no-ff", "--no-edit", "parts")
    git(repository, "branch", "-q", "-D", "parts")
    assert after_upkeep(memory) == []


def test_a_squash_that_lists_its_commits_is_known_when_the_branch_is_gone(
    memory: Recollect, repository: Path
) -> None:
    git(repository, "merge", "-q", "--squash", "parts")
    git(repository, "commit", "-q", "-m", f"All of it (#12)\n\n* {SUBJECT}")
    git(repository, "branch", "-q", "-D", "parts")
    assert after_upkeep(memory) == []


def test_a_branch_that_was_deleted_without_a_merge_is_not_taken_for_merged(
    memory: Recollect, repository: Path
) -> None:
    git(repository, "branch", "-q", "-D", "parts")
    commit(repository, "more.py", "x\n", "Mention parts in passing")
    assert len(after_upkeep(memory)) == 1


def test_a_branch_that_has_only_begun_is_not_taken_for_merged(memory: Recollect, repository: Path) -> None:
    git(repository, "branch", "-q", "-f", "parts", "main")
    assert len(after_upkeep(memory)) == 1


def test_a_dry_run_closes_nothing(memory: Recollect, repository: Path) -> None:
    git(repository, "merge", "-q", "--no-ff", "--no-edit", "parts")
    report = memory.upkeep.run(dry_run=True)
    assert [job.changed for job in report.jobs if job.job == "close"] == [1]
    assert len(open_work(memory)) == 1
