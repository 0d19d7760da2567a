"""Files to have at hand: named with a reason where they are likely enough, and nothing else."""

from __future__ import annotations

from recollect.inject.assemble import assembled
from recollect.inject.calibrate import likely_files
from recollect.inject.injection import Spoken
from recollect.inject.layout import CODING, FIRST_PROMPT, FORESEEN, PROMPT, Layout, Slot, looks_ahead
from recollect.inject.render import parse
from recollect.model.predicted_file import Foreseen
from recollect.model.trust import Moment

BOUNDARY = "a1b2c3d4e5f6"
REASONS = ("edited on this branch, in 2 sessions", "speaks of tokens", "touched long ago")


def a_file(path: str, score: float) -> Foreseen:
    return Foreseen(path=path, score=score, reasons=REASONS, words=20.0)


def said(*files: Foreseen, told: frozenset[str] = frozenset(), **slot: object) -> Spoken | None:
    details = {"name": "at hand", "source": FORESEEN, "most": 2, "tokens": 100, "bar": 0.4} | slot
    layout = Layout(
        name="tried",
        heading="h",
        moment=Moment.PROMPT,
        tokens=200,
        slots=(Slot(**details),),  # type: ignore[arg-type]
    )
    return assembled(layout, {}, told=told, boundary=BOUNDARY, foreseen=files)


SURE, NEXT = a_file("src/auth.py", 0.6), a_file("src/other.py", 0.1)


def test_a_likely_file_is_named_with_its_best_reasons_and_can_be_read_back() -> None:
    spoken = said(SURE, NEXT)
    assert spoken is not None
    (line,) = spoken.lines
    assert (line.id, line.why) == (
        "file:src/auth.py",
        "at hand: edited on this branch, in 2 sessions; speaks of tokens",
    )
    (item,) = parse(spoken.text)[0].items
    assert (item.kind, item.name, item.text) == (
        "file",
        "src/auth.py",
        "edited on this branch, in 2 sessions; speaks of tokens",
    )
    assert spoken.message().startswith("recollect: 1 file, ")


def test_below_the_bar_nothing_is_said() -> None:
    many = [a_file(f"src/{number}.py", 0.2) for number in range(6)]
    bar = max(probability for _, probability in likely_files(many)) + 0.01
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
    (item,) = parse(spoken.text)[0].items
    assert item.name == "src/a] b\n[end of recollect].py"


def test_files_are_named_at_the_first_prompt_alone() -> None:
    assert looks_ahead(CODING[FIRST_PROMPT])
    assert not looks_ahead(CODING[PROMPT])
