"""What the command line says of memories whose files moved, changed or went."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.git.repos import a_repository, commit, git, isolate
from tests.surfaces.conftest import Run

CODE = "".join(f"line {number} of something\n" for number in range(30))


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> Path:
    """A repository with three files, a memory about each, and what then became of them."""
    isolate(monkeypatch, tmp_path / "git-home")
    folder = a_repository(tmp_path / "shop")
    for name in ("moved", "gone", "changed"):
        commit(folder, f"{name}.py", CODE + name)
    monkeypatch.chdir(folder)
    for name in ("moved", "gone", "changed"):
        assert (
            run("remember", f"Tokens are renewed in the {name} file", "-a", f"{name}.py", "-k", "gotcha").code
            == 0
        )
    git(folder, "mv", "moved.py", "here.py")
    git(folder, "rm", "-q", "gone.py")
    commit(folder, "changed.py", CODE + "changed\nand more\n")
    return folder


def test_a_sweep_says_what_it_did_and_what_is_stale(shop: Path, run: Run) -> None:
    assert run("stale").out == "Nothing is stale here.\n"
    said = run("stale", "--sweep")
    assert "Followed moved.py → here.py" in said.out
    assert "[STALE — gone.py no longer exists] Tokens are renewed in the gone file" in said.out
    assert "3 files looked at; 1 have changed" in said.err
    assert run("stale").out.count("\n") == 1
    swept = run("stale", "--sweep", "--json").json
    assert [memory["stale_why"] for memory in swept["stale"]] == ["gone.py no longer exists"]
    assert swept["swept"]["finished"] is True
    assert swept["swept"]["moved"] == []
    assert run("stale", "--json").json["swept"] is None


def test_recall_list_and_show_say_it_first(shop: Path, run: Run) -> None:
    run("stale", "--sweep")
    recalled = run("recall", "tokens renewed gone file").out.splitlines()
    stale = next(n for n, line in enumerate(recalled) if "[STALE — gone.py no longer exists]" in line)
    assert stale > next(n for n, line in enumerate(recalled) if "the changed file" in line)
    assert any("changed.py has changed since: 1 commit, 1 line" in line for line in recalled)
    assert any("here.py was moved.py then" in line for line in recalled)
    assert "[STALE — gone.py no longer exists] Tokens" in run("list").out
    hits = run("recall", "tokens renewed", "--json").json["hits"]
    assert [hit["memory"]["stale_why"] for hit in hits][-1] == "gone.py no longer exists"
    assert {note for hit in hits for note in hit["notes"]} >= {
        "changed.py has changed since: 1 commit, 1 line"
    }
    assert all(
        hit["memory"]["stale_at"] is None for hit in run("recall", "tokens", "--fresh", "--json").json["hits"]
    )
    gone = hits[-1]["memory"]["id"]
    assert run("show", gone).out.startswith("[STALE — gone.py no longer exists] Tokens")
    assert run("show", gone, "--json").json["files"][0]["state"] == "gone"
    changed = next(hit["memory"]["id"] for hit in hits if hit["notes"] and "changed" in hit["notes"][0])
    assert "changed.py has changed since: 1 commit, 1 line" in run("show", changed).out


def test_what_a_sweep_did_is_told_and_taken_back_by_naming_the_memory(
    shop: Path, run: Run, person: Run
) -> None:
    run("stale", "--sweep")
    assert "file:moved.py → file:here.py" in run("history").out
    ids = {memory["about"][0]: memory["id"] for memory in run("list", "--json").json["memories"]}
    assert person("undo", ids["file:gone.py"]).out.startswith("Took back: stale")
    assert person("undo", ids["file:here.py"]).out.startswith("Took back: moved")
    assert run("stale").out == "Nothing is stale here.\n"


def test_undo_without_a_name_takes_back_what_somebody_did_not_what_a_sweep_did(
    shop: Path, person: Run
) -> None:
    person("remember", "The last thing somebody did")
    person("stale", "--sweep")
    assert person("undo").out.startswith("Took back: remember")
