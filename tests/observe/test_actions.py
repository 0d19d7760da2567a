"""Steps as deeds: what a phase is read from."""

from __future__ import annotations

from typing import Any

import pytest

from recollect.model.event import ToolAction
from recollect.model.phase import infer_phase
from recollect.model.step import Message, Steps
from recollect.observe.actions import find_failing_tests, list_actions
from tests.observe.acts import START, edit, green, read, red, run, steps

PLAN = {"tool": "ExitPlanMode", "action": ToolAction.OTHER}
IN_PLAN_MODE = {"tool": "Read", "action": ToolAction.READ, "data": {"mode": "plan"}}
COMMIT = run("git commit -m 'Cap retries'", "[main 1a2b3c4] Cap retries")


def deeds(*acts: dict[str, Any], prompts: tuple[Message, ...] = ()) -> list[str]:
    return [
        str(deed.kind) for deed in list_actions(Steps(session_id="s", steps=steps(*acts), prompts=prompts))
    ]


@pytest.mark.parametrize(
    ("act", "deed"),
    [
        (read("src/a.py"), "looked"),
        (edit("src/a.py"), "edited"),
        (PLAN, "planned"),
        (IN_PLAN_MODE, "planned"),
        (run("ls src"), "looked"),
        (green(), "test_passed"),
        (red(), "test_failed"),
        (run("ruff check .", "All checks passed!"), "check_passed"),
        (run("ruff check .", "Found 2 errors.", ok=False), "check_failed"),
        (COMMIT, "committed"),
    ],
)
def test_each_step_is_a_deed(act: dict[str, Any], deed: str) -> None:
    assert deeds(act) == [deed]


def test_what_was_refused_was_not_done() -> None:
    assert deeds(edit("src/a.py") | {"denied": True}, edit("src/a.py") | {"ok": False}) == []


def test_a_commit_that_failed_is_none() -> None:
    assert deeds(run("git commit -m x", "nothing to commit", ok=False)) == ["looked"]


def test_a_line_that_tests_and_commits_does_both() -> None:
    both = run("pytest -q && git commit -m 'Cap'", "===== 3 passed in 0.10s =====\n[main 1a2b3c4] Cap")
    assert deeds(both) == ["test_passed", "committed"]


def test_prompts_stand_where_they_were_said_and_a_program_s_do_not_count() -> None:
    prompts = (
        Message(at=START, text="Mend it", event_id="p1", after_step=0),
        Message(at=START, text="<task-notification>", event_id="p2", after_step=1, machine=True),
        Message(at=START, text="And now?", event_id="p3", after_step=2),
    )
    assert deeds(edit("src/a.py"), COMMIT, prompts=prompts) == ["asked", "edited", "committed", "asked"]


@pytest.mark.parametrize(
    ("acts", "phase"),
    [
        ((read("a.py"), read("b.py")), "explore"),
        ((read("a.py"), PLAN), "define"),
        ((PLAN, edit("a.py")), "implement"),
        ((edit("a.py"), green()), "validate"),
        ((edit("a.py"), red(), edit("a.py")), "refine"),
        ((edit("a.py"), green(), COMMIT), "reflect"),
    ],
)
def test_the_phase_is_a_function_of_the_steps(acts: tuple[dict[str, Any], ...], phase: str) -> None:
    assert infer_phase(list_actions(Steps(session_id="s", steps=steps(*acts)))) == phase


@pytest.mark.parametrize(
    ("output", "names"),
    [
        ("FAILED tests/test_a.py::test_x - assert 1 == 2\n1 failed", ["tests/test_a.py::test_x"]),
        ("--- FAIL: TestRetry (0.00s)\nFAIL", ["TestRetry"]),
        ("test retry::caps ... FAILED\ntest retry::logs ... ok", ["retry::caps"]),
        ("FAIL: test_cap (tests.RetryTest)", ["test_cap"]),
        ("  ● cart › adds up\n  ● cart › adds up", ["cart › adds up"]),
        ("not ok 3 - adds up", ["adds up"]),
        ("3 passed", []),
    ],
)
def test_failing_tests_are_named_as_their_tools_name_them(output: str, names: list[str]) -> None:
    assert list(find_failing_tests(output)) == names
