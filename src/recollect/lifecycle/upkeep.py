"""
Looking after memories: a table of jobs, each run when it is due, at the start of a session and never by a daemon.

A job is idempotent, stops when its time is up and goes on from there the next time, and says what it did. To add one is
to add a row.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from recollect.lifecycle import clock_guard, stale
from recollect.lifecycle.archive import KEPT_DAYS, let_go
from recollect.lifecycle.confirm import auto_confirm
from recollect.lifecycle.decay import decay
from recollect.lifecycle.prune import Wish, prune
from recollect.lifecycle.upkeep_context import UPKEEP, Care
from recollect.model.json_form import moment_from_json, moment_to_json
from recollect.model.memory import MemoryState
from recollect.model.savings import LOOKS_BACK
from recollect.model.value import asdict, dataclass, replace
from recollect.store.safety import snapshots
from recollect.store.tables import injections, meta, scratchpad, sessions, trails

NOTES_KEPT = timedelta(days=90)
# Sessions are laid side by side over a month.
TRAILS_KEPT = timedelta(days=31)
_AT_ONCE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What a job may use of this run: time, the place where it stopped, and whether it may change anything."""

    in_time: Callable[[], bool]
    place: int
    dry_run: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What a job did: how many memories it changed, in a sentence, and where to go on (0: it is through)."""

    changed: int
    said: str
    place: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One row of the table. It is due when so much time has passed or so many sessions have begun since the last."""

    name: str
    about: str
    run: Callable[[Care, Turn], Done]
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
class Report:
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
class _Last:
    """What is kept of a job between runs."""

    at: str | None = None
    sessions: int = 0
    place: int = 0


def run(
    care: Care, jobs: Sequence[Job], *, timer: Callable[[], float], budget: float, every: bool, dry_run: bool
) -> Report:
    """Run the jobs that are due (or all of them) within so many seconds by a timer; what they did."""
    started = timer()
    belief = clock_guard.believed(clock_guard.read(care.db), care.now)
    if not dry_run:
        clock_guard.keep(care.db, belief)
    by_belief = replace(care, now=belief.at)
    reports = tuple(
        _run(by_belief, job, lambda: timer() - started < budget, every=every, dry_run=dry_run) for job in jobs
    )
    return Report(at=belief.at, doubted=belief.doubted, dry_run=dry_run, jobs=reports)


def _run(care: Care, job: Job, in_time: Callable[[], bool], *, every: bool, dry_run: bool) -> JobReport:
    last = _last(care, job)
    if not (every or _is_due(care, job, last)):
        return JobReport(job=job.name, outcome="not due")
    if not in_time():
        return JobReport(job=job.name, outcome="not finished", said="there was no time left for it")
    done = job.run(care, Turn(in_time=in_time, place=last.place, dry_run=dry_run))
    if not dry_run:
        finished = _Last(at=moment_to_json(care.now), sessions=sessions.count(care.db))
        meta.put(
            care.db,
            _key(job),
            json.dumps(asdict(replace(last, place=done.place) if done.place else finished)),
        )
    outcome = "not finished" if done.place else "done"
    return JobReport(job=job.name, outcome=outcome, changed=done.changed, said=done.said)


def _is_due(care: Care, job: Job, last: _Last) -> bool:
    if last.at is None or last.place:
        return True
    passed = care.now - moment_from_json(last.at)
    by_time = job.days is not None and abs(passed) >= timedelta(days=job.days)
    return by_time or (job.sessions is not None and sessions.count(care.db) - last.sessions >= job.sessions)


def _last(care: Care, job: Job) -> _Last:
    kept = meta.get(care.db, _key(job))
    return _Last(**json.loads(kept)) if kept else _Last()


def _key(job: Job) -> str:
    return f"upkeep.{job.name}"


def _follow(care: Care, turn: Turn) -> Done:
    checkout = None if turn.dry_run else care.checkout()
    if checkout is None:
        return Done(changed=0, said="")
    swept = stale.at_session_start(
        stale.Round(
            db=care.db,
            kinds=care.kinds,
            checkout=checkout,
            now=care.now,
            new_id=care.new_id,
            enough=lambda: not turn.in_time(),
            actor=UPKEEP,
        )
    )
    changed = len(swept.moved) + len(swept.stale) + len(swept.fresh)
    said = f"{len(swept.moved)} followed, {len(swept.stale)} went stale, {len(swept.fresh)} hold again"
    return Done(changed=changed, said=said, place=0 if swept.finished else 1)


def _snapshot(care: Care, turn: Turn) -> Done:
    if turn.dry_run or not snapshots.due(care.db, care.snapshots_every):
        return Done(changed=0, said="")
    snapshots.take(care.db, care.now, keep=care.snapshots_kept)
    return Done(changed=0, said="a proved copy of the store was made")


def _decay(care: Care, turn: Turn) -> Done:
    changed, place = decay(care, turn.place, turn.in_time, dry_run=turn.dry_run)
    asleep = sum(memory.state is MemoryState.INACTIVE for memory in changed)
    return Done(changed=len(changed), said=f"{len(changed)} aged, {asleep} of them inactive", place=place)


def _confirm(care: Care, turn: Turn) -> Done:
    if turn.dry_run:
        return Done(changed=0, said="")
    found = auto_confirm(care.db, care.now, care.new_id)
    return Done(changed=len(found), said=f"{len(found)} need no review any more")


def _prune(care: Care, turn: Turn) -> Done:
    found = prune(care, Wish(), turn.in_time, dry_run=turn.dry_run)
    said = (
        f"{len(found.memories)} archived, {found.size.tokens} tokens; {found.events} recorded events let go"
    )
    return Done(changed=len(found.memories), said=said, place=0 if found.finished else 1)


def _scratchpad(care: Care, turn: Turn) -> Done:
    if turn.dry_run:
        return Done(changed=0, said="")
    notes = old = 0
    while turn.in_time():
        notes += (gone := scratchpad.drop_old(care.db, care.now - NOTES_KEPT, _AT_ONCE))
        old += (walked := trails.drop_old(care.db, care.now - TRAILS_KEPT, _AT_ONCE))
        if gone < _AT_ONCE and walked < _AT_ONCE:
            return Done(changed=0, said=f"{notes} old notes and {old} old trails let go")
    return Done(changed=0, said=f"{notes} old notes and {old} old trails let go", place=1)


def _ledger(care: Care, turn: Turn) -> Done:
    if turn.dry_run or care.ledger_kept is None:
        return Done(changed=0, said="")
    before, gone = care.now - care.ledger_kept, 0
    while turn.in_time():
        gone += (dropped := injections.drop_old(care.db, before, but_newest=LOOKS_BACK, limit=_AT_ONCE))
        if dropped < _AT_ONCE:
            return Done(changed=0, said=f"{gone} old lines of what agents were told let go")
    return Done(changed=0, said=f"{gone} old lines of what agents were told let go", place=1)


def _clear(care: Care, turn: Turn) -> Done:
    gone, finished = let_go(care, turn.in_time, dry_run=turn.dry_run)
    said = f"{len(gone)} gone for good, archived {KEPT_DAYS} days ago"
    return Done(changed=len(gone), said=said, place=0 if finished else 1)


# 0 days: at every session's start; the job itself knows when it has nothing to do.
JOBS: tuple[Job, ...] = (
    Job(name="snapshot", about="Makes a proved copy after so many sessions.", run=_snapshot, days=0),
    Job(
        name="follow",
        about="Follows files that moved, marks memories whose files are gone.",
        run=_follow,
        days=0,
    ),
    Job(name="decay", about="Ages what ages, and puts to sleep what has faded.", run=_decay),
    Job(name="confirm", about="Takes off the review list what is confirmed by rule.", run=_confirm),
    Job(name="prune", about="Archives what the rules of pruning let go.", run=_prune),
    Job(
        name="scratchpad",
        about=f"Lets go of notes that nothing came of for {NOTES_KEPT.days} days.",
        run=_scratchpad,
    ),
    Job(
        name="ledger",
        about="Lets go of what agents were told longer ago than `ledger.keep_days`, but for the newest sessions.",
        run=_ledger,
    ),
    Job(name="clear", about=f"Removes what was pruned {KEPT_DAYS} days ago.", run=_clear),
)
