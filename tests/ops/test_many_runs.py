"""Twenty runs at once, with agents and runners killed at random: nothing is lost, left over, or allowed too often."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import psutil
import pytest

from recollect import Recollect
from recollect.config import load_settings
from recollect.model.operations import OpsRun, OpsRunState
from recollect.ops.chain import close_orphans
from recollect.ops.environment import RUN_VARIABLE
from recollect.ops.jobs import load_jobs
from recollect.ops.runner import Runner

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="kills by signal")

RUNS = 20
EVENTS = 25
AGENT = """
import json, os, subprocess, sys, time
number, witness = sys.argv[1], open(sys.argv[2], "a")
def say(text):
    content = [{"type": "text", "text": text}]
    sys.stdout.write(json.dumps({"type": "assistant", "message": {"content": content}}) + "\\n")
    sys.stdout.flush()
    witness.write(text + "\\n"); witness.flush()
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"], start_new_session=True)
for event in range(int(sys.argv[3])):
    say(f"[EVENT:info:svc{number}] run {number} event {event}")
    time.sleep(0.02)
    if event in (5, 10):
        asked = [sys.executable, "-m", "recollect", "ops", "allow", "restart", "shared"]
        if subprocess.run(asked, capture_output=True).returncode == 0:
            open(sys.argv[2] + ".allowed", "a").write("x")
say(f"[MEMORY:behavior:svc{number}] Run {number} saw the flag of service {number} go up")
"""


def write_jobs(folder: Path) -> Path:
    agent = folder / "agent.py"
    agent.write_text(AGENT)
    commands = [
        [sys.executable, str(agent), str(number), str(folder / f"witness{number}"), str(EVENTS)]
        for number in range(RUNS)
    ]
    jobs = [
        f"[jobs.job{number}]\nprompt = 'go'\noverlap = 'allow'\nstream = 'claude'\nstructured = false\n"
        f"command = {json.dumps(command)}\n"
        for number, command in enumerate(commands)
    ]
    file = folder / "ops.toml"
    file.write_text("\n".join(jobs) + "\n[cooldowns.restart]\nmost = 2\nwindow = '4h'\n")
    return file


def processes_of(runs: list[OpsRun]) -> list[int]:
    ids = {run.id for run in runs}
    alive = []
    for process in psutil.process_iter():
        try:
            if process.environ().get(RUN_VARIABLE) in ids:
                alive.append(process.pid)
        except (psutil.Error, OSError):
            continue
    return alive


@pytest.mark.slow
@pytest.mark.timeout(280)
def test_kills_lose_no_event_leave_no_process_and_exceed_no_limit(tmp_path: Path) -> None:
    chance = random.Random(17)
    file = write_jobs(tmp_path)
    db = tmp_path / "memories.db"
    settings = load_settings(None, {"db": str(db)})
    Recollect(settings=settings, folder=None).close()
    environment = {**os.environ, "RECOLLECT_EMBEDDING_TIER": "none", "RECOLLECT_HOME": str(tmp_path / "home")}
    words = [sys.executable, "-m", "recollect", "ops", "run", "--file", str(file), "--db", str(db)]
    runners = [
        subprocess.Popen(
            [*words, f"job{number}"], env=environment, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )
        for number in range(RUNS)
    ]
    memory = Recollect(settings=settings, folder=None)
    killed = kill_some(memory, runners, chance)
    for runner in runners:
        runner.wait(200)
    assert killed["agent"] and killed["runner"], killed
    orphans = close_orphans(Runner(memory, load_jobs(file)))
    runs = list(memory.operations.list_runs(limit=1000))
    assert len(orphans) <= killed["runner"]
    assert {run.state for run in runs} <= {OpsRunState.SUCCEEDED, OpsRunState.FAILED, OpsRunState.INTERRUPTED}
    assert processes_of(runs) == []
    messages = Counter(event.message for event in memory.operations.list_events(type_="agent", limit=10_000))
    assert set(messages.values()) <= {1}
    witnessed = [
        line.partition("] ")[2]
        for path in tmp_path.glob("witness*")
        if path.suffix != ".allowed"
        for line in path.read_text().splitlines()
        if line.startswith("[EVENT")
    ]
    assert len(witnessed) > RUNS
    assert [line for line in witnessed if line not in messages] == []
    granted = [action for action in memory.operations.list_actions(limit=1000) if action.allowed]
    assert len(granted) <= 2
    assert sum(len(path.read_text()) for path in tmp_path.glob("*.allowed")) <= 2
    memory.close()


def kill_some(
    memory: Recollect, runners: list[subprocess.Popen[bytes]], chance: random.Random
) -> Counter[str]:
    """Kill six agents and six runners while they are at work."""
    killed: Counter[str] = Counter()
    until = time.monotonic() + 120
    while sum(killed.values()) < 12 and time.monotonic() < until:
        time.sleep(0.05)
        at_work = [run for run in memory.operations.list_open_runs() if run.pid]
        alive = [run for run in at_work if any(r.pid == run.runner_pid and r.poll() is None for r in runners)]
        if not alive:
            if all(runner.poll() is not None for runner in runners):
                break
            continue
        run = chance.choice(alive)
        kind = "agent" if killed["agent"] < 6 and chance.random() < 0.5 else "runner"
        if killed[kind] >= 6:
            continue
        pid = run.pid if kind == "agent" else run.runner_pid
        assert pid is not None
        try:
            os.kill(pid, signal.SIGKILL)
            killed[kind] += 1
        except ProcessLookupError:
            continue
    return killed
