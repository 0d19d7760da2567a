"""The labelled sentences: one half was looked at while the cues were written, the other was only counted."""

from __future__ import annotations

import re
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from recollect.learn.cues import ANTI_CUES, CUES, CueRow
from recollect.learn.directives import is_directive
from recollect.learn.salience import is_telling

HERE = Path(__file__).parent


def rows(name: str, half: int) -> list[tuple[bool, str]]:
    lines = (HERE / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
    labelled = [(line[0] == "1", line[2:]) for line in lines]
    return [row for row in labelled if sha256(row[1].encode()).digest()[0] % 2 == half]


def test_there_are_enough_of_them() -> None:
    assert sum(len(rows(name, half)) for name in ("statements", "prompts") for half in (0, 1)) >= 150


@pytest.mark.parametrize("half", [0, 1], ids=["seen", "held out"])
@pytest.mark.parametrize(("name", "judge"), [("statements", is_telling), ("prompts", is_directive)])
def test_cues_tell_what_holds_from_what_passes(name: str, judge: Callable[[str], bool], half: int) -> None:
    labelled = rows(name, half)
    holds = [judge(text) for is_note, text in labelled if is_note]
    passes = [judge(text) for is_note, text in labelled if not is_note]
    assert sum(holds) >= 0.85 * len(holds)
    assert sum(passes) <= 0.05 * len(passes)


@pytest.mark.parametrize("row", [*CUES, *ANTI_CUES], ids=lambda row: f"{row.role} {row.weight}")
def test_cues_are_written_in_lower_case(row: CueRow) -> None:
    # Sentences are lowered before they are compared: a capital letter would never match.
    assert re.search(r"(?<!\\)[A-ZÀ-ÖØ-Þ]", row.pattern.pattern) is None
