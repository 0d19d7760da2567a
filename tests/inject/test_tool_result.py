"""What is told at a tool's result keeps within its budget, however much there is to say."""

from __future__ import annotations

from typing import Any

from recollect.inject.tool_result import MAX_ABOUT_A_FILE, TOKENS, write_file_notes
from recollect.model.tokens import CHARACTERS_PER_TOKEN
from tests.builders import an_id


def a_row(number: int, text: str, **facts: Any) -> dict[str, Any]:
    given: dict[str, Any] = {"kind": "gotcha", "mark": "", "source": "", "confidence": 0.9, "error": ""}
    return {"id": an_id(number), "text": text, **(given | facts)}


def test_what_is_told_about_a_file_fits_its_budget_and_keeps_the_first() -> None:
    long = [a_row(n, f"{n} " + "A long story about tokens and their renewal. " * 40) for n in range(1, 10)]
    notes = [a_row(20 + n, f"note {n} " + "that goes on and on " * 60) for n in range(2)]
    spoken = write_file_notes(long, notes, "src/auth.py", told_ids=(), boundary="x")
    assert spoken is not None
    assert len(spoken.text) <= TOKENS * CHARACTERS_PER_TOKEN
    said = [line.id for line in spoken.lines]
    assert said[0] == long[0]["id"]
    assert len(said) < MAX_ABOUT_A_FILE + len(notes), "there was no room for all"


def test_what_is_short_is_told_as_far_as_there_are_places() -> None:
    rows = [a_row(n, f"Fact {n}") for n in range(1, 10)]
    spoken = write_file_notes(rows, [], "src/auth.py", told_ids={rows[0]["id"]}, boundary="x")
    assert spoken is not None
    assert [line.id for line in spoken.lines] == [row["id"] for row in rows[1 : 1 + MAX_ABOUT_A_FILE]]
