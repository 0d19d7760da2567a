"""Commits in one pass."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

import pytest
from repos import a_repository, an_empty_repository, commit, git, isolate

from recollect.errors import RepositoryError
from recollect.git.history import check_revision, has_commit, is_ancestor, read_commits
from recollect.git.run import stream_fields
from recollect.model.commit import CommitChange

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX file names")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    isolate(monkeypatch, tmp_path / "home")
    return a_repository(tmp_path / "app")


def test_commits_come_newest_first_with_time_subject_and_files(repository: Path) -> None:
    (repository / "a.py").write_text("a\n", encoding="utf-8")
    (repository / "b.py").write_text("b\n", encoding="utf-8")
    git(repository, "add", "--all")
    git(repository, "commit", "-q", "-m", "Two files\n\nwith a body", "--date", "2026-05-08T12:00:00Z")
    git(repository, "rm", "-q", "a.py")
    git(repository, "commit", "-q", "-m", "One less")
    newest, older, first = read_commits(str(repository))
    assert newest.changes == (CommitChange("D", "a.py"),)
    assert (older.subject, older.files) == ("Two files", ("a.py", "b.py"))
    assert first.files == ("README.md",)
    assert newest.sha == git(repository, "rev-parse", "HEAD")
    assert abs((newest.at - datetime.now(UTC)).total_seconds()) < 3600


def test_a_pass_can_go_on_from_the_last(repository: Path) -> None:
    seen = next(read_commits(str(repository))).sha
    assert list(read_commits(str(repository), since=seen)) == []
    for number in range(3):
        commit(repository, "a.py", f"{number}")
    assert len(list(read_commits(str(repository), since=seen))) == 3
    assert len(list(read_commits(str(repository), limit=2))) == 2


def test_merges_and_empty_commits_touch_nothing(repository: Path) -> None:
    git(repository, "checkout", "-q", "-b", "side")
    commit(repository, "side.py", "side")
    git(repository, "checkout", "-q", "main")
    git(repository, "commit", "-q", "--allow-empty", "-m", "Nothing")
    git(repository, "merge", "-q", "--no-edit", "side")
    found = list(read_commits(str(repository)))
    assert sorted(item.files for item in found) == [(), ("README.md",), ("side.py",)]


@posix_only
def test_names_that_look_like_something_else_are_only_names(repository: Path) -> None:
    sha = git(repository, "rev-parse", "HEAD")
    names = [f"\x01{sha}", "A", "R100", "\n", "--output=pwn", ":(top)x", "é", "with\nline"]
    for name in names:
        (repository / name).write_text(name * 9, encoding="utf-8")
    git(repository, "add", "--all")
    git(repository, "commit", "-q", "-m", "\x01 odd")
    newest, first = read_commits(str(repository))
    assert sorted(newest.files) == sorted(names)
    assert first.sha == sha
    (only,) = read_commits(str(repository), paths=[":(top)x"])
    assert only.files == (":(top)x",)
    assert not (repository / "pwn").exists()


def test_a_rename_is_one_change_when_it_is_asked_for(repository: Path) -> None:
    git(repository, "mv", "README.md", "READ.me")
    git(repository, "commit", "-q", "-m", "Move")
    assert next(read_commits(str(repository), renames=True)).changes == (
        CommitChange("R", "READ.me", "README.md"),
    )
    statuses = {change.status for change in next(read_commits(str(repository))).changes}
    assert statuses == {"A", "D"}


@pytest.mark.parametrize("name", ["--output=pwn", "-n1", "main", "", "HEAD~1", "abc", "HEAD --all"])
def test_what_might_be_an_option_is_no_revision(name: str) -> None:
    with pytest.raises(ValueError, match="no revision"):
        check_revision(name)


def test_a_commit_is_known_or_it_is_not(repository: Path) -> None:
    first = git(repository, "rev-parse", "HEAD")
    second = commit(repository, "a.py", "a")
    top = str(repository)
    assert has_commit(top, first) and not has_commit(top, "ab" * 20)
    assert is_ancestor(top, first, second) and not is_ancestor(top, second, first)


def test_a_branch_without_a_commit_has_none_and_a_folder_without_git_is_an_error(
    repository: Path, tmp_path: Path
) -> None:
    empty = an_empty_repository(tmp_path / "empty")
    assert list(read_commits(str(empty))) == []
    assert not is_ancestor(str(empty), "a" * 40, "HEAD")
    with pytest.raises(RepositoryError):
        list(read_commits(str(tmp_path)))


def test_who_stops_reading_stops_git(repository: Path) -> None:
    for number in range(3):
        commit(repository, "a.py", f"{number}")
    reading = stream_fields(["log", "-z", "--format=%H"], str(repository))
    assert len(list(islice(reading, 2))) == 2
    reading.close()  # type: ignore[attr-defined]
    with pytest.raises(RepositoryError, match="more than 10 bytes"):
        list(stream_fields(["log", "-z", "--format=%H"], str(repository), limit=10))
