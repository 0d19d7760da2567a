"""Slips of the finger, closed pipes and broken repositories: nothing is overwritten, lost or said that is not so."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from recollect import Recollect
from recollect.model.event import EventType
from recollect.model.memory import MemoryState
from tests.git.repos import a_repository, an_empty_repository, commit, commit_all, git, isolate
from tests.surfaces.conftest import RECOLLECT, Run
from tests.surfaces.test_cli_review import a_store, state_of, waiting

# -- export ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [("export",), ("export", "memories")])
def test_an_export_leaves_a_file_that_is_there_as_it_is(run: Run, words: tuple[str, ...]) -> None:
    run("remember", "Prices are in cents")
    Path("README.md").write_text("mine")
    Path("link.md").symlink_to("nowhere")
    for name in ("README.md", "link.md"):
        said = run(*words, name, "--json")
        assert (said.code, said.error["code"]) == (2, "bad_input")
        assert "is there already" in said.error["message"]
    assert Path("README.md").read_text() == "mine"
    assert not Path("nowhere").exists()
    assert not list(Path().glob("*.partial"))


@pytest.mark.parametrize("word", ["sessoins", "session", "memoires", "Sessions", "memorie"])
def test_a_mistyped_word_behind_export_makes_no_file_and_the_nearest_is_named(run: Run, word: str) -> None:
    run("remember", "Prices are in cents")
    said = run("export", word)
    assert said.code == 2
    assert "Did you mean " + ("sessions" if word.lower().startswith("s") else "memories") in said.err
    assert not Path(word).exists()
    assert run("export", f"./{word}").code == 0, "a file of that name can still be had"


# -- review ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("typed", ["\n", "   \n", "Came by an import\n"])
def test_an_edit_without_a_new_text_changes_nothing(terminal: Run, tmp_path: Path, typed: str) -> None:
    first, *_ = waiting(tmp_path)
    before = state_of(tmp_path, first)
    said = terminal("review", answers=[("1 of 3", "e"), ("New text", typed), ("[q]uit", "q")])
    assert said.code == 0, said.out
    assert "Corrected" not in said.out
    assert "Nothing was changed." in said.out
    assert "3 left for later" in said.out
    assert state_of(tmp_path, first) == before
    with a_store(tmp_path) as memory:
        assert first in [one.memory.id for one in memory.reviews.pending()]


# -- repositories that lack something --------------------------------------------------------------------


@pytest.fixture
def _own_git(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    isolate(monkeypatch, tmp_path / "person")


@pytest.mark.usefixtures("_own_git")
def test_a_repository_without_a_commit_is_set_up_like_any_other(run: Run, tmp_path: Path) -> None:
    top = an_empty_repository(tmp_path / "new")
    (top / "shop.py").write_text("def price():\n    return 3\n")
    said = run("init", "--yes", "--agent", "claude-code", "--project", str(top), "--json")
    assert said.code == 0, said.err
    assert said.json["learned"]["commits"] == 0
    assert said.json["learned"]["files"] == 1
    assert run("learn", "--history", "--project", str(top), "--json").json["commits"] == 0


@pytest.mark.usefixtures("_own_git")
def test_a_branch_without_a_commit_leaves_what_was_learned(run: Run, tmp_path: Path) -> None:
    top = a_repository(tmp_path / "shop")
    commit(top, "shop.py", "one\n")
    assert run("learn", "--history", "--project", str(top), "--json").json["commits"] >= 1
    git(top, "checkout", "-q", "--orphan", "fresh")
    said = run("learn", "--history", "--project", str(top), "--json")
    assert (said.code, said.json["commits"]) == (0, 0)


@pytest.mark.usefixtures("_own_git")
def test_a_missing_blob_is_said_and_stops_neither_history_nor_graph_nor_scan(
    run: Run, tmp_path: Path
) -> None:
    top = a_repository(tmp_path / "shop")
    body = "def price():\n    return 3\n" * 20
    commit(top, "old.py", body)
    git(top, "mv", "old.py", "new.py")
    (top / "new.py").write_text(body + "x = 1\n")
    git(top, "commit", "-aqm", "Move")
    blob = git(top, "rev-parse", "HEAD~1:old.py")
    (top / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    said = run("init", "--yes", "--agent", "claude-code", "--project", str(top))
    assert said.code == 0, said.err
    assert "Git lacks the content of some files" in said.err
    assert "of code (who calls whom)" in said.out
    assert "Nothing is proposed" not in said.err


@pytest.mark.usefixtures("_own_git")
def test_where_git_cannot_answer_the_other_steps_go_on(run: Run, tmp_path: Path) -> None:
    top = a_repository(tmp_path / "shop")
    commit(top, "shop.py", "def price():\n    return 3\n")
    tree = git(top, "rev-parse", "HEAD~1^{tree}")
    (top / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    said = run("init", "--yes", "--agent", "claude-code", "--project", str(top))
    assert said.code == 0, said.err
    assert "The commits were not learned from: git gave no answer" in said.err
    assert "1 file of code" in said.out or "files of code" in said.out


# -- a reader that is gone -------------------------------------------------------------------------------


@pytest.mark.parametrize("pipe", ["| true", "2>&1 | true", "--json | true", "2>&1 | head -1"])
def test_a_reader_that_is_gone_does_not_stop_the_writing(tmp_path: Path, pipe: str) -> None:
    home = tmp_path / "person"
    home.mkdir()
    command = " ".join([*RECOLLECT, "init", "--yes", "--agent", "claude-code", pipe])
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"],
        capture_output=True,
        env=os.environ | {"HOME": str(home), "USERPROFILE": str(home)},
        timeout=60,
        check=False,
    )
    assert done.returncode == 0
    assert "recollect" in json.loads((home / ".claude.json").read_text())["mcpServers"]
    assert (home / ".claude" / "settings.json").exists()


# -- names that nothing has ------------------------------------------------------------------------------


def test_what_is_about_a_file_that_is_not_there_is_kept_with_a_word_about_it(run: Run) -> None:
    Path("shop.py").write_text("x")
    said = run("remember", "Prices are in cents", "--about", "shpo.py", "--about", "shop.py")
    assert (said.code, said.out[:10]) == (0, "Remembered")
    assert said.err == "There is no file shpo.py here (yet).\n"
    first = run("list", "--json").json["memories"][0]["id"]
    assert "shpo2.py" in run("edit", first, "--about", "src/shpo2.py").err
    assert "no file" not in run("edit", first, "--about", "shop.py::price", "--about", "person:alex").err
    assert "shpo3.py" in run("note", "Odd", "--session", "s1", "--about", "shpo3.py").err
    assert "shpo4.py" in run("work", "dead-end", "A", "--session", "s1", "--about", "shpo4.py").err


SESSION = "5b0c9a52-1d1f-4b7e-9d5f-000000000001"


@pytest.mark.parametrize(
    "words",
    [
        ("note", "Odd"),
        ("remember", "Odd"),
        ("validate", "pass"),
        ("work", "start", "spec_1"),
        ("work", "finish", "spec_1"),
        ("work", "dead-end", "A"),
        ("learn",),
        ("qa", "report.json"),
    ],
    ids=" ".join,
)
def test_a_mistyped_session_is_refused_with_the_nearest(run: Run, words: tuple[str, ...]) -> None:
    with Recollect() as memory:
        memory.observer.record(EventType.SESSION_STARTED, session=SESSION)
    Path("report.json").write_text('{"verdict": "pass", "issues": []}')
    for mistyped in (SESSION[:-1] + "2", SESSION[:8]):
        said = run(*words, "--session", mistyped, "--json")
        assert (said.code, said.error["code"]) == (1, "not_found")
        assert f"Did you mean {SESSION}?" in said.error["message"]
    with Recollect() as memory:
        assert [one.id for one in memory.observer.sessions()] == [SESSION]
    assert run(*words, "--session", SESSION).code == 0


def test_a_session_begins_by_a_name_that_is_nobodys_or_that_the_environment_gives(run: Run) -> None:
    assert run("work", "start", "spec_1", "--session", "first", "--json").json["session"] == "first"
    said = run("work", "start", "spec_1", "--json", RECOLLECT_SESSION="second")
    assert said.json["session"] == "second"


# -- counts ----------------------------------------------------------------------------------------------


def test_stats_and_review_count_the_same(run: Run, tmp_path: Path) -> None:
    waiting(tmp_path)
    pending = run("review", "--json").json["waiting"]
    assert {one["memory"]["state"] for one in pending} > {MemoryState.ACTIVE}
    assert run("stats", "--json").json["needs_review"] == len(pending) == 3
    run("forget", pending[0]["memory"]["id"])
    assert run("stats", "--json").json["needs_review"] == len(run("review", "--json").json["waiting"]) == 2


@pytest.mark.usefixtures("_own_git")
def test_a_percentage_says_what_it_is_of(run: Run, tmp_path: Path) -> None:
    top = a_repository(tmp_path / "shop")
    for number in range(4):
        (top / "cart.py").write_text(f"import price\nx = {number}\n")
        (top / "price.py").write_text(f"y = {number}\n")
        commit_all(top)
    run("init", "--yes", "--agent", "claude-code", "--project", str(top))
    impact = run("impact", "price.py", "--project", str(top)).out
    about = run("about", "price.py", "--project", str(top)).out
    for line in (impact + about).splitlines():
        assert "%" not in line or "% of what changes along" in line, line
    assert "% of what changes along" in about
    modules = run("modules", "--project", str(top)).out
    assert "%" not in modules
    assert " of " in modules
