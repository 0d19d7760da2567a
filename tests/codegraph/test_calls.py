"""Calls mean what a reader would say they mean: truth written by hand beside each line, in five languages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.codegraph import trees
from tests.codegraph.graphs import a_graph

LANGUAGES = sorted(path.stem for path in (trees.HERE / "calls").glob("*.txt"))
FEWEST_CALLS = 300
LEAST_PRECISION = 0.95
LEAST_RECALL = 0.85

ROUND = """\
class A(B.C):
    def f(self):
        self.g()
        self.nothing()

    def g(self): ...

class B(A.D):
    def f(self):
        self.nothing()
"""

Calls = set[tuple[str, int, str]]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, tuple[Calls, Calls]]]:
    """For each language what is true and what the graph says."""
    answers = {}
    for language in LANGUAGES:
        files = trees.load("calls", language)
        graph = a_graph(trees.write(tmp_path_factory.mktemp(language), files))
        answers[language] = (trees.expected_calls(files), graph.call_lines())
    yield answers


def test_there_is_truth_for_five_languages(found: dict[str, tuple[Calls, Calls]]) -> None:
    assert len(found) >= 5
    assert sum(len(truth) for truth, _ in found.values()) >= FEWEST_CALLS
    assert min(len(truth) for truth, _ in found.values()) >= 40


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_call_edge_without_the_weak_mark_is_right(
    language: str, found: dict[str, tuple[Calls, Calls]]
) -> None:
    truth, said = found[language]
    wrong = sorted(said - truth)
    assert len(wrong) <= (1 - LEAST_PRECISION) * len(said), wrong


@pytest.mark.parametrize("language", LANGUAGES)
def test_most_calls_are_found(language: str, found: dict[str, tuple[Calls, Calls]]) -> None:
    truth, said = found[language]
    missed = sorted(truth - said)
    assert len(missed) <= (1 - LEAST_RECALL) * len(truth), missed


def test_classes_that_are_each_others_bases_end_the_search(tmp_path: Path) -> None:
    graph = a_graph(trees.write(tmp_path, {"a.py": ROUND}))
    assert ("a.py::A.f", "a.py::A.g") in graph.edges("calls")
    assert graph.edges("extends") == set()
