"""Whether work proved good: what was said, what the checks say, what a commit says."""

from __future__ import annotations

from typing import Any

import pytest

from recollect.learn.validate import is_about, judge_unit
from recollect.model.event import EventType
from recollect.model.session import JudgedBy, WorkJudgement, WorkVerdict
from recollect.observe.units import Complexity, WorkUnit, derive_complexity, split_units
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


def judge(*acts: dict[str, Any], said: tuple[Any, ...] = (), **unit_parts: Any) -> WorkJudgement:
    """The whole judgement on one unit of these acts."""
    taken = steps(*acts)
    return judge_unit(WorkUnit(steps=taken, **unit_parts), taken, said)


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        *[("pass", WorkVerdict.PASSED), ("passed", WorkVerdict.PASSED), ("ok", WorkVerdict.PASSED)],
        *[("fail", WorkVerdict.FAILED), ("failed", WorkVerdict.FAILED), ("abandoned", WorkVerdict.FAILED)],
    ],
)
def test_a_unit_finished_with_a_word_is_judged_by_that_word(outcome: str, expected: WorkVerdict) -> None:
    judged = judge(edit("a.py"), LINT_RED, outcome=outcome, event_ids=("e9",))
    assert judged == WorkJudgement(
        verdict=expected, by=JudgedBy.PERSON, why=f"the unit was finished as {outcome}", event_ids=("e9",)
    )
    assert judge(edit("a.py"), outcome=outcome, reason="the client saw it").why == "the client saw it"


def test_an_unknown_word_at_the_end_leaves_it_to_the_steps() -> None:
    assert judge(edit("a.py"), green(), outcome="maybe").by is JudgedBy.CHECKS


def test_every_judgement_says_why_and_by_which_events() -> None:
    assert judge(read("a.py")) == WorkJudgement(verdict=WorkVerdict.UNTOUCHED, why="nothing was changed")
    assert judge(edit("a.py"), green(), run("ruff check .", "All checks passed!")) == WorkJudgement(
        verdict=WorkVerdict.PASSED,
        by=JudgedBy.CHECKS,
        why="test (pytest), lint (ruff) passed after the last edit",
        event_ids=("e2", "e3"),
    )
    assert judge(edit("a.py"), green(), LINT_RED) == WorkJudgement(
        verdict=WorkVerdict.FAILED,
        by=JudgedBy.CHECKS,
        why="lint (ruff) failed after the last edit",
        event_ids=("e3",),
    )
    assert judge(edit("a.py"), COMMIT) == WorkJudgement(
        verdict=WorkVerdict.PASSED,
        by=JudgedBy.COMMIT,
        why="committed; no check tells otherwise",
        event_ids=("e2",),
    )
    assert judge(edit("a.py"), read("a.py")) == WorkJudgement(
        verdict=WorkVerdict.UNKNOWN, why="no check and no commit after the last edit tells"
    )


def test_a_commit_that_was_refused_accepts_nothing() -> None:
    refused = run('git commit -m "Prices"', "nothing to commit", ok=False)
    assert judge(edit("a.py"), refused).verdict is WorkVerdict.UNKNOWN


@pytest.mark.parametrize(
    ("acts", "expected"),
    [
        # The whole suite takes back what a part of it said, and a part does not take back the whole.
        ([red("pytest tests/a.py"), green()], WorkVerdict.PASSED),
        ([red("pytest tests/a.py"), green("pytest tests/a.py")], WorkVerdict.PASSED),
        ([red("pytest tests/a.py"), green("pytest tests/b.py")], WorkVerdict.FAILED),
        ([red(), green("pytest tests/a.py")], WorkVerdict.FAILED),
        ([green(), red("pytest tests/a.py")], WorkVerdict.FAILED),
        # Another tool's whole run says nothing about it.
        ([red("pytest tests/a.py"), run("ruff check .", "All checks passed!")], WorkVerdict.FAILED),
    ],
)
def test_a_wider_run_of_the_same_tool_replaces_a_narrower_one(
    acts: list[dict[str, Any]], expected: WorkVerdict
) -> None:
    assert judge(edit("a.py"), *acts).verdict is expected


def test_what_somebody_said_is_given_with_who_and_why() -> None:
    plain = an_event(EventType.VALIDATION, 900, data={"verdict": "PASSED", "by": "qa"})
    assert judge(edit("a.py"), said=(plain,)) == WorkJudgement(
        verdict=WorkVerdict.PASSED, by=JudgedBy.PERSON, why="qa said passed", event_ids=(plain.id,)
    )
    nobody = an_event(EventType.VALIDATION, 900, data={"verdict": "perhaps"})
    assert judge(edit("a.py"), said=(nobody,)).why == "somebody said unknown"
    reasoned = an_event(EventType.VALIDATION, 900, text="The cart is empty", data={"verdict": "fail"})
    assert judge(edit("a.py"), said=(plain, reasoned)).why == "The cart is empty"


@pytest.mark.parametrize(
    ("named", "about"),
    [
        ({}, True),
        ({"unit": "native:s/1"}, True),
        ({"work": "native:s/1"}, True),
        ({"work": "native:s"}, True),
        ({"unit": "native:s/2"}, False),
        ({"unit": "native:s/"}, False),
        ({"work": "native:s/12"}, False),
    ],
)
def test_a_verdict_is_about_the_unit_it_names_and_what_is_inside_it(
    named: dict[str, str], about: bool
) -> None:
    said = an_event(EventType.VALIDATION, 900, data={"verdict": "fail", **named})
    assert is_about(said, WorkUnit(ref="native:s/1")) is about


def test_other_events_are_no_verdicts() -> None:
    asked = an_event(EventType.PROMPT, 900, text="fail", data={"verdict": "fail"})
    assert judge(edit("a.py"), green(), said=(asked,)).by is JudgedBy.CHECKS
