"""Around runs: notifications, what is kept for how long, and what a run is told in which order."""

from __future__ import annotations

import json
import sys
from datetime import timedelta

from recollect.model.operations import OpsRetention
from recollect.ops.chain import run_chain
from recollect.ops.jobs import OpsNotice
from tests.ops.conftest import Stage

TELL = "import sys; open('told.jsonl', 'a').write(sys.stdin.read() + chr(10))"


def notice(stage: Stage, level: str = "critical") -> OpsNotice:
    code = TELL.replace("told.jsonl", str(stage.folder / "told.jsonl"))
    return OpsNotice(command=(sys.executable, "-c", code), level=level)


def told(stage: Stage) -> list[dict[str, object]]:
    path = stage.folder / "told.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def test_an_operator_is_told_of_grave_events_and_failed_runs(stage: Stage) -> None:
    stage.play(["[EVENT:critical:db] It is down\n[EVENT:warning:web] Slow", {"exit": 2}])
    stage.run(stage.job(notice=notice(stage)))
    assert [(one["about"], one.get("message", one.get("state"))) for one in told(stage)] == [
        ("event", "It is down"),
        ("run", "failed"),
    ]


def test_a_run_that_went_well_tells_nobody(stage: Stage) -> None:
    stage.play(["[EVENT:info] Fine", {"result": {}}])
    stage.run(stage.job(notice=notice(stage, "warning")))
    assert told(stage) == []


def test_a_notification_that_fails_does_not_end_the_run(stage: Stage) -> None:
    stage.play(["[EVENT:critical:db] It is down", {"result": {}}])
    report = stage.run(stage.job(notice=OpsNotice(command=("/nowhere/tell",))))
    assert report.succeeded


def test_what_is_older_than_it_is_kept_goes(stage: Stage) -> None:
    stage.play(["[EVENT:info] Old", {"result": {}}])
    (old,) = stage.run().runs
    stage.clock.pass_(days=20)
    file = {"retention": OpsRetention(runs=timedelta(days=7), events=timedelta(days=30))}
    run_chain(stage.runner(file=file), stage.job())
    assert old.id not in [run.id for run in stage.memory.operations.list_runs()]
    assert stage.messages().count("Old") == 2
    stage.clock.pass_(days=11)
    run_chain(stage.runner(file=file), stage.job())
    assert stage.messages().count("Old") == 2


def test_the_order_of_the_start(stage: Stage) -> None:
    """Hooks, ageing, environment, memories, agent: a hook sees nothing aged yet, the prompt has all in its order."""
    stage.play(["[MEMORY:timing:x] Takes nine seconds to answer", {"result": {}}])
    stage.run()
    stage.clock.pass_(days=20)
    stage.memory.operations.age_memories()
    stage.clock.pass_(days=20)
    look = (sys.executable, "-m", "recollect", "ops", "memories", "--json")
    seen = stage.folder / "seen.json"
    code = f"import subprocess; open({str(seen)!r}, 'wb').write(subprocess.run({list(look)!r}, stdout=-1).stdout)"
    stage.play([{"result": {}}])
    stage.run(stage.job(before=((sys.executable, "-c", code),)))
    assert json.loads(seen.read_text())["memories"][0]["confidence"] == 0.7
    system = stage.given()[0]["system"]
    places = [
        system.index(part)
        for part in ("## Recording", "recording nothing is fine", "Environment:", "(confidence: 0.6)")
    ]
    assert places == sorted(places)
