"""The same error met again, and what ended it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from recollect.model.check import CheckVerdict, CommandKind
from recollect.model.error_report import Fault
from recollect.model.event import ToolAction
from recollect.model.signal import ErrorRetry, Remedy
from recollect.model.step import Step
from recollect.model.value import dataclass, field
from recollect.observe.file_access import is_change
from recollect.observe.runs import Run, runs_of

MOST_REMEDY_FILES = 4
MOST_REMEDY_COMMANDS = 3
_PROSE = (".md", ".rst", ".txt", ".adoc")


def error_retries(steps: Sequence[Step]) -> list[ErrorRetry]:
    """Every error of the project's own, however often it was met, with what lay before the first success."""
    runs = list(runs_of(steps))
    met: list[_Met] = []
    for at, run in enumerate(runs):
        if run.verdict is not CheckVerdict.FAILED or run.fault is None:
            continue
        known = next((one for one in met if is_same_fault(one.fault, run.fault)), None)
        if known is None:
            known = _Met(fault=run.fault)
            met.append(known)
        known.at.append(at)
    return [_retry(steps, runs, one) for one in met]


def is_same_fault(one: Fault, other: Fault) -> bool:
    """Whether two errors are one: a line in common, since a whole message rarely comes back unchanged."""
    return not set(one.lines).isdisjoint(other.lines)


@dataclass(frozen=True, slots=True)
class _Met:
    fault: Fault
    at: list[int] = field(default_factory=list)


def _retry(steps: Sequence[Step], runs: Sequence[Run], met: _Met) -> ErrorRetry:
    last = runs[met.at[-1]]
    good = next((run for run in runs[met.at[-1] + 1 :] if _ends(last, run)), None)
    between = [step for step in steps if good and last.step.number < step.number < good.step.number]
    event_ids = [event_id for at in met.at for event_id in runs[at].step.event_ids]
    if good:
        event_ids += [event_id for step in between for event_id in step.event_ids] + [*good.step.event_ids]
    return ErrorRetry(
        fault=met.fault,
        tool=last.tool,
        command=last.command,
        count=len(met.at),
        first_step=runs[met.at[0]].step.number,
        last_step=last.step.number,
        is_lint=last.kind is CommandKind.LINT,
        remedy=_remedy(between) if good else None,
        event_ids=tuple(dict.fromkeys(event_ids)),
    )


def _ends(failed: Run, later: Run) -> bool:
    """The same check of the same thing, passed: a run on fewer targets proves nothing about the others."""
    if later.verdict is not CheckVerdict.PASSED or later.tool != failed.tool or later.kind is not failed.kind:
        return False
    if not failed.is_check:
        return later.command == failed.command
    return not later.targets or set(failed.targets) <= set(later.targets)


def _remedy(between: Sequence[Step]) -> Remedy:
    changed = list(dict.fromkeys(file for step in between if is_change(step) for file in step.files))
    # What is written about the code along the way mends no check of it.
    files = [file for file in changed if not file.endswith(_PROSE)] or changed
    return Remedy(
        files=tuple(files[:MOST_REMEDY_FILES]),
        commands=tuple(dict.fromkeys(_commands(between)))[:MOST_REMEDY_COMMANDS],
    )


def _commands(between: Sequence[Step]) -> Iterator[str]:
    """What was run that could have mended something: no check, no search, no look at a file."""
    for step in between:
        if step.action is ToolAction.RUN and step.ok is not False:
            for run in runs_of([step], every=True):
                if run.could_mend:
                    yield run.command
