"""The jobs of upkeep: when each is due, how it stops and goes on, and what it says."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from pathlib import Path

from recollect import Recollect
from recollect.lifecycle import upkeep
from recollect.lifecycle.decay import PAGE
from recollect.lifecycle.upkeep import JOBS, JobResult, JobRun, UpkeepJob, UpkeepReport
from recollect.lifecycle.upkeep_context import UpkeepContext
from recollect.model.kinds import Kinds
from recollect.model.memory import MemoryState
from tests.builders import NOON, a_db, an_engine, an_id
from tests.conftest import Clock
from tests.git.repos import git
from tests.lifecycle.conftest import learn
from tests.lifecycle.stories import actions, remembered


def outcomes(report: UpkeepReport) -> dict[str, str]:
    return {job.job: job.outcome for job in report.jobs}


def a_care() -> UpkeepContext:
    ids = count(1)
    return UpkeepContext(db=a_db(), kinds=Kinds(), now=NOON, new_id=lambda at: an_id(next(ids)))


def run(
    care: UpkeepContext, *jobs: UpkeepJob, timer: list[float] | None = None, dry_run: bool = False
) -> UpkeepReport:
    ticks = iter(timer or [0.0] * 100)
    return upkeep.run_upkeep(care, jobs, timer=lambda: next(ticks), budget=1.0, every=False, dry_run=dry_run)


def a_job(ran: list[JobRun], **details: object) -> UpkeepJob:
    def work(care: UpkeepContext, turn: JobRun) -> JobResult:
        ran.append(turn)
        return JobResult(changed=1, summary="one thing")

    return replace(UpkeepJob(name="tidy", about="Tidies.", run=work), **details)  # type: ignore[arg-type]


def test_every_job_runs_the_first_time_and_then_once_a_day(memory: Recollect, clock: Clock) -> None:
    assert set(outcomes(memory.upkeep.run()).values()) == {"done"}
    clock.pass_(hours=23)
    again = outcomes(memory.upkeep.run())
    # These look for themselves whether there is something to do.
    assert {name for name, outcome in again.items() if outcome == "done"} == {"snapshot", "follow", "close"}
    assert set(again.values()) == {"done", "not due"}
    clock.pass_(hours=1)
    assert set(outcomes(memory.upkeep.run()).values()) == {"done"}
    assert set(outcomes(memory.upkeep.run(every=True)).values()) == {"done"}


def test_a_job_may_be_due_by_sessions(clock: Clock) -> None:
    care, ran = a_care(), list[JobRun]()
    job = a_job(ran, days=None, sessions=2)
    run(care, job)
    assert outcomes(run(care, job)) == {"tidy": "not due"}
    for name in ("one", "two"):
        care.db.run("session_seen", id=name, project_id=None, at=0, owner=None)
    assert outcomes(run(care, job)) == {"tidy": "done"}
    assert outcomes(run(care, job)) == {"tidy": "not due"}
    assert len(ran) == 2


def test_a_dry_run_changes_nothing_and_is_not_a_run(memory: Recollect, clock: Clock) -> None:
    known = remembered(memory, "Jellyfin takes 60s to start", kind="timing")
    memory.upkeep.run()
    clock.pass_(days=30)
    memory.upkeep.run()
    clock.pass_(days=10)
    for _ in range(2):
        report = memory.upkeep.run(dry_run=True)
        assert (report.changed, outcomes(report)["decay"]) == (1, "done")
    assert memory.show(known.id) == known
    assert memory.upkeep.run().changed == 1


def test_running_it_again_changes_nothing(memory: Recollect, clock: Clock) -> None:
    known = remembered(memory, "Jellyfin takes 60s to start", kind="timing")
    for days in (0, 30, 10):
        clock.pass_(days=days)
        memory.upkeep.run(every=True)
    story = memory.history(known.id)
    assert [change.action for change in story] == ["remember", "decay"]
    for _ in range(3):
        clock.pass_(hours=3)
        assert memory.upkeep.run(every=True).changed == 0
    assert memory.history(known.id) == story


def test_without_time_a_job_waits_for_the_next_run() -> None:
    care, ran = a_care(), list[JobRun]()
    job = a_job(ran)
    assert outcomes(run(care, job, timer=[0.0, 2.0])) == {"tidy": "not finished"}
    assert outcomes(run(care, job)) == {"tidy": "done"}


def test_ageing_stops_when_its_time_is_up_and_goes_on_from_there(memory: Recollect, clock: Clock) -> None:
    texts = [
        f"{'abcdefghijklmnopqrstuvwxyz'[n % 26] * 3}{n:03d} takes long to start" for n in range(PAGE + 10)
    ]
    memory.remember_many([memory.draft(text, kind="timing") for text in texts])
    assert memory.count() == PAGE + 10
    for days in (30, 10):
        clock.pass_(days=days)
        if days == 30:
            memory.upkeep.run()
    ticks = iter([*[0.0] * 6, *[9.0] * 50])
    desk = type(memory.upkeep)(memory._wiring, timer=lambda: next(ticks))
    report = desk.run(budget=1.0)
    assert (outcomes(report)["decay"], report.changed) == ("not finished", PAGE)
    report = memory.upkeep.run()
    assert (outcomes(report)["decay"], report.changed) == ("done", 10)
    assert {found.confidence for found in memory.list(limit=500)} == {0.6}


def test_what_has_faded_is_asleep_and_its_story_says_why(memory: Recollect, clock: Clock) -> None:
    known = remembered(memory, "Jellyfin takes 60s to start", kind="timing")
    for days in (0, 30, 30, 6):
        clock.pass_(days=days)
        memory.upkeep.run()
    now = memory.show(known.id)
    assert (now.state, now.confidence) == (MemoryState.INACTIVE, 0.2)
    told = memory.history(known.id)[-1]
    assert (told.actor, told.action) == ("recollect", "decay")
    assert told.why.startswith("66 days since 2026-05-08.")
    assert memory.recall("how long does jellyfin take?").hits == ()


def test_a_persons_undo_passes_over_what_time_did(memory: Recollect, clock: Clock) -> None:
    known = remembered(memory, "Jellyfin takes 60s to start", kind="timing")
    edited = remembered(memory, "Caddy starts last")
    memory.edit(edited.id, text="Caddy starts first")
    for days in (0, 30, 10):
        clock.pass_(days=days)
        memory.upkeep.run()
    assert memory.undo().action == "edit"
    assert actions(memory, known.id) == ["remember", "decay"]


def test_a_changed_confidence_and_an_unpinned_memory_begin_to_age_from_then(
    memory: Recollect, clock: Clock
) -> None:
    pinned = remembered(memory, "Caddy starts last", kind="timing", pinned=True)
    edited = remembered(memory, "Jellyfin takes 60s to start", kind="timing")
    for _ in range(4):
        clock.pass_(days=30)
        memory.upkeep.run()
        memory.edit(edited.id, confidence=0.9)
    memory.pin(pinned.id, pinned=False)
    clock.pass_(days=30)
    memory.upkeep.run()
    assert [memory.show(found.id).confidence for found in (pinned, edited)] == [0.7, 0.9]


def test_the_table_of_jobs_says_what_each_is_for() -> None:
    assert [job.name for job in JOBS] == [
        "snapshot",
        "follow",
        "close",
        "decay",
        "confirm",
        "prune",
        "scratchpad",
        "ledger",
        "clear",
    ]
    assert all(job.about.endswith(".") for job in JOBS)


def test_upkeep_takes_a_snapshot_when_enough_sessions_have_passed(tmp_path: Path) -> None:
    with an_engine(tmp_path / "memories.db") as memory:
        memory.remember("Kept twice")
        for number in range(20):
            memory._db.run("session_seen", id=f"s{number}", project_id=None, at=number, owner=None)
        said = {job.job: job.said for job in memory.upkeep.run().jobs}
        assert said["snapshot"] == "a proved copy of the store was made"
        assert not memory.safety.snapshot_is_due()
        assert {job.job: job.said for job in memory.upkeep.run().jobs}["snapshot"] == ""


def test_upkeep_follows_a_file_that_moved_and_marks_one_that_is_gone(
    shop: Recollect, repository: Path
) -> None:
    known = learn(shop)
    git(repository, "mv", "src/auth.py", "src/login.py")
    git(repository, "commit", "-q", "-m", "moved")
    said = {job.job: job.said for job in shop.upkeep.run().jobs}
    assert said["follow"] == "1 followed, 0 went stale, 0 hold again"
    assert [str(subject) for subject in shop.show(known).subjects] == ["file:src/login.py"]
    git(repository, "rm", "-q", "src/login.py")
    git(repository, "commit", "-q", "-m", "gone")
    assert shop.upkeep.run(dry_run=True).changed == 0
    assert shop.upkeep.run().changed == 1
    assert shop.show(known).stale_at is not None
