"""Limits of actions: a sliding window, reset by healthy checks or an operator, and a guard that blocks for real."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest

from recollect.model.operations import CooldownLimit
from recollect.ops.guard import judge_call
from recollect.ops.jobs import DEFAULT_LIMITS
from tests.ops.conftest import Stage

RESTART, REDEPLOY = DEFAULT_LIMITS


def test_two_restarts_in_four_hours_and_one_redeployment_in_a_day(stage: Stage) -> None:
    operations = stage.memory.operations
    assert [operations.try_action(RESTART, "jellyfin").allowed for _ in range(3)] == [True, True, False]
    assert [operations.try_action(REDEPLOY, "jellyfin").allowed for _ in range(2)] == [True, False]
    assert operations.try_action(RESTART, "caddy").allowed
    stage.clock.pass_(hours=4, seconds=1)
    assert operations.try_action(RESTART, "jellyfin").allowed
    assert not operations.try_action(REDEPLOY, "jellyfin").allowed
    stage.clock.pass_(hours=20)
    assert operations.try_action(REDEPLOY, "jellyfin").allowed


def test_the_window_slides(stage: Stage) -> None:
    operations = stage.memory.operations
    start = stage.clock.at
    assert operations.try_action(RESTART, "x").allowed
    stage.clock.pass_(hours=3)
    assert operations.try_action(RESTART, "x").allowed
    denied = operations.try_action(RESTART, "x")
    assert (denied.allowed, denied.used, denied.next_at) == (False, 2, start + timedelta(hours=4))
    stage.clock.pass_(hours=1, seconds=1)
    assert operations.try_action(RESTART, "x").allowed
    assert not operations.try_action(RESTART, "x").allowed


def test_a_limit_of_none_allows_nothing(stage: Stage) -> None:
    limit = CooldownLimit(action="reboot", most=0, window=timedelta(hours=1))
    assert not stage.memory.operations.try_action(limit, "host").allowed


def test_what_was_asked_for_is_not_counted_again_when_it_is_done(stage: Stage) -> None:
    operations = stage.memory.operations
    assert operations.try_action(RESTART, "x", run_id="R1").allowed
    assert operations.try_action(RESTART, "x", run_id="R1", spend=True).used == 1
    assert operations.try_action(RESTART, "x", run_id="R1", spend=True).used == 2
    assert not operations.try_action(RESTART, "x", run_id="R1", spend=True).allowed


def test_every_yes_counts_also_for_a_run_that_asks_again_and_again(stage: Stage) -> None:
    ask = stage.memory.operations.try_action
    assert [ask(RESTART, "x", run_id="R1").allowed for _ in range(4)] == [True, True, False, False]


def test_many_who_ask_at_once_get_no_more_than_the_limit(stage: Stage) -> None:
    hands = [stage.open() for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        answers = list(
            pool.map(
                lambda n: hands[n % 8].operations.try_action(RESTART, "x", run_id=f"R{n}").allowed, range(64)
            )
        )
    for hand in hands:
        hand.close()
    assert sum(answers) == 2


def test_two_healthy_checks_in_a_row_reset_a_service(stage: Stage) -> None:
    operations = stage.memory.operations

    def check(*healthy: bool) -> None:
        for one in healthy:
            output = {"summary": "s", "services_checked": [{"service": "x", "healthy": one}]}
            stage.play([{"result": {"structured_output": output}}])
            stage.run(stage.job(structured=True))

    assert [operations.try_action(RESTART, "x").allowed for _ in range(3)] == [True, True, False]
    check(True, False, True)
    assert not operations.look_up_allowance(RESTART, "x").allowed
    check(True)
    assert operations.look_up_allowance(RESTART, "x").used == 0
    (health,) = operations.list_health()
    assert (health.healthy, health.streak) == (True, 2)
    assert "Cooldowns of x reset after 2 healthy checks" in stage.messages(type_="cooldown")


def test_a_marker_tells_how_a_granted_action_ended(stage: Stage) -> None:
    ask = [sys.executable, "-m", "recollect", "ops", "allow", "restart", "x"]
    stage.play([{"run": ask}, "[COOLDOWN:restart:x] failure — the port was taken"])
    stage.run()
    (action,) = stage.memory.operations.list_actions()
    assert (action.allowed, action.succeeded, action.message) == (True, False, "the port was taken")
    assert action.run_id == stage.memory.operations.list_runs()[0].id


def test_an_action_that_nobody_had_asked_for_counts_and_shows(stage: Stage) -> None:
    for _ in range(2):
        stage.memory.operations.try_action(RESTART, "x")
    stage.play(["[COOLDOWN:restart:x] success — did it anyway"])
    stage.run()
    assert stage.memory.operations.look_up_allowance(RESTART, "x").used == 3
    (event,) = stage.memory.operations.list_events(type_="cooldown")
    assert event.level == "error"
    assert "although its cooldown had not passed" in event.message


def call(command: object) -> dict[str, Any]:
    return {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}}


def judge(stage: Stage, command: object, run_id: str = "R1") -> bool:
    return judge_call(stage.open, stage.file(), call(command), run_id).allowed


def test_the_guard_lets_through_what_is_within_the_limit_and_blocks_the_rest(stage: Stage) -> None:
    assert judge(stage, "docker ps && systemctl status x")
    assert judge(stage, "docker restart x")
    assert judge(stage, "sudo systemctl restart x.service")
    assert not judge(stage, "docker restart x")
    assert judge(stage, "docker restart y")
    assert any(message.startswith("Blocked: restart x") for message in stage.messages())


def test_two_restarts_in_one_command_count_twice(stage: Stage) -> None:
    assert judge(stage, "docker restart x; docker restart x")
    assert not judge(stage, "docker restart x")


@pytest.mark.parametrize("command", ["docker restart $NAME", "docker restart ${x}", "a" * 30_000])
def test_what_cannot_be_read_is_not_let_through(stage: Stage, command: str) -> None:
    assert not judge(stage, command)


def test_the_hook_answers_as_the_client_reads_it(stage: Stage) -> None:
    verdict = judge_call(stage.open, stage.file(), call("docker restart $X"), "R1")
    answer = json.loads(verdict.to_hook_output())["hookSpecificOutput"]
    assert (answer["hookEventName"], answer["permissionDecision"]) == ("PreToolUse", "deny")
    assert "hides which one" in answer["permissionDecisionReason"]
    assert judge_call(stage.open, stage.file(), call("ls"), "R1").to_hook_output() == ""


@pytest.mark.parametrize("given", ["", "not json", "[]", '{"tool_input": {"command": "docker restart x"}}'])
def test_the_hook_fails_closed(stage: Stage, given: str) -> None:
    """Nothing to read, nonsense, or a database that is none: the exit code makes the client refuse the call."""
    broken = stage.folder / "broken.db"
    broken.write_text("this is no database at all, but it is long enough to look like one" * 20)
    words = [sys.executable, "-m", "recollect", "ops", "hook", "--db", str(broken)]
    done = subprocess.run(words, input=given, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "refused" in done.stderr
