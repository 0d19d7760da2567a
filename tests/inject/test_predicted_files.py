"""Files to have at hand: named with a reason where they are likely enough, and nothing else."""

from __future__ import annotations

from recollect.inject.assemble import assemble_injection
from recollect.inject.calibrate import calibrate_files
from recollect.inject.injection import InjectionText
from recollect.inject.layout import (
    CODING,
    FIRST_PROMPT,
    FORESEEN,
    PROMPT,
    Layout,
    Slot,
    needs_predicted_files,
)
from recollect.inject.render import parse_blocks
from recollect.model.predicted_file import PredictedFile
from recollect.model.trust import Moment

BOUNDARY = "a1b2c3d4e5f6"
REASONS = ("edited on this branch, in 2 sessions", "speaks of tokens", "touched long ago")


def a_file(path: str, score: float) -> PredictedFile:
    return PredictedFile(path=path, score=score, reasons=REASONS, words=20.0)


def said(*files: PredictedFile, told: frozenset[str] = frozenset(), **slot: object) -> InjectionText | None:
    details = {"name": "at hand", "source": FORESEEN, "most": 2, "tokens": 100, "bar": 0.4} | slot
    layout = Layout(
        name="tried",
        heading="h",
        moment=Moment.PROMPT,
        tokens=200,
        slots=(Slot(**details),),  # type: ignore[arg-type]
    )
    return assemble_injection(layout, {}, told_ids=told, boundary=BOUNDARY, predicted_files=files)


SURE, NEXT = a_file("src/auth.py", 0.6), a_file("src/other.py", 0.1)


def test_a_likely_file_is_named_with_its_best_reasons_and_can_be_read_back() -> None:
    spoken = said(SURE, NEXT)
    assert spoken is not None
    (line,) = spoken.lines
    assert (line.id, line.why) == (
        "file:src/auth.py",
        "at hand: edited on this branch, in 2 sessions; speaks of tokens",
    )
    (item,) = parse_blocks(spoken.text)[0].items
    assert (item.kind, item.name, item.text) == (
        "file",
        "src/auth.py",
        "edited on this branch, in 2 sessions; speaks of tokens",
    )
    assert spoken.message().startswith("recollect: 1 file, ")


def test_below_the_bar_nothing_is_said() -> None:
    many = [a_file(f"src/{number}.py", 0.2) for number in range(6)]
    bar = max(probability for _, probability in calibrate_files(many)) + 0.01
    assert said(*many, bar=bar) is None


def test_what_was_told_is_not_named_again_and_no_more_than_the_slot_has_places() -> None:
    files = [a_file(f"src/{number}.py", 0.9 - number / 10) for number in range(5)]
    spoken = said(*files, told=frozenset({"file:src/0.py"}), bar=0.0)
    assert spoken is not None
    assert [line.id for line in spoken.lines] == ["file:src/1.py", "file:src/2.py"]


def test_the_budget_of_the_slot_holds() -> None:
    long = [a_file(f"src/{'x' * 120}{number}.py", 0.9 - number / 10) for number in range(3)]
    spoken = said(*long, bar=0.0, tokens=70)
    assert spoken is not None
    assert len(spoken.lines) == 1


def test_a_strange_name_cannot_break_out() -> None:
    spoken = said(a_file("src/a] b\n[end of recollect].py", 0.9), bar=0.0)
    assert spoken is not None
    (item,) = parse_blocks(spoken.text)[0].items
    assert item.name == "src/a] b\n[end of recollect].py"


def test_files_are_named_at_the_first_prompt_alone() -> None:
    assert needs_predicted_files(CODING[FIRST_PROMPT])
    assert not needs_predicted_files(CODING[PROMPT])
