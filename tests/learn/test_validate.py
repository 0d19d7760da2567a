"""Whether work proved good: what was said, what the checks say, what a commit says."""

from __future__ import annotations

from typing import Any

import pytest

from recollect.learn.validate import judged_unit
from recollect.model.event import EventType
from recollect.model.verdict import JudgedBy, Verdict
from recollect.observe.units import Complexity, derived_complexity, units_of
from tests.observe.acts import edit, green, read, red, run, steps
from tests.observe.events import an_event

LINT_RED = run("ruff check .", "src/price.py:3:1: F401 `os` imported but unused\nFound 1 error.", ok=False)
COMMIT = run('git commit -m "Prices"', "[main 1a2b3c4] Prices\n 1 file changed")


def verdict(*acts: dict[str, Any], said: tuple[Any, ...] = ()) -> tuple[Verdict, JudgedBy]:
    taken = steps(*acts)
    [unit] = units_of(taken, said)
    judged = judged_unit(unit, taken, said)
    return judged.verdict, judged.by


@pytest.mark.parametrize(
    ("acts", "expected", "by"),
    [
        ([edit("a.py"), green()], Verdict.PASSED, JudgedBy.CHECKS),
        ([edit("a.py"), red()], Verdict.FAILED, JudgedBy.CHECKS),
        ([edit("a.py"), red(), green()], Verdict.PASSED, JudgedBy.CHECKS),
        ([edit("a.py"), green(), edit("a.py")], Verdict.UNKNOWN, JudgedBy.NOBODY),
        ([edit("a.py"), green(), LINT_RED], Verdict.FAILED, JudgedBy.CHECKS),
        ([edit("a.py"), red(), COMMIT], Verdict.FAILED, JudgedBy.CHECKS),
        ([edit("a.py"), COMMIT], Verdict.PASSED, JudgedBy.COMMIT),
        ([edit("a.py"), red(), green("pytest tests/other.py")], Verdict.FAILED, JudgedBy.CHECKS),
        ([read("a.py"), red()], Verdict.UNTOUCHED, JudgedBy.NOBODY),
    ],
)
def test_what_the_steps_say(acts: list[dict[str, Any]], expected: Verdict, by: JudgedBy) -> None:
    assert verdict(*acts) == (expected, by)


def test_what_somebody_says_outranks_the_checks() -> None:
    said = an_event(EventType.VALIDATION, 900, data={"verdict": "fail"})
    assert verdict(edit("a.py"), green(), said=(said,)) == (Verdict.FAILED, JudgedBy.PERSON)


def test_a_verdict_on_one_unit_leaves_the_others_alone() -> None:
    taken = steps(edit("a.py"), green(), edit("b.py"), green())
    told = [
        an_event(
            EventType.WORK_STARTED, 1, data={"work": "native:s/1", "planned": 2, "complexity": "trivial"}
        ),
        an_event(EventType.WORK_FINISHED, 12, data={"work": "native:s/1"}),
        an_event(EventType.WORK_STARTED, 13, data={"work": "native:s/2"}),
        an_event(EventType.VALIDATION, 900, data={"verdict": "fail", "unit": "native:s/1"}),
    ]
    units = units_of(taken, told)
    assert [(unit.ref, len(unit.steps), unit.finished) for unit in units] == [
        ("native:s/1", 2, True),
        ("native:s/2", 2, False),
    ]
    assert [judged_unit(unit, taken, told).verdict for unit in units] == [Verdict.FAILED, Verdict.PASSED]
    assert (units[0].complexity, units[0].planned) == (Complexity.TRIVIAL, 2)


def test_complexity_follows_from_what_was_done() -> None:
    assert derived_complexity(steps(edit("a.py"), green())) is Complexity.TRIVIAL
    assert derived_complexity(steps(*[edit(f"{n}.py") for n in range(5)])) is Complexity.STANDARD
    assert derived_complexity(steps(*[edit(f"{n}.py") for n in range(20)])) is Complexity.COMPLEX
