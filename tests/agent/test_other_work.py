"""What is told whatever the task is left out where it is about other work."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect import Recollect
from recollect.agent.other_work import find_other_work

EARLIER = (
    "Release the billing package",
    "Translate the pricing page into French",
    "Write the weekly report on sales",
)
FOR_TRANSLATIONS = "French translations of pages use the formal vous"


@pytest.fixture
def remembering(tmp_path: Path) -> Iterator[Recollect]:
    # With the bundled model: this is about meaning, which the tests' own model has none of.
    with Recollect(tmp_path / "bundled.db", folder=None) as memory:
        for text in (FOR_TRANSLATIONS, "Say it in short sentences", "Never push on Fridays"):
            memory.remember(text, kind="preference")
        yield memory


@pytest.mark.parametrize(
    ("command", "left_out"),
    [
        ("Release the search package", {FOR_TRANSLATIONS}),
        ("Translate the contact page into French", set()),
    ],
)
def test_a_preference_for_other_work_is_left_out_and_a_general_one_stays(
    remembering: Recollect, command: str, left_out: set[str]
) -> None:
    ids = find_other_work(remembering, command, EARLIER)
    assert {remembering.show(memory_id).text for memory_id in ids} == left_out


def test_without_earlier_runs_nothing_is_left_out(remembering: Recollect) -> None:
    assert find_other_work(remembering, "Release the search package", ["Release the search package"]) == set()
