"""The code desk: the graph of the checkout around the folder, and what is added to it by hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.secret_shapes import examples
from recollect import Recollect
from recollect.codegraph.manual_edges import Additions
from recollect.errors import BadInput, NotFound, OnlyAPerson
from recollect.model.code import EdgeKind, NodeKind
from recollect.model.provenance import Channel
from tests.codegraph import trees
from tests.conftest import Clock
from tests.hash_embedder import HashEmbedder

FILES = {"app.py": "from tools import load\n\ndef main():\n    load()\n", "tools.py": "def load(): ...\n"}


@pytest.fixture
def at_code(tmp_path: Path, clock: Clock) -> Iterator[Recollect]:
    root = trees.write(tmp_path / "code", FILES)
    with Recollect(tmp_path / "m.db", folder=root, embedder=HashEmbedder(), clock=clock) as memory:
        yield memory


def test_it_builds_and_answers(at_code: Recollect) -> None:
    steps: list[tuple[int, int]] = []
    built = at_code.code.build(lambda done, total: steps.append((done, total)))
    assert (built.files, steps[-1]) == (2, (2, 2))
    assert at_code.code.status().files == 2
    assert [one.node.key for one in at_code.code.dependents("tools.py")] == ["app.py", "app.py::main"]
    assert [one.node.key for one in at_code.code.dependencies("app.py::main")] == ["tools.py::load"]
    assert len(at_code.code.trace("app.py", "tools.py")) == 1


def test_what_is_added_says_who_added_it(at_code: Recollect, clock: Clock) -> None:
    at_code.code.build()
    node = at_code.code.add_node("invariant", "loaded once", "It is loaded once.", confidence=0.8)
    edge = at_code.code.add_edge(node.key, "depends_logically", "tools.py::load")
    assert (node.kind, node.added_by, node.added_at) == (NodeKind.INVARIANT, "user", clock())
    assert (edge.kind, edge.channel) == (EdgeKind.DEPENDS_LOGICALLY, "user")
    assert "invariant:loaded once" in [one.node.key for one in at_code.code.dependents("tools.py::load")]


@pytest.mark.parametrize("kind", ["function", "file"])
def test_what_is_read_from_code_cannot_be_added(at_code: Recollect, kind: str) -> None:
    at_code.code.build()
    with pytest.raises(BadInput, match="read from the code"):
        at_code.code.add_node(kind, "x", "y")
    with pytest.raises(BadInput, match="read from the code"):
        at_code.code.add_edge("app.py", "calls", "tools.py")


def test_bad_additions_change_nothing(at_code: Recollect) -> None:
    with pytest.raises(BadInput, match="there is no kind 'rumour'"):
        at_code.code.add_node("rumour", "x", "y")
    with pytest.raises(BadInput, match="needs a name"):
        at_code.code.add_node("pattern", " ", "y")
    at_code.code.build()
    with pytest.raises(BadInput, match="confidence"):
        at_code.code.add_edge("app.py", "flows_to", "tools.py", confidence=0)
    with pytest.raises(NotFound, match="nowhere"):
        at_code.code.add_node("pattern", "x", about=["app.py", "nowhere.py"])
    with pytest.raises(NotFound, match="invariant:none"):
        at_code.code.add_edge("app.py", "flows_to", "invariant:none")
    assert at_code.code.dependents("app.py") == []
    assert at_code.code.added() == Additions()


def test_what_was_added_is_listed_and_can_be_taken_back(at_code: Recollect) -> None:
    at_code.code.build()
    at_code.code.add_node("pattern", "loader", "Everything is loaded once.", about=["app.py::main"])
    at_code.code.add_edge("app.py", "is_entrypoint_for", "tools.py")
    found = at_code.code.added()
    assert [node.key for node in found.nodes] == ["pattern:loader"]
    assert [(edge.source, edge.kind, edge.target) for edge in found.edges] == [
        ("app.py", "is_entrypoint_for", "tools.py"),
        ("app.py::main", "applies_pattern", "pattern:loader"),
    ]
    at_code.code.remove_node("pattern:loader")
    assert [edge.kind for edge in at_code.code.added().edges] == ["is_entrypoint_for"]
    at_code.code.remove_edge("app.py", "is_entrypoint_for", "tools.py")
    assert at_code.code.added() == Additions()
    with pytest.raises(NotFound, match="pattern:loader"):
        at_code.code.remove_node("pattern:loader")


def test_no_secret_gets_into_the_graph(at_code: Recollect) -> None:
    example = next(iter(examples(seed=6, per_shape=1)))
    node = at_code.code.add_node("decision", "keys", f"Hidden\u200b: {example.text}")
    assert example.secret not in node.text
    assert "\u200b" not in node.text
    assert at_code.code.added().nodes == (node,)


def test_an_agent_leaves_what_a_person_added(at_code: Recollect, tmp_path: Path, clock: Clock) -> None:
    at_code.code.build()
    at_code.code.add_node("invariant", "loaded once", "It is loaded once.", about=["tools.py"])
    with Recollect(
        tmp_path / "m.db",
        folder=tmp_path / "code",
        embedder=HashEmbedder(),
        clock=clock,
        actor="agent",
        channel=Channel.AGENT,
    ) as agent:
        with pytest.raises(OnlyAPerson):
            agent.code.add_node("invariant", "loaded once", "Anything goes.")
        with pytest.raises(OnlyAPerson):
            agent.code.remove_node("invariant:loaded once")
        with pytest.raises(OnlyAPerson):
            agent.code.remove_edge("tools.py", "depends_logically", "invariant:loaded once")
        assert agent.code.add_node("invariant", "mine").channel is Channel.AGENT
        assert agent.code.remove_node("invariant:mine").added_by == "agent"
    assert at_code.code.added().nodes[0].text == "It is loaded once."


def test_a_module_of_a_file_is_told(at_code: Recollect) -> None:
    at_code.code.build()
    assert at_code.code.module_of("app.py") == "top"
    assert at_code.code.module_of("none.py") == ""
    assert at_code.code.modules().called("top").files == ("app.py", "tools.py")
    with pytest.raises(NotFound, match="nothing"):
        at_code.code.modules().called("nothing")


def test_before_a_build_there_is_nothing_to_ask(at_code: Recollect) -> None:
    with pytest.raises(NotFound, match="no code graph") as caught:
        at_code.code.dependents("app.py")
    assert caught.value.fix == "recollect graph build"


def test_outside_any_folder_there_is_no_graph(memory: Recollect) -> None:
    with pytest.raises(BadInput, match="needs a folder"):
        memory.code.build()
    with pytest.raises(BadInput, match="needs a folder"):
        memory.code.status()


def test_the_graph_is_loaded_only_when_asked(tmp_path: Path) -> None:
    import subprocess
    import sys

    script = (
        "import sys; from recollect import Recollect\n"
        f"with Recollect({str(tmp_path / 'm.db')!r}, folder=None) as memory: memory.list()\n"
        "assert not [name for name in sys.modules if 'tree_sitter' in name or 'codegraph' in name]\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)
