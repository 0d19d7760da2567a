"""Whether work proved good: what was said, what the checks say, what a commit says."""

from __future__ import annotations

from typing import Any

import pytest

from recollect.learn.validate import judge_unit
from recollect.model.event import EventType
from recollect.model.session import JudgedBy, WorkVerdict
from recollect.observe.units import Complexity, derive_complexity, split_units
from tests.observe.acts import edit, green, read, red, run, steps
from tests.observe.events import an_event

LINT_RED = run("ruff check .", "src/price.py:3:1: F401 `os` imported but unused\nFound 1 error.", ok=False)
COMMIT = run('git commit -m "Prices"', "[main 1a2b3c4] Prices\n 1 file changed")


def verdict(*acts: dict[str, Any], said: tuple[Any, ...] = ()) -> tuple[WorkVerdict, JudgedBy]:
    taken = steps(*acts)
    [unit] = split_units(taken, said)
    judged = judge_unit(unit, taken, said)
    return judged.verdict, judged.by


@pytest.mark.parametrize(
    ("acts", "expected", "by"),
    [
        ([edit("a.py"), green()], WorkVerdict.PASSED, JudgedBy.CHECKS),
        ([edit("a.py"), red()], WorkVerdict.FAILED, JudgedBy.CHECKS),
        ([edit("a.py"), red(), green()], WorkVerdict.PASSED, JudgedBy.CHECKS),
        ([edit("a.py"), green(), edit("a.py")], WorkVerdict.UNKNOWN, JudgedBy.NOBODY),
        ([edit("a.py"), green(), LINT_RED], WorkVerdict.FAILED, JudgedBy.CHECKS),
        ([edit("a.py"), red(), COMMIT], WorkVerdict.FAILED, JudgedBy.CHECKS),
        ([edit("a.py"), COMMIT], WorkVerdict.PASSED, JudgedBy.COMMIT),
        ([edit("a.py"), red(), green("pytest tests/other.py")], WorkVerdict.FAILED, JudgedBy.CHECKS),
        ([read("a.py"), red()], WorkVerdict.UNTOUCHED, JudgedBy.NOBODY),
    ],
)
def test_what_the_steps_say(acts: list[dict[str, Any]], expected: WorkVerdict, by: JudgedBy) -> None:
    assert verdict(*acts) == (expected, by)


def test_what_somebody_says_outranks_the_checks() -> None:
    said = an_event(EventType.VALIDATION, 900, data={"verdict": "fail"})
    assert verdict(edit("a.py"), green(), said=(said,)) == (WorkVerdict.FAILED, JudgedBy.PERSON)


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
    units = split_units(taken, told)
    assert [(unit.ref, len(unit.steps), unit.finished) for unit in units] == [
        ("native:s/1", 2, True),
        ("native:s/2", 2, False),
    ]
    assert [judge_unit(unit, taken, told).verdict for unit in units] == [
        WorkVerdict.FAILED,
        WorkVerdict.PASSED,
    ]
    assert (units[0].complexity, units[0].planned) == (Complexity.TRIVIAL, 2)


def test_complexity_follows_from_what_was_done() -> None:
    assert derive_complexity(steps(edit("a.py"), green())) is Complexity.TRIVIAL
    assert derive_complexity(steps(*[edit(f"{n}.py") for n in range(5)])) is Complexity.STANDARD
    assert derive_complexity(steps(*[edit(f"{n}.py") for n in range(20)])) is Complexity.COMPLEX
