"""A question about code in a fresh clone is answered, not refused: what is missing is made."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.git.repos import a_repository, commit, isolate
from tests.surfaces.conftest import Run


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository that nobody has looked at, with two files that hang together."""
    isolate(monkeypatch, tmp_path / "person")
    folder = a_repository(tmp_path / "shop")
    commit(folder, "src/b.py", "def helper():\n    return 1\n")
    commit(folder, "src/a.py", "from src.b import helper\n\n\ndef go():\n    return helper()\n")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (("impact", "src/b.py"), "src/a.py"),
        (("about", "src/b.py"), "helper"),
        (("deps", "src/a.py"), "src/b.py"),
        (("trace", "src/a.py::go", "src/b.py::helper"), "src/b.py::helper"),
        (("modules",), "src"),
    ],
)
def test_the_first_question_about_code_reads_the_code(
    run: Run, clone: Path, words: tuple[str, ...], answer: str
) -> None:
    said = run(*words)
    assert said.code == 0, said.err
    assert answer in said.out


def test_outside_a_repository_a_question_about_a_service_makes_no_graph(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bare").mkdir()
    monkeypatch.chdir(tmp_path / "bare")
    run("remember", "Caddy comes up after WireGuard", "--about", "service:caddy")
    assert "WireGuard" in run("about", "service:caddy").out
