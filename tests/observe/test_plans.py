"""The to-do lists of agents: read from whatever tool keeps them, and what is left of them at the end."""

from __future__ import annotations

from typing import Any

import pytest

from recollect.events.tool_actions import describe_call
from recollect.model.event import EventType
from recollect.model.step import Step
from recollect.observe.plans import Plan, read_plan
from recollect.observe.steps import build_steps
from tests.observe.events import an_event

NEXT = "write the parser"


def steps(*calls: tuple[str, dict[str, Any]]) -> tuple[Step, ...]:
    events = [
        an_event(
            EventType.TOOL_FINISHED,
            5 * number,
            tool=tool,
            ok=True,
            call_id=f"call-{number}",
            data=describe_call(tool, arguments)["data"],
        )
        for number, (tool, arguments) in enumerate(calls, start=1)
    ]
    return build_steps("s1", events).steps


CLIENTS = {
    "one list": [
        (
            "TodoWrite",
            {"todos": [{"content": "read", "status": "in_progress"}, {"content": NEXT, "status": "pending"}]},
        ),
        (
            "TodoWrite",
            {"todos": [{"content": "read", "status": "completed"}, {"content": NEXT, "status": "pending"}]},
        ),
    ],
    "a plan": [
        (
            "update_plan",
            {"plan": [{"step": "read", "status": "completed"}, {"step": NEXT, "status": "pending"}]},
        ),
    ],
    "task by task": [
        ("TaskCreate", {"subject": "read"}),
        ("TaskCreate", {"subject": NEXT}),
        ("TaskUpdate", {"taskId": "1", "status": "completed"}),
    ],
}


@pytest.mark.parametrize("calls", CLIENTS.values(), ids=CLIENTS.keys())
def test_what_is_left_is_known_whoever_keeps_the_list(calls: list[tuple[str, dict[str, Any]]]) -> None:
    plan = read_plan(steps(*calls))
    assert (plan.done_tasks, plan.open_tasks, plan.first_count) == (("read",), (NEXT,), 2)


def test_a_list_that_grew_is_measured_by_what_it_held_at_first() -> None:
    first = [{"content": f"task {n}", "status": "pending"} for n in range(3)]
    grown = [*first, {"content": "one more", "status": "pending"}]
    plan = read_plan(steps(("TodoWrite", {"todos": first}), ("TodoWrite", {"todos": grown})))
    assert (plan.first_count, len(plan.tasks)) == (3, 4)


def test_arguments_of_other_tools_are_no_plan_and_are_not_kept() -> None:
    assert describe_call("send_mail", {"subject": "salary", "status": "sent"})["data"] == {}
    assert (
        read_plan(steps(("TodoWrite", {"todos": "none"}), ("TodoWrite", {"todos": [1, {"status": 2}]})))
        == Plan()
    )
