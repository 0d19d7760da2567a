"""Steps as agent actions (looked, planned, edited, tested, committed), from which phase and methodology are read."""

from __future__ import annotations

import re
from collections.abc import Iterator

from recollect.model.check import CheckVerdict, CommandKind
from recollect.model.event import ToolAction
from recollect.model.phase import ActionKind, AgentAction
from recollect.model.step import Step, Steps
from recollect.observe.runs import CommandRun, list_runs
from recollect.observe.steps import is_change

# Tools by which agents write down a plan.
_PLANNING = frozenset(
    {"exitplanmode", "enterplanmode", "update_plan", "todowrite", "write_todos", "create_plan"}
)
_LOOKING = frozenset(
    {ToolAction.READ, ToolAction.SEARCH, ToolAction.FETCH, ToolAction.RUN, ToolAction.DELEGATE}
)
_MAX_TEXT = 200


def list_actions(steps: Steps) -> tuple[AgentAction, ...]:
    """The actions of a session, in order; what a program asked for is none."""
    prompts = [prompt for prompt in steps.prompts if not prompt.machine]
    actions: list[AgentAction] = []
    for step in steps.steps:
        while prompts and prompts[0].after_step < step.number:
            actions.append(_make_asked(prompts.pop(0).text))
        if not step.denied:
            actions += _list_done(step)
    return (*actions, *(_make_asked(prompt.text) for prompt in prompts))


def _make_asked(text: str) -> AgentAction:
    return AgentAction(kind=ActionKind.ASKED, text=text[:_MAX_TEXT])


def _list_done(step: Step) -> Iterator[AgentAction]:
    in_plan_mode = step.data.get("mode") == "plan"
    if is_change(step):
        yield AgentAction(kind=ActionKind.EDITED, files=step.files)
    elif step.tool.lower() in _PLANNING or in_plan_mode:
        yield AgentAction(kind=ActionKind.PLANNED)
    elif step.action is ToolAction.RUN:
        yield from _list_ran(step)
    elif step.action in _LOOKING:
        yield AgentAction(kind=ActionKind.LOOKED, files=step.files)


def _list_ran(step: Step) -> Iterator[AgentAction]:
    run_actions = [action for run in list_runs([step], every=True) if (action := _action_of_run(run))]
    yield from run_actions or [AgentAction(kind=ActionKind.LOOKED, text=step.command[:_MAX_TEXT])]


def _action_of_run(run: CommandRun) -> AgentAction | None:
    if run.verdict is CheckVerdict.UNKNOWN:
        return None
    passed = run.verdict is CheckVerdict.PASSED
    command = run.command[:_MAX_TEXT]
    if run.kind is CommandKind.COMMIT:
        subject = run.message.partition("\n")[0][:_MAX_TEXT]
        return AgentAction(kind=ActionKind.COMMITTED, text=subject) if passed else None
    if run.kind is CommandKind.TEST:
        if passed:
            return AgentAction(kind=ActionKind.TEST_PASSED, text=command)
        return AgentAction(
            kind=ActionKind.TEST_FAILED, text=command, failing=find_failing_tests(run.step.output)
        )
    if run.is_check:
        return AgentAction(kind=ActionKind.CHECK_PASSED if passed else ActionKind.CHECK_FAILED, text=command)
    return None


MAX_FAILING_TESTS = 40
_MAX_OUTPUT = 200_000
# pytest and its kin, Go, Rust, JUnit-like, TAP, jest and vitest.
_FAILURE_SHAPES = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        r"^(?:FAILED|ERROR) (\S{1,300}::\S{1,300})",
        r"^ {0,12}--- FAIL: (\S{1,200})",
        r"^test (\S{1,200}) \.\.\. FAILED",
        r"^(?:FAIL|ERROR): (\w{1,200}) \(",
        r"^ {0,8}not ok \d{1,6} (?:- )?(.{1,200})$",
        r"^ {0,8}● (.{1,200})$",
    )
)


def find_failing_tests(output: str) -> tuple[str, ...]:
    """The tests that are named, each once."""
    text = output[-_MAX_OUTPUT:]
    names = dict.fromkeys(name.strip() for shape in _FAILURE_SHAPES for name in shape.findall(text))
    return tuple(names)[:MAX_FAILING_TESTS]
