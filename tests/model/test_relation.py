"""Relations point to one thing, with a share of confidence."""

from __future__ import annotations

import pytest

from recollect.errors import BadInput
from recollect.model.memory import Relation, RelationType


def test_the_relations_are_a_closed_set() -> None:
    assert [str(kind) for kind in RelationType] == [
        "required_with",
        "conflicts_with",
        "validates",
        "supersedes",
        "derived_from",
    ]


def test_a_relation_points_to_a_memory_or_to_a_file() -> None:
    assert str(Relation(type=RelationType.SUPERSEDES, memory_id="01A")) == "supersedes 01A"
    assert (
        str(Relation(type=RelationType.VALIDATES, path="a.py", confidence=0, auto_extracted=True))
        == "validates a.py"
    )


@pytest.mark.parametrize("target", [{}, {"memory_id": "01A", "path": "a.py"}])
def test_it_points_to_exactly_one_of_them(target: dict[str, str]) -> None:
    with pytest.raises(BadInput, match="to exactly one of them"):
        Relation(type=RelationType.VALIDATES, **target)


@pytest.mark.parametrize("confidence", [-0.01, 1.01, float("nan"), float("inf")])
def test_its_confidence_is_a_share(confidence: float) -> None:
    with pytest.raises(BadInput, match="between 0 and 1"):
        Relation(type=RelationType.VALIDATES, path="a.py", confidence=confidence)
