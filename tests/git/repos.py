"""Builders of real repositories. They start git themselves: a fault of ours must not hide in a fixture."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

# Git's transport check refuses file:// submodules and clones unless told otherwise.
_SETTINGS = (
    "-c",
    "protocol.file.allow=always",
    "-c",
    "init.defaultBranch=main",
    "-c",
    "advice.detachedHead=false",
)


def isolate(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    """No config and no variable of the machine that runs the tests reaches git."""
    home.mkdir(parents=True, exist_ok=True)
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    (home / "gitconfig").write_text("[user]\n\tname = Ada\n\temail = ada@example.com\n", encoding="utf-8")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(home / "gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


def git(folder: Path, *args: str, text: str | None = None) -> str:
    """What git prints, without the last newline; the test fails if git does."""
    done = subprocess.run(
        ["git", *_SETTINGS, *args], cwd=folder, input=text, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, f"git {' '.join(args)}: {done.stderr}"
    return done.stdout.rstrip("\n")


def an_empty_repository(folder: Path, *options: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", *options)
    return folder


def a_repository(folder: Path, *options: str) -> Path:
    """A repository with one commit; the folder's name makes its root commit unlike any other's."""
    an_empty_repository(folder, *options)
    commit(folder, "README.md", f"# {folder.name}\n")
    return folder


def commit(repository: Path, name: str, text: str, message: str = "Change") -> str:
    """Commit one file; gives the commit."""
    path = repository / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    git(repository, "add", "--", name)
    git(repository, "commit", "-q", "-m", f"{message} {repository.name}/{name}")
    return git(repository, "rev-parse", "HEAD")


def commit_all(repository: Path, message: str = "Change") -> str:
    """Commit everything that was changed; gives the commit."""
    git(repository, "add", "--all")
    git(repository, "commit", "-qm", message)
    return git(repository, "rev-parse", "HEAD")


def a_clone(source: Path, target: Path, *options: str) -> Path:
    git(source, "clone", "-q", *options, source.as_uri(), str(target))
    return target


def a_shallow_clone(source: Path, target: Path) -> Path:
    return a_clone(source, target, "--depth", "1")


def a_worktree(repository: Path, target: Path, branch: str = "feature") -> Path:
    git(repository, "worktree", "add", "-q", "-b", branch, str(target))
    return target


def root_commit(repository: Path) -> str:
    return git(repository, "rev-list", "--max-parents=0", "HEAD")
