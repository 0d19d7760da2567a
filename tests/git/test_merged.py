"""Whether a branch's work has reached the main branch."""

from __future__ import annotations

from pathlib import Path

import pytest
from repos import a_clone, a_repository, commit, git, isolate

from recollect.git.merge_check import find_main_branch, find_merge_kind


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A branch with two commits, and a main branch that went on."""
    isolate(monkeypatch, tmp_path / "home")
    made = a_repository(tmp_path / "app")
    commit(made, "shared.py", "".join(f"line {n}\n" for n in range(40)))
    git(made, "checkout", "-q", "-b", "feature")
    commit(made, "new.py", "one\n")
    commit(made, "new.py", "one\ntwo\n")
    commit(made, "shared.py", "".join(f"line {n}\n" for n in range(40)) + "from the branch\n")
    git(made, "checkout", "-q", "main")
    commit(made, "other.py", "main went on\n")
    return made


def merged(repository: Path, branch: str = "feature") -> str | None:
    return find_merge_kind(str(repository), branch)


def test_a_branch_that_is_not_merged_is_not(repository: Path) -> None:
    assert merged(repository) is None
    assert merged(repository, "no-such-branch") is None
    assert merged(repository, "main") is None
    assert merged(repository, "--output=pwn") is None


@pytest.mark.parametrize("how", ["--no-ff", "--ff"])
def test_a_merge_contains_it(repository: Path, how: str) -> None:
    git(repository, "merge", "-q", "--no-edit", how, "feature")
    assert merged(repository) == "contained"


def test_a_rebase_brings_the_same_patches(repository: Path) -> None:
    git(repository, "checkout", "-q", "-b", "rebased", "feature")
    git(repository, "rebase", "-q", "main")
    git(repository, "checkout", "-q", "main")
    git(repository, "merge", "-q", "--ff-only", "rebased")
    assert merged(repository) == "same patches"


def test_a_squash_is_one_commit_that_does_it_all_also_when_main_goes_on(repository: Path) -> None:
    commit(repository, "shared.py", "first\n" + (repository / "shared.py").read_text("utf-8"))
    git(repository, "merge", "-q", "--squash", "feature")
    git(repository, "commit", "-q", "-m", "Squashed")
    commit(repository, "new.py", "and now for something different\n")
    assert merged(repository) == "squashed"


def test_half_of_it_is_not_all_of_it(repository: Path) -> None:
    commit(repository, "new.py", "one\n")
    assert merged(repository) is None
    git(repository, "checkout", "-q", "feature", "--", "new.py")
    git(repository, "commit", "-q", "-m", "A part")
    assert merged(repository) is None


def test_other_bytes_in_a_picture_are_another_patch(repository: Path) -> None:
    git(repository, "checkout", "-q", "-b", "picture")
    (repository / "a.png").write_bytes(b"\0one")
    git(repository, "add", "a.png")
    git(repository, "commit", "-q", "-m", "One")
    (repository / "a.png").write_bytes(b"\0two")
    git(repository, "commit", "-q", "-a", "-m", "Two")
    git(repository, "checkout", "-q", "main")
    (repository / "a.png").write_bytes(b"\0six")
    git(repository, "add", "a.png")
    git(repository, "commit", "-q", "-m", "Another")
    assert merged(repository, "picture") is None


def test_the_main_branch_is_found_by_rule(repository: Path, tmp_path: Path) -> None:
    assert find_main_branch(str(repository)) == "refs/heads/main"
    clone = a_clone(repository, tmp_path / "clone")
    git(clone, "checkout", "-q", "-b", "work")
    git(clone, "branch", "-q", "-D", "main")
    assert find_main_branch(str(clone)) == "refs/remotes/origin/main"
    git(repository, "branch", "-q", "-m", "main", "trunk")
    assert find_main_branch(str(repository)) is None
    assert merged(repository) is None
