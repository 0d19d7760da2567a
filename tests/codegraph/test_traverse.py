"""Walks: who depends on what, by which way, and how a call gets there; the same warm and cold."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from recollect.codegraph import code_graph
from recollect.codegraph.breadth_first import CompactGraph, Walk
from recollect.codegraph.code_graph import CodeGraph, nearest_by_file
from recollect.errors import NotFound
from recollect.model.code import EdgeKind, NodeKind, ReachedNode, SemanticEdge, SemanticNode
from recollect.model.provenance import Channel
from recollect.store.tables import code_notes
from tests.builders import NOON
from tests.codegraph import trees
from tests.codegraph.graphs import PROJECT, Graph, a_graph

FILES = {
    "pkg/__init__.py": "",
    "pkg/low.py": "def base():\n    return 1\n\nclass Thing:\n    def act_strongly(self):\n        return base()\n",
    "pkg/mid.py": (
        "from pkg.low import base, Thing\n\ndef middle():\n    base()\n    return base()\n\n"
        "class Other(Thing):\n    pass\n"
    ),
    "pkg/top.py": "from pkg.mid import middle\n\ndef top():\n    return middle()\n",
    "alone.py": "def unheard(x):\n    x.act_strongly()\n",
}


@pytest.fixture
def built(tmp_path: Path) -> Graph:
    return a_graph(trees.write(tmp_path, FILES))


@pytest.fixture(params=["load_graph", "open_graph"])
def graph(request: pytest.FixtureRequest, built: Graph) -> CodeGraph:
    found: CodeGraph = getattr(code_graph, request.param)(built.db, built.tree)
    return found


def keys(reached: list[ReachedNode]) -> dict[str, int]:
    return {one.node.key: one.depth for one in reached}


def test_dependents_come_by_depth(graph: CodeGraph) -> None:
    found = graph.dependents("pkg/low.py")
    assert keys(found) == {
        "pkg/mid.py": 1,
        "pkg/mid.py::middle": 1,
        "pkg/mid.py::Other": 1,
        "pkg/top.py": 2,
        "pkg/top.py::top": 2,
    }
    assert [one.depth for one in found] == sorted(one.depth for one in found)


def test_a_depth_is_kept(graph: CodeGraph) -> None:
    assert max(one.depth for one in graph.dependents("pkg/low.py", depth=1)) == 1


def test_a_limit_is_kept_and_the_strongest_come_first(graph: CodeGraph) -> None:
    (found,) = graph.dependents("pkg/low.py", limit=1)
    assert found.node.key == "pkg/mid.py"
    assert found.weight == pytest.approx(0.9)


def test_a_way_leads_from_the_start_to_the_node(graph: CodeGraph) -> None:
    found = {one.node.key: one for one in graph.dependents("pkg/low.py::base")}
    assert found["pkg/top.py::top"].way == ("pkg/low.py::base", "pkg/mid.py::middle", "pkg/top.py::top")
    assert found["pkg/top.py::top"].weight == pytest.approx(0.8 * 0.8)
    assert found["pkg/top.py::top"].kind is EdgeKind.CALLS


def test_dependencies_go_the_other_way(graph: CodeGraph) -> None:
    assert keys(graph.dependencies("pkg/top.py::top")) == {"pkg/mid.py::middle": 1, "pkg/low.py::base": 2}


def test_a_class_stands_for_its_methods(graph: CodeGraph) -> None:
    assert keys(graph.dependencies("pkg/low.py::Thing")) == {"pkg/low.py::base": 1}


def test_folders_and_modules_stand_for_what_is_in_them(graph: CodeGraph) -> None:
    assert keys(graph.dependencies("pkg/")) == {}
    assert keys(graph.dependencies("module:pkg")) == {}
    assert keys(graph.dependents("pkg/", weak=True)) == {"alone.py::unheard": 1}


def test_what_only_a_name_speaks_for_must_be_asked_for(graph: CodeGraph) -> None:
    assert "alone.py::unheard" not in keys(graph.dependents("pkg/low.py::Thing"))
    found = {one.node.key: one for one in graph.dependents("pkg/low.py::Thing", weak=True)}
    assert found["alone.py::unheard"].weight == pytest.approx(0.8 * 0.4)


def test_files_are_told_once_each(graph: CodeGraph) -> None:
    found = nearest_by_file(graph.dependents("pkg/low.py"))
    assert {path: one.depth for path, one in found.items()} == {"pkg/mid.py": 1, "pkg/top.py": 2}


def test_a_trace_names_the_lines_of_the_calls(graph: CodeGraph) -> None:
    hops = graph.trace("pkg/top.py::top", "pkg/low.py::base")
    assert [(hop.source.key, hop.target.key, hop.lines) for hop in hops] == [
        ("pkg/top.py::top", "pkg/mid.py::middle", (4,)),
        ("pkg/mid.py::middle", "pkg/low.py::base", (4, 5)),
    ]


def test_no_trace_is_an_answer(graph: CodeGraph) -> None:
    assert graph.trace("pkg/low.py::base", "pkg/top.py::top") == []


def test_a_place_that_is_not_there_is_said_to_be_missing(graph: CodeGraph) -> None:
    with pytest.raises(NotFound, match=r"pkg/none\.py"):
        graph.dependents("pkg/none.py")


@pytest.mark.parametrize("way", ["load_graph", "open_graph"])
def test_what_people_added_is_walked_too(built: Graph, way: str) -> None:
    said = {"channel": Channel.AGENT, "added_by": "agent", "added_at": NOON}
    rule = SemanticNode(kind=NodeKind.INVARIANT, name="one base", text="There is one base.", **said)  # type: ignore[arg-type]
    code_notes.put_node(built.db, PROJECT, rule)
    for source, target in (
        (rule.key, "pkg/low.py::base"),
        ("alone.py", "pkg/top.py"),
        ("gone.py", "pkg/top.py"),
    ):
        edge = SemanticEdge(source=source, target=target, kind=EdgeKind.DEPENDS_LOGICALLY, **said)  # type: ignore[arg-type]
        code_notes.put_edge(built.db, PROJECT, edge)
    graph: CodeGraph = getattr(code_graph, way)(built.db, built.tree)
    found = {one.node.key: one for one in graph.dependents("pkg/low.py::base")}
    assert found["invariant:one base"].node.kind is NodeKind.INVARIANT
    assert found["invariant:one base"].weight == pytest.approx(0.5)
    assert keys(graph.dependents("pkg/top.py")) == {"alone.py": 1}
    assert keys(graph.dependencies("invariant:one base")) == {"pkg/low.py::base": 1}


def test_whole_levels_at_once_and_one_by_one_say_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(3)
    kinds = list(EdgeKind)
    edges = [
        (chance.randrange(300), chance.randrange(300), chance.choice(kinds), chance.choice((0.4, 1.0)))
        for _ in range(900)
    ]
    graph = CompactGraph(range(300), edges)
    import numpy  # noqa: F401

    for start in range(40):
        for back in (True, False):
            how = Walk(back, 3, 60, frozenset(kinds[:6]), 1.0 if start % 2 else 0.0)
            fast = graph.walk([start, start + 1], how)
            with monkeypatch.context() as plain:
                plain.delitem(sys.modules, "numpy")
                slow = graph.walk([start, start + 1], how)
            assert [(s.num, s.depth, round(s.weight, 9)) for s in fast] == [
                (s.num, s.depth, round(s.weight, 9)) for s in slow
            ]


def test_a_graph_without_edges_can_be_walked() -> None:
    graph = CompactGraph([5, 7], [])
    assert graph.walk([5, 99], Walk(True, 3, 10, frozenset(EdgeKind), 0.0)) == []
    assert len(graph) == 2
