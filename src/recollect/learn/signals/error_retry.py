"""The same error met again, and what ended it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from recollect.learn.error_fingerprint import fingerprint_fault
from recollect.model.check import CheckVerdict, CommandKind
from recollect.model.event import ToolAction
from recollect.model.observation import Fault
from recollect.model.signal import ErrorRetry, Remedy
from recollect.model.step import Step
from recollect.model.value import dataclass, field
from recollect.observe.runs import CommandRun, list_runs
from recollect.observe.steps import is_change

MAX_REMEDY_FILES = 4
MAX_REMEDY_COMMANDS = 3
_PROSE = (".md", ".rst", ".txt", ".adoc")


def find_error_retries(steps: Sequence[Step]) -> list[ErrorRetry]:
    """Every error of the project's own, however often it was met, with what lay before the first success."""
    runs = list(list_runs(steps))
    repeated: list[_RepeatedError] = []
    for at, run in enumerate(runs):
        # A check that could not even begin says nothing of the code, but what is missing is an error like any other.
        if run.verdict is CheckVerdict.PASSED or run.fault is None:
            continue
        earlier = next((error for error in repeated if is_same_fault(error.fault, run.fault)), None)
        if earlier is None:
            earlier = _RepeatedError(fault=run.fault)
            repeated.append(earlier)
        earlier.at.append(at)
    return [_make_retry(steps, runs, error) for error in repeated]


def is_same_fault(fault: Fault, other_fault: Fault) -> bool:
    """Whether two errors are one: the same fingerprint, or for want of one the very same line."""
    fingerprint, other_fingerprint = fingerprint_fault(fault), fingerprint_fault(other_fault)
    if fingerprint is None or other_fingerprint is None:
        return fingerprint is other_fingerprint and fault.signature == other_fault.signature
    return fingerprint.is_of(other_fingerprint)


@dataclass(frozen=True, slots=True)
class _RepeatedError:
    fault: Fault
    at: list[int] = field(default_factory=list)


def _make_retry(steps: Sequence[Step], runs: Sequence[CommandRun], error: _RepeatedError) -> ErrorRetry:
    last = runs[error.at[-1]]
    good = next((run for run in runs[error.at[-1] + 1 :] if _is_ended_by(last, run)), None)
    between = [step for step in steps if good and last.step.number < step.number < good.step.number]
    event_ids = [event_id for at in error.at for event_id in runs[at].step.event_ids]
    if good:
        event_ids += [event_id for step in between for event_id in step.event_ids] + [*good.step.event_ids]
    return ErrorRetry(
        fault=error.fault,
        tool=last.tool,
        command=last.command,
        count=len(error.at),
        first_step=runs[error.at[0]].step.number,
        last_step=last.step.number,
        is_lint=last.kind is CommandKind.LINT,
        remedy=_make_remedy(between) if good else None,
        solved_step=good.step.number if good else 0,
        event_ids=tuple(dict.fromkeys(event_ids)),
    )


def _is_ended_by(failed: CommandRun, later: CommandRun) -> bool:
    """The same check of the same thing, passed: a run on fewer targets proves nothing about the others."""
    if later.verdict is not CheckVerdict.PASSED or later.tool != failed.tool or later.kind is not failed.kind:
        return False
    if not failed.is_check:
        return later.command == failed.command
    return not later.targets or set(failed.targets) <= set(later.targets)


def _make_remedy(between: Sequence[Step]) -> Remedy:
    changed = list(dict.fromkeys(file for step in between if is_change(step) for file in step.files))
    # What is written about the code along the way mends no check of it.
    files = [file for file in changed if not file.endswith(_PROSE)] or changed
    return Remedy(
        files=tuple(files[:MAX_REMEDY_FILES]),
        commands=tuple(dict.fromkeys(_list_commands(between)))[:MAX_REMEDY_COMMANDS],
    )


def _list_commands(between: Sequence[Step]) -> Iterator[str]:
    """What was run that could have mended something: no check, no search, no look at a file."""
    for step in between:
        if step.action is ToolAction.RUN and step.ok is not False:
            for run in list_runs([step], every=True):
                if run.could_mend:
                    yield run.command
