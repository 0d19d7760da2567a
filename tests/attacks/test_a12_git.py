"""
A12: file names that look like options or patterns, and a repository whose configuration starts programs.

Nothing may be executed, and the answers must be right all the same.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from recollect import Recollect, Remembered
from recollect.git.files import blobs_in_commit, list_tracked, list_untracked, measure_drift
from recollect.git.history import read_commits
from recollect.git.merge_check import find_merge_kind
from recollect.git.renames import find_uncommitted, follow_paths
from tests.conftest import Clock
from tests.git.repos import a_repository, commit, git, isolate
from tests.git.traps import a_trap
from tests.hash_embedder import HashEmbedder

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs shell scripts and POSIX file names")

CODE = "".join(f"line {number} of something\n" for number in range(60))
NAMES = [
    "--output=pwn",
    "-n.md",
    ":(top)x.md",
    'quo"te.md',
    "it's.md",
    "$(touch pwn)",
    "; touch pwn",
    "* ?.md",
    "é.md",
]
UNSPEAKABLE = ["a\nb.md", "esc\x1b[31m.md", "\u202etxt.md"] + (["\udce9t"] if sys.platform == "linux" else [])


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """A repository with files of every odd name, a branch, and every trap set; and the mark a trap would leave."""
    isolate(monkeypatch, tmp_path / "git-home")
    repository = a_repository(tmp_path / "app")
    for number, name in enumerate([*NAMES, *UNSPEAKABLE]):
        (repository / name).write_text(CODE + f"file {number}\n" * 3, encoding="utf-8")
    git(repository, "add", "--all")
    git(repository, "commit", "-q", "-m", "Odd names")
    git(repository, "checkout", "-q", "-b", "feature")
    commit(repository, "feature.py", "one\n")
    git(repository, "checkout", "-q", "main")
    mark = a_trap(repository, tmp_path / "trap")
    (repository / ".git" / "hooks").mkdir(exist_ok=True)
    for hook in ("post-checkout", "post-index-change", "fsmonitor-watchman"):
        (repository / ".git" / "hooks" / hook).symlink_to(tmp_path / "trap" / "bait")
    return repository, mark


def commit_by_hand(repository: Path, *args: str) -> None:
    """What a person does in another terminal, with the traps out of the way."""
    config = repository / ".git" / "config"
    kept = config.read_bytes()
    config.write_text("[core]\n\tbare = false\n", encoding="utf-8")
    hooks = repository / ".git" / "hooks"
    hooks.rename(hooks.with_name("hidden"))
    try:
        git(repository, *args)
        git(repository, "commit", "-q", "--allow-empty", "-m", "By hand")
    finally:
        hooks.with_name("hidden").rename(hooks)
        config.write_bytes(kept)


@pytest.mark.parametrize("careless", [["status"], ["diff", "HEAD"], ["log", "-p"]], ids=" ".join)
def test_the_trap_catches_a_careless_git(hostile: tuple[Path, Path], careless: list[str]) -> None:
    repository, mark = hostile
    (repository / "README.md").write_text("changed\n", encoding="utf-8")
    subprocess.run(["git", *careless], cwd=repository, capture_output=True, check=False, timeout=60)
    assert mark.exists()


@pytest.mark.parametrize(
    "question",
    [
        lambda top, sha: blobs_in_commit(top, sha, NAMES),
        lambda top, sha: list(list_tracked(top)),
        lambda top, sha: list_untracked(top, 10),
        lambda top, sha: list(read_commits(top, renames=True)),
        lambda top, sha: list(read_commits(top, paths=NAMES)),
        lambda top, sha: follow_paths(top, f"{sha}", "HEAD", NAMES),
        lambda top, sha: follow_paths(top, "refs/heads/feature", "refs/heads/main", NAMES),
        lambda top, sha: find_uncommitted(top, NAMES),
        lambda top, sha: find_merge_kind(top, "feature"),
        lambda top, sha: find_merge_kind(top, "--output=pwn"),
        lambda top, sha: measure_drift(top, sha, "--output=pwn", "-n.md"),
    ],
    ids=[
        *("in_commit", "tracked", "untracked", "commits", "commits of paths", "followed"),
        *("followed across branches", "uncommitted", "how_merged", "how_merged, odd name", "drift"),
    ],
)
def test_no_question_to_git_starts_what_the_repository_names(
    hostile: tuple[Path, Path], question: Callable[[str, str], object]
) -> None:
    repository, mark = hostile
    first = next(commit.sha for commit in read_commits(str(repository)) if commit.subject == "Odd names")
    (repository / "README.md").write_text("changed\n", encoding="utf-8")
    question(str(repository), first)
    assert not mark.exists(), mark.read_text(encoding="utf-8")
    assert not (repository / "pwn").exists()


def test_memories_about_files_of_any_name_are_followed_and_nothing_is_executed(
    hostile: tuple[Path, Path], tmp_path: Path, clock: Clock
) -> None:
    repository, mark = hostile
    with Recollect(tmp_path / "m.db", folder=repository, embedder=HashEmbedder(), clock=clock) as memory:
        answers = [memory.remember(f"What {n} does", about=[f"file:{name}"]) for n, name in enumerate(NAMES)]
        ids = [answer.memory.id for answer in answers if isinstance(answer, Remembered)]
        assert len(ids) == len(NAMES)
        assert all(memory.staleness.files_of(memory_id) for memory_id in ids)
        assert memory.staleness.sweep().stale == ()
        for name in NAMES:
            (repository / name).rename(repository / f"{name}.moved")
        commit_by_hand(repository, "add", "--all")
        done = memory.staleness.follow()
        assert sorted((move.was, move.path) for move in done.moved) == sorted(
            (n, f"{n}.moved") for n in NAMES
        )
        (repository / f"{NAMES[0]}.moved").unlink()
        commit_by_hand(repository, "add", "--all")
        assert [mark_.why for mark_ in memory.staleness.follow().stale] == [
            f"{NAMES[0]}.moved no longer exists"
        ]
    assert not mark.exists(), mark.read_text(encoding="utf-8")
    assert not (repository / "pwn").exists()


@pytest.mark.parametrize("name", UNSPEAKABLE, ids=ascii)
def test_a_name_no_memory_can_carry_is_not_followed_but_said_to_be_gone(
    hostile: tuple[Path, Path], tmp_path: Path, clock: Clock, name: str
) -> None:
    repository, mark = hostile
    with Recollect(tmp_path / "m.db", folder=repository, embedder=HashEmbedder(), clock=clock) as memory:
        answer = memory.remember("What it does", about=["file:-n.md"])
        assert isinstance(answer, Remembered)
        (repository / "-n.md").rename(repository / f"{name}.new")
        commit_by_hand(repository, "add", "--all")
        memory.staleness.follow()
        assert memory.show(answer.memory.id).stale_why == "-n.md no longer exists"
    assert not mark.exists()
