"""Where files went."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from repos import a_repository, commit, git, isolate

from recollect.git import renames
from recollect.git.renames import find_uncommitted, follow_paths, line_similarity

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX file names")
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="needs file names that are not UTF-8")
CODE = "".join(f"line {number} of something\n" for number in range(60))


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    isolate(monkeypatch, tmp_path / "home")
    made = a_repository(tmp_path / "app")
    commit(made, "a.py", CODE)
    return made


def head(repository: Path) -> str:
    return git(repository, "rev-parse", "HEAD")


def move(repository: Path, was: str, path: str) -> str:
    (repository / path).parent.mkdir(parents=True, exist_ok=True)
    git(repository, "mv", "--", was, path)
    git(repository, "commit", "-q", "-m", "Move")
    return head(repository)


@posix_only
@pytest.mark.parametrize(
    ("was", "path"),
    [
        ("--output=pwn", "-n.md"),
        (":(top)x", "*.md"),
        ("a\nb", 'quo"te'),
        ("R100", "D"),
        pytest.param("\udce9t", "\udcffnew", marks=linux_only),
    ],
)
def test_names_of_any_kind_are_followed(repository: Path, was: str, path: str) -> None:
    commit(repository, "-- stays", "stays")
    (repository / was).write_text(CODE + "odd\n", encoding="utf-8")
    git(repository, "add", "--all")
    git(repository, "commit", "-q", "-m", "Odd")
    before = head(repository)
    git(repository, "mv", "--", was, path)
    assert find_uncommitted(str(repository), {was, "a.py"}).moved == {was: path}
    git(repository, "commit", "-q", "-m", "Move")
    found = follow_paths(str(repository), before, head(repository), {was, "a.py"})
    assert found.at == {was: path, "a.py": "a.py"}
    assert not (repository / "pwn").exists()


def test_a_repository_that_switches_renames_off_does_not_switch_them_off_here(repository: Path) -> None:
    git(repository, "config", "diff.renames", "false")
    git(repository, "config", "diff.renameLimit", "1")
    before = head(repository)
    for name in ("b.py", "c.py"):
        commit(repository, name, CODE + name)
    middle = head(repository)
    for name in ("a.py", "b.py", "c.py"):
        git(repository, "mv", name, f"new_{name}")
        (repository / f"new_{name}").write_text(CODE + name + "edited", encoding="utf-8")
    git(repository, "commit", "-q", "-a", "-m", "Move all")
    assert follow_paths(str(repository), before, head(repository), ["a.py"]).at == {"a.py": "new_a.py"}
    assert follow_paths(str(repository), middle, head(repository), ["b.py", "c.py"]).at == {
        "b.py": "new_b.py",
        "c.py": "new_c.py",
    }


def test_too_many_steps_are_taken_in_one(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(renames, "MAX_STEPS", 2)
    before = head(repository)
    for number, path in enumerate(("b.py", "c.py", "d.py")):
        move(repository, ("a.py", "b.py", "c.py")[number], path)
    assert follow_paths(str(repository), before, head(repository), ["a.py"]).at == {"a.py": "d.py"}


def test_a_file_of_the_same_make_on_another_branch_is_not_taken_for_it(repository: Path) -> None:
    git(repository, "checkout", "-q", "-b", "feature")
    shared = CODE + "".join(f"feature {n} of something\n" for n in range(40))
    commit(repository, "feature.py", shared)
    before = head(repository)
    git(repository, "checkout", "-q", "main")
    commit(repository, "main.py", CODE + "".join(f"main {n} of something else\n" for n in range(40)))
    found = follow_paths(str(repository), before, head(repository), ["feature.py"])
    assert found.at == {}
    assert found.elsewhere == {"feature.py"}


def test_a_commit_that_is_not_known_tells_nothing(repository: Path) -> None:
    found = follow_paths(str(repository), "ab" * 20, head(repository), ["a.py"])
    assert (found.at, found.elsewhere) == ({}, frozenset())


def test_two_that_were_moved_by_hand_are_told_apart_by_what_they_hold(repository: Path) -> None:
    other = "".join(f"quite other words, {n} of them\n" for n in range(60))
    commit(repository, "b.py", other)
    (repository / "a.py").unlink()
    (repository / "b.py").unlink()
    (repository / "x").mkdir()
    (repository / "x" / "b.py").write_text(CODE, encoding="utf-8")
    (repository / "x" / "a.py").write_text(other, encoding="utf-8")
    assert find_uncommitted(str(repository), {"a.py", "b.py"}).moved == {"a.py": "x/b.py", "b.py": "x/a.py"}


def test_likeness_is_the_share_of_the_longer() -> None:
    assert line_similarity(b"", b"") == 1.0
    assert line_similarity(b"a\nb\n", b"a\nb\n") == 1.0
    assert line_similarity(b"a\nb\n", b"c\nd\n") == 0.0
    assert line_similarity(b"a\nb\nc\nd\n", b"a\nb\n") == 0.5
    assert line_similarity(b"a\na\n", b"a\nx\n") == 0.5
