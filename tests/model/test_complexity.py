"""How big a task is, and what that is worth."""

from __future__ import annotations

import pytest

from recollect.model.complexity import GATES, Complexity, estimate_complexity


@pytest.mark.parametrize(
    ("task", "size"),
    [
        ("Fix a typo in the README", "trivial"),
        ("change the button colour", "trivial"),
        ("rename the label of the save button", "trivial"),
        ("bump the version", "trivial"),
        ("Add a payment provider", "standard"),
        ("Why does the upload hang?", "standard"),
        ("Rename " + "and explain " * 8, "standard"),
        ("Migrate the store to PostgreSQL", "complex"),
        ("Rewrite the importer from scratch", "complex"),
        ("\n".join(f"- do thing {number}" for number in range(6)), "complex"),
        ("word " * 200, "complex"),
        ("fix the label " + "word " * 200, "complex"),
    ],
)
def test_a_task_is_as_big_as_it_sounds(task: str, size: str) -> None:
    assert estimate_complexity(task) == size


@pytest.mark.parametrize(
    ("size", "recipes", "e2e", "most"),
    [("trivial", False, False, 2), ("standard", True, True, 10), ("complex", True, True, 25)],
)
def test_the_gates_are_those_of_the_design(size: str, recipes: bool, e2e: bool, most: int) -> None:
    gate = GATES[Complexity(size)]
    assert (gate.recipes, gate.e2e, gate.most_promoted) == (recipes, e2e, most)
