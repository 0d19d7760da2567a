"""
Errors that came back in another session, and for how many of them an earlier one had shown what mends them.

Two errors are one when they have a normalised line in common. `checks` are failed commands as the observer reads
them, without those that say something of any project; `all` are failed calls of every tool.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from benchmarks.replay_sessions import Replayed
from recollect.learn.signals.error_retry import error_retries
from recollect.model.event import ToolAction
from recollect.model.step import Step
from recollect.model.value import dataclass
from recollect.observe.recognise.faults import read_fault
from recollect.observe.steps import steps_of


@dataclass(frozen=True, slots=True, kw_only=True)
class _Error:
    session_id: str
    lines: frozenset[str]
    at: datetime
    # When the session that mended it was over; None if it was not mended.
    mended_at: datetime | None


def count(sessions: Sequence[Replayed]) -> dict[str, dict[str, int]]:
    """How many were met, how many of these had been met in another session, and with a remedy that was known."""
    checks: list[_Error] = []
    others: list[_Error] = []
    for session in sessions:
        steps = steps_of(session.id, session.events).steps
        own, common = _failed_commands(session.id, steps)
        checks += own
        others += [*common, *_failed_calls(session.id, steps)]
    return {"checks": _counted(checks), "all": _counted([*checks, *others])}


def _counted(errors: Iterable[_Error]) -> dict[str, int]:
    ordered = sorted(errors, key=lambda error: error.at)
    before: dict[str, list[_Error]] = {}
    again = known = 0
    for error in ordered:
        same = [
            one for line in error.lines for one in before.get(line, ()) if one.session_id != error.session_id
        ]
        again += bool(same)
        known += any(one.mended_at is not None and one.mended_at < error.at for one in same)
        for line in error.lines:
            before.setdefault(line, []).append(error)
    return {"met": len(ordered), "again": again, "remedy_known": known}


def _failed_commands(session_id: str, steps: Sequence[Step]) -> tuple[list[_Error], list[_Error]]:
    """Those of the project's own, and those that any project has."""
    at = {step.number: step.at for step in steps}
    own: list[_Error] = []
    common: list[_Error] = []
    for met in error_retries(steps):
        mended = met.remedy is not None and bool(met.remedy.files or met.remedy.commands)
        error = _Error(
            session_id=session_id,
            lines=frozenset(met.fault.lines),
            at=at[met.first_step],
            mended_at=steps[-1].at if mended else None,
        )
        (common if met.fault.is_generic or met.fault.is_slip else own).append(error)
    return own, common


def _failed_calls(session_id: str, steps: Sequence[Step]) -> Iterator[_Error]:
    """Calls of other tools, each error once; mended when the same tool did its work on the same file afterwards."""
    seen: set[str] = set()
    for number, step in enumerate(steps):
        if step.ok is not False or step.action is ToolAction.RUN or step.denied or step.interrupted:
            continue
        fault = read_fault(step.output, tool=step.tool)
        if fault is None or fault.signature in seen:
            continue
        seen.add(fault.signature)
        done = any(
            later.ok and later.tool == step.tool and later.files == step.files
            for later in steps[number + 1 :]
        )
        yield _Error(
            session_id=session_id,
            lines=frozenset(fault.lines),
            at=step.at,
            mended_at=steps[-1].at if done else None,
        )
