"""impact, about, modules, and what is added to the graph: what a person sees."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.codegraph import trees
from tests.surfaces.conftest import Run

FILES = {
    "src/app.py": "from tools import load\n\ndef main():\n    load()\n",
    "src/tools.py": "def load():\n    return 1\n",
    "src/web.py": "from app import main\n",
    "tests/test_tools.py": "from tools import load\n\ndef test_load():\n    load()\n",
}


@pytest.fixture(autouse=True)
def project(run: Run) -> Path:
    """The folder stood in, with some code and its graph."""
    root = trees.write(Path.cwd(), FILES)
    run("graph", "build")
    return root


def test_an_impact_is_a_tree_with_what_is_known_below_it(person: Run) -> None:
    person("remember", "Loading happens once", "--kind", "decision", "--about", "src/tools.py")
    person("remember", "Tools are old", "--kind", "fact", "--about", "src/app.py")
    said = person("impact", "src/tools.py").out.splitlines()
    assert said[:3] == [
        "src/tools.py  score 1.7: 1 files directly, 1 by way of others",
        "└── src/app.py  imports 0.90",
        "    └── src/web.py  imports 0.81",
    ]
    assert said[3:5] == ["tests", "  tests/test_tools.py  imports 0.90"]
    assert said[5] == "has to hold"
    assert said[6].startswith("  Loading happens once  decision ")
    assert said[7] == "also known"


def test_an_impact_as_json_holds_everything(person: Run) -> None:
    person("remember", "Loading happens once", "--kind", "decision", "--about", "src/tools.py::load")
    found = person("impact", "load", "--depth", "1", "--json").json
    assert (found["target"]["key"], found["depth"], found["score"]) == ("src/tools.py::load", 1, 0.9)
    assert [one["path"] for one in found["dependents"]] == ["src/app.py"]
    assert found["tests"][0]["is_test"] is True
    assert found["invariants"][0]["memory"]["text"] == "Loading happens once"


def test_about_shows_neighbours_and_memories(run: Run) -> None:
    run("remember", "Tools are old", "--kind", "fact", "--about", "src/tools.py")
    said = run("about", "src/tools.py").out
    assert said.startswith("file:src/tools.py  file, module src\nmemories\n  Tools are old  fact ")
    assert "depends on it\n  src/app.py  imports 0.90\n" in said
    assert "holds\n  load  function\n" in said
    found = run("about", "src/tools.py", "--json").json
    assert (found["module"], found["memories"][0]["depth"]) == ("src", 0)


def test_about_something_unknown_says_so(run: Run) -> None:
    assert run("about", "service:nobody").out == "Nothing is known about that.\n"
    assert run("about", "load", "--json").json["subject"] == "symbol:src/tools.py::load"


def test_modules_are_a_table(run: Run) -> None:
    said = run("modules").out.splitlines()
    assert [line.split()[0] for line in said] == ["module", "src", "tests"]
    found = run("modules", "--json").json["modules"]
    assert (found[0]["name"], found[0]["coupling"], found[0]["used_by"]) == ("src", 0.4, {"tests": 2})


def test_what_is_added_is_listed_with_who_said_so(run: Run) -> None:
    assert run("graph", "added").out == "Nothing was added to this graph.\n"
    assert run(
        "graph", "add", "invariant", "load once", "--text", "It loads once.", "--about", "load"
    ).out == ("Added invariant:load once\n")
    assert run("graph", "link", "src/app.py::main", "is_entrypoint_for", "src/").code == 0
    said = run("graph", "added").out
    assert "invariant:load once: It loads once.  agent (agent), " in said
    assert "src/tools.py::load depends_logically invariant:load once  agent (agent), " in said
    assert "invariant:load once: It loads once.  added by agent" in run("impact", "load").out
    assert run("graph", "remove", "invariant:load once").code == 0
    assert "load once" not in run("graph", "added").out
    assert run("graph", "remove", "src/app.py::main", "is_entrypoint_for", "src").code == 0


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("graph", "add", "rumour", "x"), 2),
        (("graph", "add", "pattern", " "), 2),
        (("graph", "link", "src/app.py", "calls", "src/tools.py"), 2),
        (("graph", "link", "src/app.py", "flows_to", "nowhere.py"), 1),
        (("graph", "remove", "invariant:none"), 1),
        (("graph", "remove", "src/app.py", "flows_to"), 2),
        (("graph", "add", "pattern", "x", "--confidence", "0"), 2),
        (("impact", "nowhere.py"), 1),
        (("impact", "nobody"), 1),
        (("about", "nobody"), 2),
    ],
)
def test_bad_words_get_an_error_and_change_nothing(run: Run, words: tuple[str, ...], code: int) -> None:
    said = run(*words, "--json")
    assert said.code == code
    assert said.error["message"]
    assert run("graph", "added", "--json").json["nodes"] == []
    assert run("graph", "added", "--json").json["edges"] == []
