"""A runner that dies: what its agent said is not lost, nothing is taken in twice, nothing is left running."""

from __future__ import annotations

import json
import subprocess
import sys

import psutil
import pytest

from recollect.model.operations import OpsRun, OpsRunState
from recollect.model.value import replace
from recollect.ops.chain import close_orphans, run_chain
from recollect.ops.environment import RUN_VARIABLE
from recollect.ops.process import find_birth, is_alive
from tests.ops.conftest import Stage
from tests.ops.spoofs import says

SAID = (
    "[EVENT:info:x] Seen\n[MEMORY:timing:x] Takes nine seconds to answer\n[COOLDOWN:restart:x] success — done"
)


def an_orphan(stage: Stage, *lines: str, cut: str = "", **details: object) -> OpsRun:
    """A run whose runner is gone, with what its agent had written by then."""
    operations = stage.memory.operations
    run_id = operations.new_id()
    run = OpsRun(
        id=run_id,
        job="homelab",
        chain_id=run_id,
        trigger="schedule",
        started_at=stage.clock(),
        runner_pid=2**22 + 1,
        runner_birth=1.0,
        client="claude",
        **details,  # type: ignore[arg-type]
    )
    operations.put_run(run)
    folder = stage.runner().workspace.make(run_id)
    text = "".join(json.dumps(says(line), separators=(",", ":")) + "\n" for line in lines) + cut
    folder.write(folder.output, text)
    return run


def test_an_orphaned_run_is_closed_as_interrupted_and_what_it_said_is_kept(stage: Stage) -> None:
    an_orphan(stage, SAID, cut='{"type":"assistant","message":{"content":[{"type":"te')
    (run,) = close_orphans(stage.runner())
    assert (run.state, run.error) == (OpsRunState.INTERRUPTED, "its runner ended before it did")
    assert "Seen" in stage.messages()
    assert len(stage.memory.operations.list_memories()) == 1
    assert stage.runner().workspace.folder_of(run.id).log.exists()
    assert close_orphans(stage.runner()) == []


def test_what_was_taken_in_before_the_runner_died_is_not_taken_in_again(stage: Stage) -> None:
    run = an_orphan(stage, SAID)
    folder = stage.runner().workspace.folder_of(run.id)
    for _ in range(3):
        stage.runner().read_output(run, folder, None, {})
    close_orphans(stage.runner())
    messages = stage.messages()
    assert len(messages) == len(set(messages))
    assert [memory.confidence for memory in stage.memory.operations.list_memories()] == [0.7]
    assert len(stage.memory.operations.list_actions()) == 1


def test_markers_held_back_for_structured_output_count_when_it_never_came(stage: Stage) -> None:
    an_orphan(stage, SAID, structured=True)
    close_orphans(stage.runner())
    assert len(stage.memory.operations.list_memories()) == 1


def test_what_an_orphan_left_running_is_ended(stage: Stage) -> None:
    run = an_orphan(stage, SAID)
    left = subprocess.Popen(
        [sys.executable, "-c", "import time; time.sleep(300)"], env={RUN_VARIABLE: run.id}
    )
    birth = find_birth(left.pid)
    stage.memory.operations.set_process(run.id, left.pid, birth or 0.0)
    close_orphans(stage.runner())
    assert not is_alive(left.pid, birth)
    left.wait(20)


def test_a_run_whose_runner_lives_is_left_alone(stage: Stage) -> None:
    me = psutil.Process()
    run = an_orphan(stage, SAID)
    operations = stage.memory.operations
    operations.close_run(_ended(run, stage))
    other = operations.new_id()
    operations.put_run(
        OpsRun(
            id=other,
            job="homelab",
            chain_id=other,
            trigger="manual",
            started_at=stage.clock(),
            runner_pid=me.pid,
            runner_birth=me.create_time(),
            client="claude",
        )
    )
    assert close_orphans(stage.runner()) == []
    assert [one.id for one in operations.list_open_runs()] == [other]


def test_a_process_with_a_reused_id_is_somebody_else(stage: Stage) -> None:
    me = psutil.Process()
    assert is_alive(me.pid, me.create_time())
    assert not is_alive(me.pid, me.create_time() - 100)


def test_a_runner_that_is_interrupted_ends_its_agent_and_says_so(stage: Stage) -> None:
    stage.play(["[EVENT:info] Here", {"start": True, "apart": True}, {"sleep": 600}])
    runner = stage.runner()

    def interrupt(seconds: float) -> None:
        stage.sleep(seconds)
        if stage.messages(type_="agent"):
            raise KeyboardInterrupt

    runner.sleep = interrupt
    with pytest.raises(KeyboardInterrupt):
        run_chain(runner, stage.job())
    (run,) = stage.memory.operations.list_runs()
    assert (run.state, run.error) == (OpsRunState.STOPPED, "the runner was told to stop")
    assert not is_alive(run.pid, run.pid_birth)


def _ended(run: OpsRun, stage: Stage) -> OpsRun:
    return replace(run, state=OpsRunState.SUCCEEDED, ended_at=stage.clock())
