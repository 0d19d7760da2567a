"""A chain of runs: retries with backoff, tiers that hand over to the next, and runs whose runner died."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from recollect.model.operations import OpsEvent, OpsEventType, OpsRun, OpsRunState
from recollect.model.value import dataclass, replace
from recollect.ops.jobs import OpsJob, OpsTier
from recollect.ops.markers import EventLevel
from recollect.ops.process import end_run, is_alive
from recollect.ops.runner import FinishedRun, Runner, RunOrder
from recollect.ops.structured import Handoff

MAX_BACKOFF = timedelta(hours=1)
_ABOUT_HANDOFF = -3
_MAY_BE_RETRIED = (OpsRunState.FAILED, OpsRunState.TIMED_OUT)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainReport:
    """What one start led to: its runs in order, or why there were none."""

    runs: tuple[OpsRun, ...] = ()
    skipped: str = ""

    @property
    def succeeded(self) -> bool:
        """Whether its last run did."""
        return bool(self.runs) and self.runs[-1].state is OpsRunState.SUCCEEDED


def run_chain(
    runner: Runner,
    job: OpsJob,
    *,
    trigger: str = "manual",
    tier: int = 1,
    prompt: str = "",
    dry_run: bool = False,
) -> ChainReport:
    """Run a job from a tier on, as far up as its runs hand over; one chain of a job at a time, if it wants that."""
    close_orphans(runner)
    runner.operations.drop_old(runner.file.retention)
    runner.workspace.drop_old(runner.operations.now() - runner.file.retention.logs)
    first = RunOrder(
        job=job,
        tier=_tier_of(job, tier),
        trigger=trigger,
        prompt=prompt,
        dry_run=dry_run or job.dry_run,
    )
    if job.overlap == "allow":
        return _run_all(runner, first)
    with runner.workspace.hold(job.name, wait=job.overlap == "wait") as is_ours:
        if not is_ours:
            _tell_skipped(runner, job, trigger)
            return ChainReport(skipped=f"{job.name} is running already")
        return _run_all(runner, first)


def close_orphans(runner: Runner) -> Sequence[OpsRun]:
    """Close the runs whose runner is gone: end what they left running, and read what they had not been heard to say."""
    closed: list[OpsRun] = []
    for run in runner.operations.list_open_runs():
        if is_alive(run.runner_pid, run.runner_birth):
            continue
        end_run(run.id, run.pid, run.pid_birth)
        folder = runner.workspace.folder_of(run.id)
        reading = runner.read_output(run, folder, None, {})
        closed.append(
            runner.close(
                run, folder, reading, OpsRunState.INTERRUPTED, error="its runner ended before it did"
            )
        )
    return closed


def _run_all(runner: Runner, order: RunOrder) -> ChainReport:
    runs: list[OpsRun] = []
    following: RunOrder | None = order
    while following is not None:
        order = replace(following, chain_id=runs[0].id if runs else "")
        finished = _run_with_retries(runner, order, runs)
        following = _find_next(runner, order, finished)
    return ChainReport(runs=tuple(runs))


def _run_with_retries(runner: Runner, order: RunOrder, runs: list[OpsRun]) -> FinishedRun:
    while True:
        finished = runner.run(order)
        runs.append(finished.run)
        is_last = order.attempt > order.job.retries
        if finished.run.state not in _MAY_BE_RETRIED or finished.handoff or is_last:
            return finished
        wait = min(order.job.backoff * 2 ** (order.attempt - 1), MAX_BACKOFF)
        runner.sleep(wait.total_seconds())
        order = replace(
            order, attempt=order.attempt + 1, parent_id=finished.run.id, chain_id=finished.run.chain_id
        )


def _find_next(runner: Runner, order: RunOrder, finished: FinishedRun) -> RunOrder | None:
    """Who goes on, if somebody is asked to and may: tiers only go up."""
    run, handoff = finished.run, finished.handoff
    if handoff is None and order.job.escalate_on_failure and run.state in _MAY_BE_RETRIED:
        handoff = Handoff(reason=f"tier {run.tier} {run.state}: {run.error}", origin="failure")
    if handoff is None or run.state is OpsRunState.STOPPED:
        return None
    number = handoff.tier if handoff.tier > run.tier else run.tier + 1
    if number > len(order.job.tiers):
        _tell_handoff(
            runner, run, handoff, f"Tier {run.tier} wants to hand over, but there is no tier {number}"
        )
        return None
    if run.dry_run:
        _tell_handoff(runner, run, handoff, f"Dry run: tier {run.tier} would hand over to tier {number}")
        return None
    _tell_handoff(runner, run, handoff, f"Tier {run.tier} hands over to tier {number}")
    return replace(
        order,
        tier=_tier_of(order.job, number),
        trigger="handoff",
        attempt=1,
        parent_id=run.id,
        handoff=handoff,
        handed_by=f"tier {run.tier} (run {run.id})",
    )


def _tier_of(job: OpsJob, number: int) -> OpsTier:
    return job.tiers[min(max(number, 1), len(job.tiers)) - 1]


def _tell_handoff(runner: Runner, run: OpsRun, handoff: Handoff, message: str) -> None:
    runner.operations.put_event(
        OpsEvent(
            at=runner.operations.now(),
            type=OpsEventType.HANDOFF,
            level=EventLevel.WARNING,
            message=f"{message} ({handoff.origin}): {handoff.reason}",
            service=handoff.services[0] if handoff.services else "",
            run_id=run.id,
            job=run.job,
            tier=run.tier,
            position=_ABOUT_HANDOFF,
        )
    )


def _tell_skipped(runner: Runner, job: OpsJob, trigger: str) -> None:
    runner.operations.put_event(
        OpsEvent(
            at=runner.operations.now(),
            type=OpsEventType.RUN,
            level=EventLevel.WARNING,
            message=f"Skipped a start by {trigger}: {job.name} is running already",
            job=job.name,
        )
    )
