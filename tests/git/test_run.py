from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from repos import a_repository, commit, git, isolate, root_commit
from traps import a_trap

from recollect.errors import RepositoryError
from recollect.git.identity import identify, list_former_keys, read_branch, read_head_commit
from recollect.git.run import _COMMANDS, ask_git, run_git
from recollect.model.project import path_key

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="needs file names that are not UTF-8")
posix_only = pytest.mark.skipif(sys.platform == "win32", reason="needs shell scripts or POSIX file names")


@pytest.fixture(autouse=True)
def _isolated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    isolate(monkeypatch, tmp_path / "home")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return a_repository(tmp_path / "app")


def a_git_that(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Put a script called git before the real one, which it can reach as $GIT."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "git"
    program.write_text(f"#!/bin/sh\nGIT='{shutil.which('git')}'\n{script}\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


# Starting git


def test_variables_of_a_surrounding_hook_do_not_mislead(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = a_repository(tmp_path / "other")
    expected = identify(repository)
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(other / ".git" / "objects"))
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'core.bare'='true'")
    monkeypatch.setenv("GIT_TRACE", "1")
    assert identify(repository) == expected


def test_a_command_that_is_not_listed_is_our_own_mistake(repository: Path) -> None:
    with pytest.raises(KeyError):
        run_git(["push"], str(repository))


@posix_only
def test_a_git_that_hangs_is_ended(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    a_git_that(tmp_path, monkeypatch, "exec sleep 60")
    with pytest.raises(RepositoryError, match=r"longer than 0\.2 s"):
        run_git(["rev-parse", "HEAD"], str(repository), timeout=0.2)


def test_output_beyond_the_limit_is_refused(repository: Path) -> None:
    commit(repository, "big.txt", "x" * 300_000)
    assert len(run_git(["cat-file", "blob", "HEAD:big.txt"], str(repository))) == 300_000
    with pytest.raises(RepositoryError, match="more than 1,000 bytes"):
        run_git(["cat-file", "blob", "HEAD:big.txt"], str(repository), limit=1000)


@posix_only
def test_a_talkative_error_is_cut_to_its_sentence(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    noise = "i=0; while [ $i -lt 20000 ]; do echo 'warning: noise' >&2; i=$((i+1)); done"
    a_git_that(
        tmp_path, monkeypatch, f"printf 'hint: x\\nfatal: bad \\033[31mthing.\\n' >&2; {noise}; exit 128"
    )
    with pytest.raises(RepositoryError) as caught:
        run_git(["rev-parse", "HEAD"], str(repository))
    assert caught.value.facts["reason"] == "bad \ufffd[31mthing"


def test_a_folder_that_is_gone_and_a_nul_are_sentences(tmp_path: Path, repository: Path) -> None:
    with pytest.raises(RepositoryError, match="could not be started"):
        run_git(["rev-parse", "HEAD"], str(tmp_path / "gone"))
    with pytest.raises(RepositoryError, match="could not be started"):
        run_git(["rev-parse", "a\0b"], str(repository))


def test_a_no_is_none_and_a_failure_is_an_error(repository: Path) -> None:
    assert ask_git(["config", "--get", "no.such"], str(repository)) is None
    with pytest.raises(RepositoryError):
        ask_git(["rev-parse", "no-such-revision"], str(repository))


@posix_only
@pytest.mark.parametrize(
    "name",
    ["--output=pwn", "-n.md", ":(top)x.md", "a\nb", "*.md", pytest.param("\udce9t", marks=linux_only)],
)
def test_hostile_file_names_are_only_names(repository: Path, name: str) -> None:
    decoy = commit(repository, "decoy.md", "decoy")
    (repository / name).write_text("x", encoding="utf-8")
    git(repository, "add", "--all")
    git(repository, "commit", "-q", "-m", "Odd")
    odd = git(repository, "rev-parse", "HEAD")
    assert run_git(["log", "--format=%H"], str(repository), paths=[name]).split() == [odd] != [decoy]
    assert run_git(["ls-files", "-z"], str(repository), paths=[name]) == name + "\0"
    assert not (repository / "pwn").exists()


@posix_only
def test_git_is_never_taken_from_the_folder_it_runs_in(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repository / "git").write_text("#!/bin/sh\ntouch executed\n", encoding="utf-8")
    (repository / "git").chmod(0o755)
    first = root_commit(repository)
    monkeypatch.chdir(repository)
    monkeypatch.setenv("PATH", f":.:{os.environ['PATH']}")
    assert run_git(["rev-parse", "HEAD"], str(repository)).strip() == first
    assert not (repository / "executed").exists()


# A hostile repository


def a_merge(repository: Path) -> None:
    commit(repository, "both.txt", "0\n")
    git(repository, "checkout", "-q", "-b", "side")
    commit(repository, "both.txt", "side\n")
    git(repository, "checkout", "-q", "main")
    commit(repository, "both.txt", "main\n")
    git(repository, "merge", "-q", "-X", "ours", "-m", "Merge", "side")


COMMANDS = [
    ["blame", "README.md"],
    ["blame", "HEAD", "--", "README.md"],
    ["cat-file", "-p", "HEAD"],
    ["config", "--list"],
    ["diff"],
    ["diff", "HEAD~1"],
    ["diff-files", "-p"],
    ["diff-index", "-p", "HEAD"],
    ["diff-tree", "-p", "HEAD"],
    ["for-each-ref"],
    ["log"],
    ["log", "-p", "-m"],
    ["log", "-p", "--first-parent"],
    ["ls-files", "-m"],
    ["ls-tree", "-r", "HEAD"],
    ["merge-base", "HEAD", "HEAD~1"],
    ["remote", "-v"],
    ["rev-list", "--objects", "HEAD"],
    ["rev-parse", "HEAD"],
    ["show", "-m"],
    ["status", "--porcelain"],
    ["symbolic-ref", "HEAD"],
]


@pytest.fixture(scope="module")
def trap(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("hostile")
    with pytest.MonkeyPatch.context() as monkeypatch:
        isolate(monkeypatch, folder / "home")
        repository = a_repository(folder / "app")
        a_merge(repository)
        mark = a_trap(repository, folder / "trap")
    (repository / "README.md").write_text("changed\n", encoding="utf-8")
    return repository, mark


@pytest.fixture
def trapped(trap: tuple[Path, Path], tmp_path: Path) -> tuple[Path, Path]:
    """A fresh copy: git takes every file of a copy for possibly changed, so it looks at each of them."""
    repository, mark = trap
    mark.unlink(missing_ok=True)
    return shutil.copytree(repository, tmp_path / "hostile", symlinks=True), mark


@posix_only
@pytest.mark.parametrize(
    "bait",
    [["status"], ["diff"], ["log"], ["log", "-p", "-m"], ["ls-files", "-m"], ["blame", "README.md"]],
    ids=" ".join,
)
def test_the_trap_catches_a_careless_git(trapped: tuple[Path, Path], bait: list[str]) -> None:
    repository, mark = trapped
    subprocess.run(["git", *bait], cwd=repository, capture_output=True, check=False, timeout=60)
    assert mark.exists()


@posix_only
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_nothing_a_repository_configures_is_started(trapped: tuple[Path, Path], command: list[str]) -> None:
    repository, mark = trapped
    output = run_git(command, str(repository))
    assert not mark.exists(), mark.read_text(encoding="utf-8")
    assert "\x1b" not in output


@posix_only
def test_an_identity_starts_nothing_either(trapped: tuple[Path, Path]) -> None:
    repository, mark = trapped
    identity = identify(repository)
    assert identity.basis == "root-commit"
    assert list_former_keys(identity) == (path_key(str(repository.resolve())),)
    assert (read_branch(repository), read_head_commit(repository)) == (
        "main",
        git(repository, "rev-parse", "HEAD"),
    )
    assert not mark.exists()


@posix_only
def test_a_missing_object_is_not_fetched(trapped: tuple[Path, Path]) -> None:
    repository, mark = trapped
    with pytest.raises(RepositoryError):
        run_git(["cat-file", "-p", "ab" * 20], str(repository))
    git(repository, "config", "extensions.partialClone", "origin")
    with pytest.raises(RepositoryError):
        run_git(["cat-file", "-p", "cd" * 20], str(repository))
    assert not mark.exists()


def test_every_command_that_may_run_is_tried_against_the_trap() -> None:
    assert {command[0] for command in COMMANDS} == set(_COMMANDS)


@posix_only
def test_a_filter_that_cannot_be_switched_off_is_refused(repository: Path) -> None:
    git(repository, "config", "filter.a=b.clean", "true")
    with pytest.raises(RepositoryError, match="cannot be switched off"):
        run_git(["status", "--porcelain"], str(repository))
    assert identify(repository).basis == "root-commit"


@posix_only
def test_the_filters_of_the_user_keep_working(repository: Path) -> None:
    git(repository, "config", "--global", "filter.upper.clean", "tr a-z A-Z")
    (repository / ".gitattributes").write_text("*.up filter=upper\n", encoding="utf-8")
    commit(repository, "a.up", "shout")
    (repository / "a.up").write_text("SHOUT", encoding="utf-8")
    assert run_git(["diff", "--name-only"], str(repository)) == ""
