"""graph, deps and trace: what a person sees of the code graph."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.codegraph import trees
from tests.surfaces.conftest import Run

FILES = {
    "app.py": "from tools import load\n\ndef main():\n    load()\n",
    "tools.py": "def load():\n    return 1\n",
    "big.py": "x = 1\n" * 200_000,
}


@pytest.fixture(autouse=True)
def project() -> Path:
    """The folder stood in, with some code."""
    return trees.write(Path.cwd(), FILES)


def test_a_build_says_what_it_read(run: Run) -> None:
    assert run("graph", "build").out == "2 files: 2 parsed, 0 known already, 2 looked through.\n"
    assert run("graph", "build").out == "Up to date: 2 files.\n"


def test_a_build_says_what_was_renamed_and_removed(run: Run, project: Path) -> None:
    run("graph", "build")
    (project / "tools.py").rename(project / "kit.py")
    (project / "app.py").unlink()
    said = run("graph", "build").out
    assert "renamed: tools.py → kit.py\n" in said
    assert "removed: 1\n" in said


def test_a_build_as_json(run: Run) -> None:
    assert run("graph", "build", "--json").json == {
        "schema": 1,
        "files": 2,
        "parsed": 2,
        "cached": 0,
        "resolved": 2,
        "renamed": [],
        "removed": 0,
    }


def test_the_status_tells_limits(run: Run, project: Path) -> None:
    assert "`recollect graph build` makes it" in run("graph", "status").out
    run("graph", "build")
    (project / "app.py").write_text("def broken(:\n")
    run("graph", "build")
    (project / "new.py").write_text("x = 1\n")
    said = run("graph", "status").out
    assert "2 files (2 python)" in said
    assert "left out, too large: 1, such as big.py" in said
    assert "1 files have errors in them" in said
    assert "1 files changed since" in said


def test_the_status_as_json(run: Run) -> None:
    run("graph", "build")
    found = run("graph", "status", "--json").json
    assert found["edges"] == {"calls": 1, "exports": 2, "imports": 1}
    assert found["left_out"] == {"too large": 1}


def test_deps_show_what_a_file_needs_and_who_needs_it(run: Run) -> None:
    run("graph", "build")
    assert "  tools.py  imports 0.90\n" in run("deps", "app.py").out
    assert "  app.py::main  calls 0.80\n" in run("deps", "tools.py::load", "--back").out
    assert run("deps", "tools.py").out == "It depends on nothing here.\n"
    assert run("deps", "app.py", "--back").out == "Nothing depends on it.\n"
    found = run("deps", "tools.py", "--back", "--json").json
    assert [one["node"]["key"] for one in found["reached"]] == ["app.py", "app.py::main"]


def test_a_trace_prints_the_call_sites(run: Run) -> None:
    run("graph", "build")
    assert run("trace", "app.py::main", "tools.py::load").out == (
        "app.py::main\n  → tools.py::load  app.py:4\n"
    )
    assert run("trace", "tools.py::load", "app.py::main").out == "No path of calls leads there.\n"
    found = run("trace", "app.py::main", "tools.py::load", "--json").json
    assert found["hops"][0]["lines"] == [4]


def test_without_a_graph_one_is_built_and_asked(run: Run) -> None:
    run("remember", "something")
    said = run("deps", "app.py", "--json")
    assert said.code == 0
    assert said.json["place"] == "app.py"


def test_a_place_that_is_not_in_the_graph_is_named(run: Run) -> None:
    run("graph", "build")
    said = run("deps", "nowhere.py", "--json")
    assert (said.code, said.error["code"]) == (1, "not_found")
