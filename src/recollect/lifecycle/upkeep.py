"""
Upkeep of memories: a table of jobs, each run when it is due at the start of a session, never by a daemon.

A job is idempotent, stops when its time is up and goes on from there the next time, and says what it did. To add one is
to add a row.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from recollect.lifecycle import clock_guard, stale
from recollect.lifecycle.archive import KEPT_DAYS, delete_expired
from recollect.lifecycle.confirm import auto_confirm
from recollect.lifecycle.decay import decay
from recollect.lifecycle.prune import PruneRequest, close_landed_work, prune
from recollect.lifecycle.upkeep_context import UPKEEP, UpkeepContext
from recollect.model.json_form import moment_from_json, moment_to_json
from recollect.model.memory import MemoryState
from recollect.model.policy import SESSIONS_COMPARED, TRAILS_KEPT_DAYS
from recollect.model.value import asdict, dataclass, replace
from recollect.store.safety import snapshots
from recollect.store.tables import file_visits, injections, meta, read_statements, scratchpad, sessions

NOTES_KEPT = timedelta(days=90)
# Sessions are laid side by side over a month.
TRAILS_KEPT = timedelta(days=TRAILS_KEPT_DAYS)
_AT_ONCE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRun:
    """What a job may use of this run: time, the place where it stopped, and whether it may change anything."""

    in_time: Callable[[], bool]
    place: int
    dry_run: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class JobResult:
    """What a job did: how many memories it changed, in a sentence, and where to go on (0: it is through)."""

    changed: int
    summary: str
    place: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class UpkeepJob:
    """One row of the table. It is due when so much time has passed or so many sessions have begun since the last."""

    name: str
    about: str
    run: Callable[[UpkeepContext, JobRun], JobResult]
    days: float | None = 1
    sessions: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobReport:
    """What came of a job: `done`, `not due`, or `not finished` for want of time."""

    job: str
    outcome: str
    changed: int = 0
    said: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UpkeepReport:
    """What upkeep did, by which time, and since when it doubts the clock."""

    at: datetime
    doubted: datetime | None
    dry_run: bool
    jobs: tuple[JobReport, ...]

    @property
    def changed(self) -> int:
        """How many memories were changed, or would be."""
        return sum(job.changed for job in self.jobs)


@dataclass(frozen=True, slots=True, kw_only=True)
class _LastRun:
    """What is kept of a job between runs."""

    at: str | None = None
    sessions: int = 0
    place: int = 0


def run_upkeep(
    context: UpkeepContext,
    jobs: Sequence[UpkeepJob],
    *,
    timer: Callable[[], float],
    budget: float,
    every: bool,
    dry_run: bool,
) -> UpkeepReport:
    """Run the jobs that are due (or all of them) within so many seconds by a timer; what they did."""
    started = timer()
    belief = clock_guard.update_trusted_time(clock_guard.read_trusted_time(context.db), context.now)
    if not dry_run:
        clock_guard.save_trusted_time(context.db, belief)
    by_belief = replace(context, now=belief.at)
    reports = tuple(
        _run_job(by_belief, job, lambda: timer() - started < budget, every=every, dry_run=dry_run)
        for job in jobs
    )
    return UpkeepReport(at=belief.at, doubted=belief.doubted, dry_run=dry_run, jobs=reports)


def _run_job(
    context: UpkeepContext, job: UpkeepJob, in_time: Callable[[], bool], *, every: bool, dry_run: bool
) -> JobReport:
    last = _read_last_run(context, job)
    if not (every or _is_due(context, job, last)):
        return JobReport(job=job.name, outcome="not due")
    if not in_time():
        return JobReport(job=job.name, outcome="not finished", said="there was no time left for it")
    result = job.run(context, JobRun(in_time=in_time, place=last.place, dry_run=dry_run))
    if not dry_run:
        finished = _LastRun(at=moment_to_json(context.now), sessions=sessions.count_sessions(context.db))
        meta.save_meta(
            context.db,
            _meta_key(job),
            json.dumps(asdict(replace(last, place=result.place) if result.place else finished)),
        )
    outcome = "not finished" if result.place else "done"
    return JobReport(job=job.name, outcome=outcome, changed=result.changed, said=result.summary)


def _is_due(context: UpkeepContext, job: UpkeepJob, last: _LastRun) -> bool:
    if last.at is None or last.place:
        return True
    passed = context.now - moment_from_json(last.at)
    by_time = job.days is not None and abs(passed) >= timedelta(days=job.days)
    return by_time or (
        job.sessions is not None and sessions.count_sessions(context.db) - last.sessions >= job.sessions
    )


def _read_last_run(context: UpkeepContext, job: UpkeepJob) -> _LastRun:
    stored = meta.read_meta(context.db, _meta_key(job))
    return _LastRun(**json.loads(stored)) if stored else _LastRun()


def _meta_key(job: UpkeepJob) -> str:
    return f"upkeep.{job.name}"


def _follow_files(context: UpkeepContext, turn: JobRun) -> JobResult:
    checkout = None if turn.dry_run else context.checkout()
    if checkout is None:
        return JobResult(changed=0, summary="")
    swept = stale.check_at_session_start(
        stale.StalenessContext(
            db=context.db,
            kinds=context.kinds,
            checkout=checkout,
            now=context.now,
            new_id=context.new_id,
            enough=lambda: not turn.in_time(),
            actor=UPKEEP,
        )
    )
    changed = len(swept.moved) + len(swept.stale) + len(swept.fresh)
    sentence = f"{len(swept.moved)} followed, {len(swept.stale)} went stale, {len(swept.fresh)} hold again"
    return JobResult(changed=changed, summary=sentence, place=0 if swept.finished else 1)


def _take_snapshot(context: UpkeepContext, turn: JobRun) -> JobResult:
    if turn.dry_run or not snapshots.is_snapshot_due(context.db, context.snapshots_every):
        return JobResult(changed=0, summary="")
    snapshots.take_snapshot(context.db, context.now, keep=context.snapshots_kept)
    return JobResult(changed=0, summary="a proved copy of the store was made")


def _decay_memories(context: UpkeepContext, turn: JobRun) -> JobResult:
    changed, place = decay(context, turn.place, turn.in_time, dry_run=turn.dry_run)
    asleep = sum(memory.state is MemoryState.INACTIVE for memory in changed)
    return JobResult(
        changed=len(changed), summary=f"{len(changed)} aged, {asleep} of them inactive", place=place
    )


def _confirm_by_rule(context: UpkeepContext, turn: JobRun) -> JobResult:
    if turn.dry_run:
        return JobResult(changed=0, summary="")
    confirmed = auto_confirm(context.db, context.now, context.new_id)
    return JobResult(changed=len(confirmed), summary=f"{len(confirmed)} need no review any more")


def _close_landed_work(context: UpkeepContext, turn: JobRun) -> JobResult:
    closed = close_landed_work(context, dry_run=turn.dry_run)
    return JobResult(changed=closed, summary=f"{closed} closed, merged by git's word" if closed else "")


def _prune_memories(context: UpkeepContext, turn: JobRun) -> JobResult:
    report = prune(context, PruneRequest(), turn.in_time, dry_run=turn.dry_run)
    sentence = f"{len(report.memories)} archived, {report.size.tokens} tokens; {report.events} recorded events let go"
    return JobResult(changed=len(report.memories), summary=sentence, place=0 if report.finished else 1)


def _clear_scratchpad(context: UpkeepContext, turn: JobRun) -> JobResult:
    if turn.dry_run:
        return JobResult(changed=0, summary="")
    notes = old = 0
    file_visits.forget_words(context.db, context.now - NOTES_KEPT)
    while turn.in_time():
        notes += (
            notes_deleted := scratchpad.delete_old_notes(context.db, context.now - NOTES_KEPT, _AT_ONCE)
        )
        old += (walked := scratchpad.delete_old_trails(context.db, context.now - TRAILS_KEPT, _AT_ONCE))
        gone = read_statements.delete_old_statements(context.db, context.now - NOTES_KEPT, _AT_ONCE)
        if max(notes_deleted, walked, gone) < _AT_ONCE:
            return JobResult(changed=0, summary=f"{notes} old notes and {old} old trails let go")
    return JobResult(changed=0, summary=f"{notes} old notes and {old} old trails let go", place=1)


def _clear_ledger(context: UpkeepContext, turn: JobRun) -> JobResult:
    if turn.dry_run or context.ledger_kept is None:
        return JobResult(changed=0, summary="")
    before, deleted = context.now - context.ledger_kept, 0
    while turn.in_time():
        deleted += (
            dropped := injections.delete_old_injections(
                context.db, before, but_newest=SESSIONS_COMPARED, limit=_AT_ONCE
            )
        )
        if dropped < _AT_ONCE:
            return JobResult(changed=0, summary=f"{deleted} old lines of what agents were told let go")
    return JobResult(changed=0, summary=f"{deleted} old lines of what agents were told let go", place=1)


def _delete_archived(context: UpkeepContext, turn: JobRun) -> JobResult:
    deleted_ids, finished = delete_expired(context, turn.in_time, dry_run=turn.dry_run)
    sentence = f"{len(deleted_ids)} gone for good, archived {KEPT_DAYS} days ago"
    return JobResult(changed=len(deleted_ids), summary=sentence, place=0 if finished else 1)


# 0 days: at every session's start; the job itself knows when it has nothing to do.
JOBS: tuple[UpkeepJob, ...] = (
    UpkeepJob(
        name="snapshot", about="Makes a proved copy after so many sessions.", run=_take_snapshot, days=0
    ),
    UpkeepJob(
        name="follow",
        about="Follows files that moved, marks memories whose files are gone.",
        run=_follow_files,
        days=0,
    ),
    UpkeepJob(
        name="close",
        about="Closes open work on branches that git says were merged.",
        run=_close_landed_work,
        days=0,
    ),
    UpkeepJob(name="decay", about="Ages what ages, and puts to sleep what has faded.", run=_decay_memories),
    UpkeepJob(
        name="confirm", about="Takes off the review list what is confirmed by rule.", run=_confirm_by_rule
    ),
    UpkeepJob(name="prune", about="Archives what the rules of pruning let go.", run=_prune_memories),
    UpkeepJob(
        name="scratchpad",
        about=f"Lets go of notes that nothing came of for {NOTES_KEPT.days} days, and of words seen in files.",
        run=_clear_scratchpad,
    ),
    UpkeepJob(
        name="ledger",
        about="Lets go of what agents were told longer ago than `ledger.keep_days`, but for the newest sessions.",
        run=_clear_ledger,
    ),
    UpkeepJob(name="clear", about=f"Removes what was pruned {KEPT_DAYS} days ago.", run=_delete_archived),
)
