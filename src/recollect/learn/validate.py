"""
Did the work prove good? Said by somebody, else read from the steps.

Every kind of check that ran since the last edit must be green; one that failed is judged by its last run. A failure
outranks a commit. A commit after the last edit with no check between counts as acceptance by whoever made it, and is
marked so. Whatever else is unknown, and waits for the review at the end of the session.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from recollect.model.check import CheckVerdict, CommandKind
from recollect.model.event import Event, EventType
from recollect.model.session import JudgedBy, WorkJudgement, WorkVerdict
from recollect.model.step import Step
from recollect.observe.runs import CommandRun, list_runs
from recollect.observe.steps import is_change
from recollect.observe.units import WorkUnit

_SAID = {
    "pass": WorkVerdict.PASSED,
    "passed": WorkVerdict.PASSED,
    "ok": WorkVerdict.PASSED,
    "fail": WorkVerdict.FAILED,
    "failed": WorkVerdict.FAILED,
    "abandoned": WorkVerdict.FAILED,
}


def judge_unit(unit: WorkUnit, steps: Sequence[Step], events: Iterable[Event]) -> WorkJudgement:
    """The verdict on one unit. Later steps of its session count too: a check run at the end covers all of it."""
    verdicts = [event for event in events if event.type is EventType.VALIDATION and is_about(event, unit)]
    if verdicts:
        return _said(verdicts[-1])
    if unit.outcome in _SAID:
        return WorkJudgement(
            verdict=_SAID[unit.outcome],
            by=JudgedBy.PERSON,
            why=unit.reason or f"the unit was finished as {unit.outcome}",
            event_ids=unit.event_ids,
        )
    edits = [step.number for step in unit.steps if is_change(step)]
    if not edits:
        return WorkJudgement(verdict=WorkVerdict.UNTOUCHED, why="nothing was changed")
    return _from_steps([step for step in steps if step.number > edits[-1]])


def is_about(event: Event, unit: WorkUnit) -> bool:
    """Whether a verdict was given on this unit, or on what it is part of."""
    named = str(event.data.get("unit") or event.data.get("work") or "")
    # A verdict on an outer unit is one on everything inside.
    return not named or unit.ref == named or unit.ref.startswith(f"{named}/")


def _said(event: Event) -> WorkJudgement:
    verdict = _SAID.get(str(event.data.get("verdict", "")).lower(), WorkVerdict.UNKNOWN)
    who = str(event.data.get("by") or "somebody")
    why = event.text or f"{who} said {verdict}"
    return WorkJudgement(verdict=verdict, by=JudgedBy.PERSON, why=why, event_ids=(event.id,))


def _from_steps(since: Sequence[Step]) -> WorkJudgement:
    runs = list(list_runs(since, every=True))
    checks = _last_of_each(runs)
    failed = [run for run in checks if run.verdict is CheckVerdict.FAILED]
    if failed:
        return _judged(
            WorkVerdict.FAILED, JudgedBy.CHECKS, f"{_names(failed)} failed after the last edit", failed
        )
    if checks and all(run.verdict is CheckVerdict.PASSED for run in checks):
        return _judged(
            WorkVerdict.PASSED, JudgedBy.CHECKS, f"{_names(checks)} passed after the last edit", checks
        )
    commits = [run for run in runs if run.kind is CommandKind.COMMIT and run.verdict is CheckVerdict.PASSED]
    if commits:
        return _judged(WorkVerdict.PASSED, JudgedBy.COMMIT, "committed; no check tells otherwise", commits)
    return WorkJudgement(verdict=WorkVerdict.UNKNOWN, why="no check and no commit after the last edit tells")


def _last_of_each(runs: Sequence[CommandRun]) -> list[CommandRun]:
    """The last run of each check; a narrower run of the same tool does not take a failure of the wider one away."""
    last: dict[tuple[str, ...], CommandRun] = {}
    for run in runs:
        if not run.is_check:
            continue
        if not run.targets:
            for key in [key for key in last if key[:2] == (run.kind, run.tool)]:
                del last[key]
        last[(run.kind, run.tool, *run.targets)] = run
    return list(last.values())


def _judged(verdict: WorkVerdict, by: JudgedBy, why: str, runs: Sequence[CommandRun]) -> WorkJudgement:
    event_ids = tuple(dict.fromkeys(event_id for run in runs for event_id in run.step.event_ids))
    return WorkJudgement(verdict=verdict, by=by, why=why, event_ids=event_ids)


def _names(runs: Sequence[CommandRun]) -> str:
    return ", ".join(dict.fromkeys(f"{run.kind} ({run.tool})" for run in runs))
