"""bench graph: what it measures, and that a peer who sees other imports is heard."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from benchmarks import graph
from recollect.errors import BadInput
from tests.codegraph import trees

PYTHON = {
    "shop/__init__.py": "from shop.cart import Cart\n",
    "shop/cart.py": "from shop import money\n\nclass Cart:\n    def pay(self):\n        money.pay()\n",
    "shop/money.py": "def pay():\n    import shop.cart\n",
}
SCRIPTS = {
    "src/a.ts": "import './b';\nimport './c';\n",
    "src/b.ts": "export {};\n",
    "src/c.ts": "export {};\n",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return trees.write(tmp_path / "tree", PYTHON | SCRIPTS)


def a_madge(folder: Path, answer: object) -> str:
    """A program that says about imports what it is told to say."""
    program = folder / "madge"
    program.write_text(f"#!{sys.executable}\nprint({json.dumps(answer)!r})\n")
    program.chmod(0o755)
    return str(program)


def test_a_tree_is_measured_beside_grimp(tree: Path) -> None:
    before = {path: path.read_bytes() for path in tree.rglob("*.*")}
    found = graph.run(tree, madge=None, sizes=(200,))
    ours = found.systems["recollect"]
    assert (ours["files"], ours["edges"] > 5, ours["nodes"] > 6) == (6, True, True)
    assert ours["files_per_s_all_processors"] > 0
    assert found.systems["grimp"]["imports"] == 3
    assert (ours["imports_precision_grimp"], ours["imports_recall_grimp"]) == (100, 100)
    assert found.disagreements["grimp"] == {"only_recollect": [], "only_grimp": []}
    assert {goal["what"] for goal in found.goals} >= {"files per CPU second", "imports as grimp, recall %"}
    assert {path: path.read_bytes() for path in tree.rglob("*.*")} == before


def test_impact_is_held_against_a_history(tree: Path, tmp_path: Path) -> None:
    log = tmp_path / "commits.jsonl"
    together = [["M", "shop/cart.py"], ["M", "shop/money.py"], ["M", "src/b.ts"], ["M", "gone.py"]]
    apart = [["M", "src/a.ts"]]
    lines = [
        json.dumps({"sha": f"{n}", "time": n, "files": files})
        for n, files in enumerate([together, apart] * 5)
    ]
    log.write_text("\n".join(lines))
    found = graph.run(tree, history=log, sizes=(200,))
    assert found.history["imports"]["named"] < found.history["impact"]["named"] == 100
    assert found.history["impact"]["commits"] == 1
    assert "changed files named, beside the better of its parts, %" in {goal["what"] for goal in found.goals}


@pytest.mark.skipif(sys.platform == "win32", reason="a script cannot be run as a program")
def test_a_peer_who_sees_other_imports_is_heard(tree: Path, tmp_path: Path) -> None:
    madge = a_madge(tmp_path, {"a.ts": ["b.ts"], "b.ts": ["c.ts"], "c.ts": []})
    found = graph.run(tree, madge=madge, sizes=(200,))
    assert found.disagreements["madge"] == {
        "only_recollect": [("src/a.ts", "src/c.ts")],
        "only_madge": [("src/b.ts", "src/c.ts")],
    }
    assert found.systems["recollect"]["imports_precision_madge"] == 50
    missed = {goal["what"] for goal in found.goals if goal["verdict"] == "MISS"}
    assert {"imports as madge, precision %", "imports as madge, recall %"} <= missed


def test_a_folder_without_code_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no code"):
        graph.run(tmp_path)
    with pytest.raises(BadInput, match="not a folder"):
        graph.run(tmp_path / "none")
