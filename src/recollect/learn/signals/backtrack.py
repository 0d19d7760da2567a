"""A file edited and soon edited again, with the cause told by what lay between."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.model.check import CheckVerdict
from recollect.model.signal import Backtrack, BacktrackCause
from recollect.model.step import Step
from recollect.observe.runs import list_runs
from recollect.observe.steps import is_change, is_use

WITHIN_STEPS = 5


def find_backtracks(steps: Sequence[Step]) -> list[Backtrack]:
    """Every edit followed by another edit of the same file within five steps, for a reason that can be seen."""
    last: dict[str, int] = {}
    backtracks: list[Backtrack] = []
    for at, step in enumerate(steps):
        if not is_change(step):
            continue
        for file in step.files:
            before = last.get(file)
            if before is not None and step.number - steps[before].number <= WITHIN_STEPS:
                backtrack = _find_cause(file, steps[before : at + 1])
                if backtrack:
                    backtracks.append(backtrack)
            last[file] = at
    return backtracks


def _find_cause(file: str, span: Sequence[Step]) -> Backtrack | None:
    """Two edits in a row are one edit in two parts: without a cause between them nothing is said."""
    first, *between, second = span
    failed = [run for run in list_runs(between) if run.verdict is CheckVerdict.FAILED]
    changed = _list_other_files(file, between, is_changed=True)
    looked_at = _list_other_files(file, between, is_changed=False)
    if failed and changed:
        cause, other_files = BacktrackCause.CASCADING_CHANGE, changed
    elif failed:
        cause, other_files = BacktrackCause.WRONG_ASSUMPTION, ()
    elif looked_at and not changed:
        cause, other_files = BacktrackCause.MISSING_CONTEXT, looked_at
    else:
        return None
    return Backtrack(
        file=file,
        first_step=first.number,
        second_step=second.number,
        cause=cause,
        others=other_files,
        command=failed[-1].command if failed else "",
        fault=next((run.fault for run in reversed(failed) if run.fault), None),
        event_ids=tuple(dict.fromkeys(event_id for step in span for event_id in step.event_ids)),
    )


def _list_other_files(file: str, between: Sequence[Step], *, is_changed: bool) -> tuple[str, ...]:
    used = (step for step in between if is_use(step) and is_change(step) is is_changed)
    return tuple(dict.fromkeys(used_file for step in used for used_file in step.files if used_file != file))
