"""A project with two files, and hooks that listen to what is done in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.git.repos import a_repository, commit, isolate
from tests.hooks.hooking import Hooks


@pytest.fixture
def hooks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hooks:
    isolate(monkeypatch, tmp_path / "person")
    project = a_repository(tmp_path / "project")
    commit(project, "src/auth.py", "LIFETIME = 300\n")
    commit(project, "src/other.py", "OTHER = 1\n")
    monkeypatch.setenv("RECOLLECT_EMBEDDING_TIER", "none")
    return Hooks(home=tmp_path / "home", project=project)
