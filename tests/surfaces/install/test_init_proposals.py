"""What `init` proposes from the repository: shown with its place, a yes or no each, and words of files wait."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.surfaces.conftest import Run

RULE = "Never edit `schema.py` by hand; run `make schema` instead."


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "Makefile").write_text("test:\n\tpytest\n", encoding="utf-8")
    (folder / "CONTRIBUTING.md").write_text(f"# Rules\n\n{RULE}\n", encoding="utf-8")
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "All"]):
        subprocess.run(
            ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *words], cwd=folder, check=True
        )
    monkeypatch.chdir(folder)
    return folder


def states(run: Run) -> dict[str, str]:
    listed = run("list", "--state", "active", "--state", "quarantined", "--state", "inactive", "--json").json
    return {memory["text"]: memory["state"] for memory in listed["memories"]}


@pytest.mark.usefixtures("repository")
def test_yes_to_everything_is_no_yes_to_what_files_say(run: Run) -> None:
    said = run("init", "--yes", "--agent", "claude-code")
    assert said.code == 0, said.err
    assert " 1. Tests are run with `make test`, which runs pytest (Makefile:1).  observed" in said.out
    assert f" 2. CONTRIBUTING.md says: “{RULE}” (CONTRIBUTING.md:3).  waits for a yes" in said.out
    assert "1 of them waits for a yes, and no agent is told before: recollect review" in said.out
    by_text = states(run)
    assert [state for text, state in by_text.items() if RULE in text] == ["quarantined"]
    assert "Worth knowing" not in run("init", "--yes", "--agent", "claude-code").out, "it was proposed once"


@pytest.mark.usefixtures("repository")
def test_proposals_as_json(run: Run) -> None:
    proposals = run("init", "--yes", "--agent", "claude-code", "--json").json["proposals"]
    assert [(one["place"], one["waits"]) for one in proposals] == [
        ("Makefile:1", False),
        ("CONTRIBUTING.md:3", True),
    ]
    assert run("init", "--yes", "--agent", "claude-code", "--no-scan", "--json").json["proposals"] == []


@pytest.mark.usefixtures("repository")
@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_person_says_yes_or_no_to_each(terminal: Run, run: Run) -> None:
    answers = [("Write ", "y\n"), ("Right?", "n\n"), ("Right?", "y\n")]
    said = terminal("init", "--agent", "claude-code", answers=answers)
    assert said.code == 0, said.out
    by_text = states(run)
    assert [state for text, state in by_text.items() if RULE in text] == ["active"]
    assert not [text for text, state in by_text.items() if "make test" in text and state == "active"]


@pytest.mark.usefixtures("repository")
def test_a_scan_of_proposals_alone(run: Run) -> None:
    would = run("scan", "--proposals", "--dry-run")
    assert "Worth knowing from the first day\n  Tests are run with `make test`" in would.out
    assert run("list", "--json").json["total"] == 0
    assert run("scan", "--proposals", "--json").json["written"] == 2
