"""The graph follows the files: only what changed is read, and what others say about it is said anew."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from recollect.codegraph import build as building
from recollect.codegraph.build import build_graph
from recollect.codegraph.listing import read_status
from recollect.model.code import EdgeKind, NodeKind, SemanticEdge, SemanticNode
from recollect.model.provenance import Channel
from recollect.store.tables import code_files, code_nodes, code_notes
from tests.builders import NOON, a_db
from tests.codegraph import trees
from tests.codegraph.graphs import PROJECT, Graph, a_graph
from tests.git.repos import a_repository, a_worktree, git, isolate

APP = {
    "app/__init__.py": "",
    "app/main.py": "from app.tools import load\nfrom app import store\n\ndef main():\n    load()\n    store.save()\n",
    "app/tools.py": "def load():\n    return helper()\n\ndef helper():\n    return 1\n\ndef spare():\n    return 2\n",
    "app/store.py": "class Store:\n    def put(self): ...\n\ndef save():\n    Store().put()\n",
}


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    isolate(monkeypatch, tmp_path / "home")
    root = a_repository(tmp_path / "repo")
    trees.write(root, APP)
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "All")
    return root


@pytest.fixture
def graph(repository: Path) -> Graph:
    return a_graph(repository)


def same_as_built_anew(graph: Graph) -> bool:
    """Whether what was kept up step by step is what one whole build gives."""
    fresh = a_graph(graph.root)
    kinds = list(EdgeKind)
    return fresh.nodes() == graph.nodes() and all(fresh.edges(kind) == graph.edges(kind) for kind in kinds)


def test_a_second_build_reads_nothing(graph: Graph) -> None:
    again = graph.build()
    assert again.unchanged
    assert (again.parsed, again.cached, again.resolved) == (0, 0, 0)


def test_the_same_bytes_are_parsed_once(tmp_path: Path) -> None:
    """Also when there are so many that they are read in several steps."""
    graph = Graph(trees.write(tmp_path, {f"m{n}.py": "def f(): ...\n" for n in range(300)} | {"m.js": ""}))
    built = graph.build()
    assert (built.files, built.parsed, built.cached) == (301, 2, 299)
    assert {"m0.py::f", "m1.py::f", "m299.py::f"} <= graph.nodes().keys()


def test_only_the_changed_file_is_parsed_and_looked_through(graph: Graph) -> None:
    path = graph.root / "app/tools.py"
    path.write_text(path.read_text() + "\n# a remark\n")
    again = graph.build()
    assert (again.parsed, again.resolved) == (1, 1)
    assert same_as_built_anew(graph)


def test_a_file_that_was_only_touched_is_not_parsed(graph: Graph) -> None:
    path = graph.root / "app/tools.py"
    path.write_bytes(path.read_bytes())
    os.utime(path, ns=(1, 1))
    again = graph.build()
    assert (again.parsed, again.resolved) == (0, 0)


def test_a_function_that_is_gone_takes_its_edges_with_it(graph: Graph) -> None:
    assert ("app/main.py::main", "app/tools.py::load") in graph.edges("calls")
    (graph.root / "app/tools.py").write_text("def helper():\n    return 1\n")
    graph.build()
    assert ("app/main.py::main", "app/tools.py::load") not in graph.edges("calls")
    assert "app/tools.py::load" not in graph.nodes()
    assert same_as_built_anew(graph)


def test_a_function_that_comes_back_is_called_again(graph: Graph) -> None:
    whole = (graph.root / "app/tools.py").read_text()
    (graph.root / "app/tools.py").write_text("def helper():\n    return 1\n")
    graph.build()
    (graph.root / "app/tools.py").write_text(whole)
    assert graph.build().parsed == 0
    assert ("app/main.py::main", "app/tools.py::load") in graph.edges("calls")
    assert same_as_built_anew(graph)


def test_a_new_file_answers_an_import_that_led_nowhere(graph: Graph) -> None:
    path = graph.root / "app/store.py"
    path.write_text("from app.later import thing\n" + path.read_text())
    graph.build()
    assert ("app/store.py", "app/later.py") not in graph.edges("imports")
    (graph.root / "app/later.py").write_text("def thing(): ...\n")
    graph.build()
    assert ("app/store.py", "app/later.py") in graph.edges("imports")
    assert same_as_built_anew(graph)


def test_a_removed_file_is_gone_with_its_nodes(graph: Graph) -> None:
    (graph.root / "app/store.py").unlink()
    again = graph.build()
    assert again.removed == 1
    assert not any(key.startswith("app/store.py") for key in graph.nodes())
    assert same_as_built_anew(graph)


def test_a_rename_keeps_the_nodes(graph: Graph) -> None:
    before = graph.nums()
    git(graph.root, "mv", "app/tools.py", "app/toolbox.py")
    again = graph.build()
    after = graph.nums()
    assert again.renamed == (("app/tools.py", "app/toolbox.py"),)
    assert again.parsed == 0
    assert after["app/toolbox.py::load"] == before["app/tools.py::load"]
    assert after["app/toolbox.py"] == before["app/tools.py"]
    assert same_as_built_anew(graph)


def test_even_a_file_with_little_in_it_keeps_its_node(graph: Graph) -> None:
    before = graph.nums()["app/__init__.py"]
    git(graph.root, "mv", "app", "program")
    assert len(graph.build().renamed) == len(APP)
    assert graph.nums()["program/__init__.py"] == before
    assert same_as_built_anew(graph)


def test_a_rename_with_an_edit_keeps_the_nodes_that_are_left(graph: Graph) -> None:
    before = graph.nums()
    whole = (graph.root / "app/tools.py").read_text()
    (graph.root / "app/tools.py").unlink()
    (graph.root / "app/kit.py").write_text(whole.replace("return 2", "return 3") + "\ndef more(): ...\n")
    again = graph.build()
    assert again.renamed == (("app/tools.py", "app/kit.py"),)
    assert graph.nums()["app/kit.py::spare"] == before["app/tools.py::spare"]


def test_what_people_added_follows_a_rename(graph: Graph) -> None:
    said = {"channel": Channel.USER, "added_by": "ada", "added_at": NOON}
    rule = SemanticNode(kind=NodeKind.INVARIANT, name="never empty", text="It is never empty.", **said)  # type: ignore[arg-type]
    edge = SemanticEdge(
        source="app/tools.py::load",
        target=rule.key,
        kind=EdgeKind.DEPENDS_LOGICALLY,
        **said,  # type: ignore[arg-type]
    )
    code_notes.put_node(graph.db, PROJECT, rule)
    code_notes.put_edge(graph.db, PROJECT, edge)
    git(graph.root, "mv", "app/tools.py", "app/toolbox.py")
    graph.build()
    assert [one.source for one in code_notes.list_added_edges(graph.db, PROJECT)] == ["app/toolbox.py::load"]
    assert code_notes.list_added_nodes(graph.db, PROJECT) == [rule]
    code_notes.remove_node(graph.db, PROJECT, rule)
    assert code_notes.list_added_edges(graph.db, PROJECT) == []


def test_another_branch_costs_no_parsing(graph: Graph) -> None:
    git(graph.root, "checkout", "-q", "-b", "other")
    (graph.root / "app/tools.py").write_text("def load(): ...\n")
    git(graph.root, "commit", "-q", "-a", "-m", "Other")
    assert graph.build().parsed == 1
    git(graph.root, "checkout", "-q", "main")
    assert graph.build().parsed == 0
    git(graph.root, "checkout", "-q", "other")
    assert graph.build().parsed == 0
    assert same_as_built_anew(graph)


def test_a_worktree_costs_no_parsing_and_has_its_own_graph(graph: Graph, tmp_path: Path) -> None:
    other = Graph(a_worktree(graph.root, tmp_path / "tree"), graph.db)
    built = other.build()
    assert (built.parsed, built.cached) == (0, 4)
    (other.root / "app/store.py").unlink()
    other.build()
    assert "app/store.py" in graph.nodes()
    assert "app/store.py" not in other.nodes()


def test_a_checkout_whose_folder_is_gone_is_forgotten(graph: Graph, tmp_path: Path) -> None:
    other = Graph(a_worktree(graph.root, tmp_path / "tree"), graph.db)
    other.build()
    git(graph.root, "worktree", "remove", "--force", str(tmp_path / "tree"))
    (graph.root / "app/new.py").write_text("x = 1\n")
    graph.build()
    assert list(code_files.list_trees(graph.db, PROJECT)) == [str(graph.root)]


def test_a_caller_who_knows_the_file_needs_no_git(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*args: object) -> None:
        raise AssertionError("git was asked")

    monkeypatch.setattr(building, "list_files", never)
    path = graph.root / "app/tools.py"
    path.write_text(path.read_text() + "\ndef brand_new():\n    load()\n")
    built = build_graph(graph.db, graph.root, PROJECT, NOON, only=["app/tools.py", "app/absent.py"])
    assert (built.parsed, built.resolved) == (1, 1)
    assert ("app/tools.py::brand_new", "app/tools.py::load") in graph.edges("calls")


def test_changed_settings_have_all_names_looked_up_again(tmp_path: Path) -> None:
    files = {
        "tsconfig.json": '{"compilerOptions": {"paths": {"@/*": ["./a/*"]}}}',
        "main.ts": "import '@/x';\n",
        "a/x.ts": "export {};\n",
        "b/x.ts": "export {};\n",
    }
    graph = a_graph(trees.write(tmp_path, files))
    assert graph.edges("imports") == {("main.ts", "a/x.ts")}
    (tmp_path / "tsconfig.json").write_text('{"compilerOptions": {"paths": {"@/*": ["./b/*"]}}}')
    assert graph.build().parsed == 0
    assert graph.edges("imports") == {("main.ts", "b/x.ts")}


def test_outlines_of_an_older_version_are_read_anew(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("build", "read_files"):
        monkeypatch.setattr(f"recollect.codegraph.{module}.VERSION", 10_000)
    monkeypatch.setattr(building, "RULES", "10000.1")
    assert graph.build().parsed == len(APP)
    assert graph.build().unchanged


def test_a_build_that_was_overtaken_looks_again(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between reading and writing another process writes; nothing of either may be lost."""
    (graph.root / "app/mine.py").write_text("def mine(): ...\n")
    real = building.resolve_edges
    overtaken = []

    def slow(names: object, one: str) -> list[building.Edge]:
        if not overtaken:
            overtaken.append(one)
            (graph.root / "app/theirs.py").write_text("def theirs(): ...\n")
            build_graph(graph.db, graph.root, PROJECT, NOON)
        return real(names, one)  # type: ignore[arg-type]

    monkeypatch.setattr(building, "resolve_edges", slow)
    graph.build()
    assert {"app/mine.py::mine", "app/theirs.py::theirs"} <= graph.nodes().keys()
    assert same_as_built_anew(graph)


def test_two_processes_at_once_leave_one_whole_graph(repository: Path, tmp_path: Path) -> None:
    file = tmp_path / "graph.db"
    a_db(file).close()
    script = (
        "import sys; from pathlib import Path\n"
        "from tests.codegraph.graphs import Graph; from tests.builders import a_db\n"
        "Graph(Path(sys.argv[1]), a_db(Path(sys.argv[2]))).build()\n"
    )
    command = [sys.executable, "-c", script, str(repository), str(file)]
    here = Path(__file__).parents[2]
    started = [subprocess.Popen(command, cwd=here, stderr=subprocess.PIPE) for _ in range(2)]
    for process in started:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
    graph = Graph(repository, a_db(file))
    assert same_as_built_anew(graph)
    graph.db.close()


def test_the_status_tells_what_changed_since(graph: Graph) -> None:
    found = read_status(graph.db, graph.root)
    assert (found.files, found.changed_since, found.languages) == (4, 0, {"python": 4})
    assert found.nodes[NodeKind.FUNCTION] == 5
    assert found.edges[EdgeKind.IMPORTS] == 2
    (graph.root / "app/store.py").unlink()
    (graph.root / "app/tools.py").write_text("x = 1\n")
    assert read_status(graph.db, graph.root).changed_since == 2


def test_a_folder_that_was_never_built_has_an_empty_status(repository: Path) -> None:
    found = read_status(a_db(), repository)
    assert (found.built_at, found.files, found.changed_since) == (None, 0, 4)


def test_directories_and_modules_are_nodes(graph: Graph) -> None:
    nodes = graph.nodes()
    assert nodes["app/"].kind is NodeKind.DIRECTORY
    assert nodes["module:app"].kind is NodeKind.MODULE
    assert nodes["app/main.py"].module == "app"
    assert str(nodes["app/store.py::Store.put"].subject) == "symbol:app/store.py::Store.put"
    assert str(nodes["app/store.py"].subject) == "file:app/store.py"
    assert str(nodes["module:app"].subject) == "module:app"
    assert nodes["app/"].subject is None
    (graph.root / "app/deep").mkdir()
    (graph.root / "app/deep/x.py").write_text("x = 1\n")
    graph.build()
    assert "app/deep/" in graph.nodes()
    (graph.root / "app/deep/x.py").unlink()
    graph.build()
    assert "app/deep/" not in graph.nodes()


def test_content_nobody_has_is_forgotten_in_time(graph: Graph) -> None:
    (graph.root / "app/tools.py").write_text("def load(): ...\n")
    graph.build()
    blobs = {file.blob for file in code_files.list_files(graph.db, graph.tree).values()}
    assert code_files.delete_unused_outlines(graph.db, NOON.replace(year=NOON.year + 1)) == 1
    assert len(code_files.find_outlines(graph.db, blobs, building.VERSION)) == len(blobs)


def test_content_that_was_about_until_now_is_kept_for_another_branch(graph: Graph) -> None:
    file = next(path for path in sorted(graph.root.rglob("*.py")) if path.read_text())
    was = file.read_bytes()
    file.write_bytes(was + b"# changed\n")
    later = NOON + timedelta(days=300)
    build_graph(graph.db, graph.root, PROJECT, later)
    build_graph(graph.db, graph.root, PROJECT, later + timedelta(days=30))
    file.write_bytes(was)
    assert build_graph(graph.db, graph.root, PROJECT, later + timedelta(days=31)).parsed == 0


def test_edges_know_where_they_are_made(graph: Graph) -> None:
    nums = graph.nums()
    (found,) = code_nodes.find_edges_between(graph.db, nums["app/main.py::main"], nums["app/tools.py::load"])
    assert found == (EdgeKind.CALLS, 1.0, (5,))
