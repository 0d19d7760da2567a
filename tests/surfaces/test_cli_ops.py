"""The commands for scheduled agents, as an operator types them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.surfaces.conftest import RECOLLECT, Run

AGENT = Path(__file__).parents[1] / "ops" / "agent.py"
SAYS = "[MEMORY:timing:jellyfin] Takes 60s to start\n[EVENT:warning:caddy] Slow handshake\n[MEMORY:odd:x] y"
OUTPUT = {"summary": "ok", "services_checked": [{"service": "caddy", "healthy": True, "message": "200"}]}


@pytest.fixture(autouse=True)
def jobs(tmp_path: Path) -> None:
    """A jobs file in the folder where the commands are typed."""
    play([SAYS, {"result": {}}])
    words = [sys.executable, str(AGENT), str(Path("script.json").absolute()), "{system}"]
    Path("ops.toml").write_text(
        f"[jobs.health]\nprompt = 'Check'\ncommand = {json.dumps(words)}\nstream = 'claude'\nstructured = false\n"
        f"schedule = '0 3 * * *'\n[jobs.checks]\nprompt = 'Check'\ncommand = {json.dumps(words)}\nstream = 'claude'\n"
    )


def play(*plans: list[Any]) -> None:
    Path("script.json").write_text(json.dumps(plans))
    Path("script.given.jsonl").unlink(missing_ok=True)


@pytest.fixture
def person(run: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    def run_(*words: str, **how: Any) -> Any:
        with monkeypatch.context() as patch:
            patch.setattr("recollect.config.is_agent_process", lambda: False)
            return run(*words, **how)

    return run_


def test_a_run_is_shown_with_its_events_memories_and_log(run: Run, person: Run) -> None:
    said = run("ops", "run", "health")
    assert said.code == 0, said.err
    assert "succeeded" in said.out
    (shown,) = run("ops", "runs", "--json").json["runs"]
    assert (shown["job"], shown["state"], shown["malformed"], shown["cost_usd"]) == (
        "health",
        "succeeded",
        1,
        0.25,
    )
    events = run("ops", "events", "--json").json["events"]
    assert [event["type"] for event in events] == ["run", "memory", "agent", "malformed", "run"]
    (memory,) = run("ops", "memories", "--json").json["memories"]
    assert (memory["text"], memory["tier"], memory["run"]) == ("Takes 60s to start", 1, shown["id"])
    assert "[timing:jellyfin] Takes 60s to start" in run("ops", "memories").out
    assert "stream" not in run("ops", "log", shown["id"][:13]).err
    assert any("Takes 60s" in line for line in run("ops", "log", shown["id"], "--json").json["lines"])
    assert run("ops", "memories", "--service", "caddy", "--json").json["memories"] == []


def test_a_failed_run_ends_with_1(run: Run) -> None:
    play([{"exit": 4}])
    said = run("ops", "run", "health")
    assert said.code == 1
    assert "exit code 4: it went wrong" in said.out


def test_health_and_cooldowns_are_shown_and_reset_by_a_person_alone(run: Run, person: Run) -> None:
    assert run("ops", "allow", "restart", "caddy").code == 0
    assert run("ops", "allow", "restart", "caddy", "--json").json["used"] == 2
    denied = run("ops", "allow", "restart", "caddy")
    assert denied.code == 1
    assert "not allowed" in denied.out
    assert run("ops", "allow", "restart", "caddy", "--look").code == 1
    shown = run("ops", "cooldowns", "--json").json
    assert [action["allowed"] for action in shown["actions"]] == [False, True, True]
    assert run("ops", "reset", "caddy").code == 1
    assert person("ops", "reset", "caddy", "--json").json["reset"] == 2
    assert run("ops", "allow", "restart", "caddy", "--look").code == 0
    play([{"result": {"structured_output": OUTPUT}}])
    assert run("ops", "run", "checks").code == 0
    assert run("ops", "health", "--json").json["services"][0]["service"] == "caddy"
    assert "healthy" in run("ops", "health").out


def test_an_operator_adds_edits_reactivates_and_deletes(person: Run, run: Run) -> None:
    words = ("Start it after WireGuard", "--category", "dependency", "--service", "caddy")
    added = person("ops", "memories", "add", *words, "--json").json["memory"]
    assert added["channel"] == "operator"
    edited = person("ops", "memories", "edit", added["id"], "--confidence", "0.95", "--json").json["memory"]
    assert edited["confidence"] == 0.95
    moved = person("ops", "memories", "edit", added["id"], "--service", "nginx", "--json").json["memory"]
    assert moved["about"] == ["service:nginx"]
    person("edit", added["id"], "--state", "inactive")
    assert person("ops", "memories", "reactivate", added["id"], "--json").json["memory"]["state"] == "active"
    assert run("ops", "memories", "delete", added["id"], "--yes").code == 1
    assert person("ops", "memories", "delete", added["id"], "--yes", "--json").json["deleted"] == [
        added["id"]
    ]
    messages = [event["message"] for event in person("ops", "events", "--json").json["events"]]
    assert [message.split(":")[0] for message in messages] == [
        "Operator added",
        "Operator edited",
        "Operator edited",
        "Operator reactivated",
        "Operator deleted a memory",
    ]


def test_lines_for_systemd_and_cron_are_printed_and_nothing_is_installed(run: Run) -> None:
    unit = run("ops", "install").out
    assert "ExecStart=" in unit
    assert "ops start" in unit
    line = run("ops", "install", "--cron").out
    assert line.startswith("0 3 * * * ")
    assert "ops run health" in line


def test_init_writes_a_file_once(run: Run) -> None:
    assert run("ops", "init").code == 2
    Path("ops.toml").unlink()
    assert run("ops", "init").code == 0
    assert run("ops", "runs", "--json").json["runs"] == []


def test_a_job_that_is_not_there_is_named_with_those_that_are(run: Run) -> None:
    said = run("ops", "run", "nothing", "--json")
    assert "health, checks" in said.error["message"]


@pytest.mark.parametrize(
    "words", [("ops", "runs"), ("ops", "events"), ("ops", "memories"), ("ops", "health")]
)
def test_nothing_yet_is_said(run: Run, words: tuple[str, ...]) -> None:
    assert run(*words).code == 0


@pytest.mark.skipif(sys.platform == "win32", reason="ends processes by signal")
def test_events_are_followed_while_a_scheduler_runs_jobs(run: Run, tmp_path: Path) -> None:
    """`ops start` starts what is due, `ops events --follow` shows it, and both end when they are told to."""
    text = Path("ops.toml").read_text().replace("'0 3 * * *'", "'every 1d'")
    Path("ops.toml").write_text(text)
    environment = {**os.environ, "RECOLLECT_HOME": str(tmp_path / "home"), "RECOLLECT_EMBEDDING_TIER": "none"}
    run("ops", "runs")
    follow = subprocess.Popen(
        [*RECOLLECT, "ops", "events", "--follow"], stdout=subprocess.PIPE, env=environment, text=True
    )
    start = subprocess.Popen([*RECOLLECT, "ops", "start"], env=environment, stderr=subprocess.DEVNULL)
    assert follow.stdout is not None
    try:
        shown = [follow.stdout.readline() for _ in range(4)]
    finally:
        for process in (start, follow):
            process.terminate()
            process.wait(60)
        follow.stdout.close()
    assert "Tier 1 started by schedule" in shown[0]
    assert "New memory: [timing:jellyfin] Takes 60s to start" in shown[1]


@pytest.mark.skipif(sys.platform == "win32", reason="ends processes by signal")
def test_a_scheduler_that_ends_takes_its_runs_along(run: Run, tmp_path: Path) -> None:
    Path("ops.toml").write_text(Path("ops.toml").read_text().replace("'0 3 * * *'", "'every 1d'"))
    play(["[EVENT:info] Here", {"sleep": 600}])
    environment = {**os.environ, "RECOLLECT_HOME": str(tmp_path / "home"), "RECOLLECT_EMBEDDING_TIER": "none"}
    run("ops", "runs")
    start = subprocess.Popen([*RECOLLECT, "ops", "start"], env=environment, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 60
    while not run("ops", "events", "--type", "agent", "--json").json["events"] and time.monotonic() < until:
        time.sleep(0.2)
    start.terminate()
    start.wait(60)
    (shown,) = run("ops", "runs", "--json").json["runs"]
    assert shown["state"] == "stopped"
