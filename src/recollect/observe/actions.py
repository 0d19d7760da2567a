"""Steps told as deeds: looked, planned, edited, tested, committed. What a phase and a way of working are read from."""

from __future__ import annotations

from collections.abc import Iterator

from recollect.model.action import Deed, DeedKind
from recollect.model.check import CheckVerdict, CommandKind
from recollect.model.event import ToolAction
from recollect.model.step import Step, Steps
from recollect.observe.failing_tests import failing_tests
from recollect.observe.file_access import is_change
from recollect.observe.runs import Run, runs_of

# Tools by which agents write down a plan.
_PLANNING = frozenset(
    {"exitplanmode", "enterplanmode", "update_plan", "todowrite", "write_todos", "create_plan"}
)
_LOOKING = frozenset(
    {ToolAction.READ, ToolAction.SEARCH, ToolAction.FETCH, ToolAction.RUN, ToolAction.DELEGATE}
)
_LONGEST_TEXT = 200


def deeds_of(steps: Steps) -> tuple[Deed, ...]:
    """What was done in a session, in order; what a program asked for is no deed."""
    asked = [said for said in steps.prompts if not said.machine]
    deeds: list[Deed] = []
    for step in steps.steps:
        while asked and asked[0].after_step < step.number:
            deeds.append(_asked(asked.pop(0).text))
        if not step.denied:
            deeds += _done(step)
    return (*deeds, *(_asked(said.text) for said in asked))


def _asked(text: str) -> Deed:
    return Deed(kind=DeedKind.ASKED, text=text[:_LONGEST_TEXT])


def _done(step: Step) -> Iterator[Deed]:
    in_plan_mode = step.data.get("mode") == "plan"
    if is_change(step):
        yield Deed(kind=DeedKind.EDITED, files=step.files)
    elif step.tool.lower() in _PLANNING or in_plan_mode:
        yield Deed(kind=DeedKind.PLANNED)
    elif step.action is ToolAction.RUN:
        yield from _ran(step)
    elif step.action in _LOOKING:
        yield Deed(kind=DeedKind.LOOKED, files=step.files)


def _ran(step: Step) -> Iterator[Deed]:
    told = [deed for run in runs_of([step], every=True) if (deed := _deed_of(run))]
    yield from told or [Deed(kind=DeedKind.LOOKED, text=step.command[:_LONGEST_TEXT])]


def _deed_of(run: Run) -> Deed | None:
    if run.verdict is CheckVerdict.UNKNOWN:
        return None
    passed = run.verdict is CheckVerdict.PASSED
    command = run.command[:_LONGEST_TEXT]
    if run.kind is CommandKind.COMMIT:
        subject = run.message.partition("\n")[0][:_LONGEST_TEXT]
        return Deed(kind=DeedKind.COMMITTED, text=subject) if passed else None
    if run.kind is CommandKind.TEST:
        if passed:
            return Deed(kind=DeedKind.TEST_PASSED, text=command)
        return Deed(kind=DeedKind.TEST_FAILED, text=command, failing=failing_tests(run.step.output))
    if run.is_check:
        return Deed(kind=DeedKind.CHECK_PASSED if passed else DeedKind.CHECK_FAILED, text=command)
    return None
