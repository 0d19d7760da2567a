"""Whole runs with a scripted agent: what one run says, the next is told; and how runs end."""

from __future__ import annotations

import sys
from datetime import timedelta

import psutil
import pytest

from recollect.model.memory import MemoryState
from recollect.model.operations import OpsRunState
from recollect.model.value import replace
from recollect.ops.chain import run_chain
from recollect.ops.environment import RUN_VARIABLE
from tests.ops.conftest import Stage

JELLYFIN = "[MEMORY:timing:jellyfin] Takes 60s to start after a restart"
GENERAL = "[MEMORY:remediation] DNS checks fail transiently, retry once before escalating"


def processes_of(run_id: str) -> list[int]:
    """Every live process that bears the mark of a run."""
    alive = []
    for process in psutil.process_iter():
        try:
            if process.environ().get(RUN_VARIABLE) == run_id and process.status() != psutil.STATUS_ZOMBIE:
                alive.append(process.pid)
        except (psutil.Error, OSError):
            continue
    return alive


def test_what_one_run_says_the_next_is_told(stage: Stage) -> None:
    stage.play([f"All is well.\n{GENERAL}\n{JELLYFIN}", {"result": {}}], ["Nothing new.", {"result": {}}])
    stage.run()
    stage.run()
    first, second = stage.given()
    assert "## Operational Memory" not in first["system"]
    context = second["system"].partition("## Operational Memory")[2]
    assert context.startswith(" (2 of 2 memories, ~")
    assert context.index("### jellyfin") < context.index("### general")
    assert "- [timing] Takes 60s to start after a restart (confidence: 0.7)" in context


def test_a_run_keeps_what_it_cost_and_how_it_ended(stage: Stage) -> None:
    stage.play(["Hello.", {"result": {"result": "All services answer."}}])
    (run,) = stage.run().runs
    assert (run.state, run.exit_code, run.tokens_in, run.tokens_out) == (OpsRunState.SUCCEEDED, 0, 120, 7)
    assert (run.cost_usd, run.turns, run.model, run.agent_session) == (0.25, 3, "scripted", "s1")
    assert run.summary == "All services answer."
    assert stage.memory.operations.list_runs()[0].summary == run.summary


def test_events_of_a_run_are_kept_with_its_tier_and_service(stage: Stage) -> None:
    stage.play(["[EVENT:warning:caddy] Certificate ends in 3 days\n[EVENT:info] Checked 4 services"])
    stage.run()
    events = [event for event in stage.memory.operations.list_events() if event.type == "agent"]
    assert [(event.level, event.service, event.message) for event in events] == [
        ("warning", "caddy", "Certificate ends in 3 days"),
        ("info", "", "Checked 4 services"),
    ]
    assert {event.tier for event in events} == {1}


def test_a_failed_run_says_why_and_is_tried_again_with_growing_waits(stage: Stage) -> None:
    stage.play([{"exit": 3}], [{"exit": 3}], ["Now it works.", {"result": {}}])
    report = stage.run(stage.job(retries=2, backoff=timedelta(seconds=30)))
    assert [run.state for run in report.runs] == [
        OpsRunState.FAILED,
        OpsRunState.FAILED,
        OpsRunState.SUCCEEDED,
    ]
    assert report.runs[0].error == "exit code 3: it went wrong"
    assert [run.attempt for run in report.runs] == [1, 2, 3]
    assert report.runs[2].parent_id == report.runs[1].id
    assert [nap for nap in stage.naps if nap > 1] == [30, 60]


def test_a_run_that_takes_too_long_is_ended_with_all_it_started(stage: Stage) -> None:
    stage.play([{"start": True}, {"start": True, "apart": True}, "[EVENT:info] Started", {"sleep": 600}])
    (run,) = stage.run(stage.job(timeout=timedelta(seconds=1))).runs
    assert run.state is OpsRunState.TIMED_OUT
    assert processes_of(run.id) == []
    assert "Started" in stage.messages()


def test_what_an_agent_leaves_running_ends_with_the_run(stage: Stage) -> None:
    stage.play([{"start": True}, {"start": True, "apart": True}, "Done.", {"result": {}}])
    (run,) = stage.run().runs
    assert run.state is OpsRunState.SUCCEEDED
    assert processes_of(run.id) == []


def test_an_operator_can_stop_a_run(stage: Stage) -> None:
    stage.play(["[EVENT:info] Here", {"sleep": 600}])
    runner = stage.runner()
    other = stage.open()

    def nap(seconds: float) -> None:
        stage.sleep(seconds)
        if stage.messages(type_="agent"):
            other.operations.want_stop(other.operations.list_open_runs()[0].id)

    runner.sleep = nap
    (run,) = run_chain(runner, stage.job()).runs
    other.close()
    assert (run.state, run.error) == (OpsRunState.STOPPED, "an operator stopped it")
    assert processes_of(run.id) == []


def test_a_handoff_goes_through_three_tiers_by_output_marker_and_file(stage: Stage) -> None:
    structured = {"summary": "Disk full", "escalation": {"needed": True, "reason": "needs a person's root"}}
    stage.play(
        [{"result": {"structured_output": structured}}],
        [{"handoff": {"recommended_tier": 3, "reason": "the file says so"}}, {"result": {}}],
        ["I am the last. [HANDOFF] and want more", {"result": {}}],
    )
    report = stage.run(stage.job(tiers=3, structured=True))
    assert [run.tier for run in report.runs] == [1, 2, 3]
    assert [run.parent_id for run in report.runs] == [None, report.runs[0].id, report.runs[1].id]
    assert {run.chain_id for run in report.runs} == {report.runs[0].id}
    assert [run.cost_usd for run in report.runs] == [0.25] * 3
    tiers = stage.given()
    assert [given["tier"] for given in tiers] == [1, 2, 3]
    assert "needs a person's root" in tiers[1]["system"]
    assert "the file says so" in tiers[2]["system"]
    assert any("there is no tier 4" in message for message in stage.messages(type_="handoff"))


def test_a_dry_run_stops_before_the_second_tier(stage: Stage) -> None:
    stage.play(["[HANDOFF:2:db] The database is broken", {"result": {}}])
    report = stage.run(stage.job(tiers=2), dry_run=True)
    assert [run.tier for run in report.runs] == [1]
    assert stage.messages(type_="handoff") == [
        "Dry run: tier 1 would hand over to tier 2 (marker): The database is broken"
    ]
    assert "dry run: yes" in stage.given()[0]["system"]


def test_a_failure_hands_over_only_where_the_job_says_so(stage: Stage) -> None:
    stage.play([{"exit": 1}], [{"result": {}}])
    assert len(stage.run(stage.job(tiers=2)).runs) == 1
    stage.play([{"exit": 1}], [{"result": {}}])
    assert [run.tier for run in stage.run(stage.job(tiers=2, escalate_on_failure=True)).runs] == [1, 2]


def test_an_ad_hoc_prompt_is_asked_at_any_tier(stage: Stage) -> None:
    stage.play([{"result": {}}])
    (run,) = stage.run(stage.job(tiers=3), tier=2, prompt="Why is caddy slow?").runs
    assert (run.tier, run.prompt) == (2, "Why is caddy slow?")
    assert stage.given()[0]["prompt"] == "Why is caddy slow?"
    assert stage.given()[0]["tier"] == 2


def test_the_agent_sees_only_the_variables_its_job_allows(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPS_SECRET", "hunter2")
    monkeypatch.setenv("OPS_ALLOWED", "yes")
    stage.play([{"result": {}}])
    stage.run(stage.job(environment=("OPS_ALLOWED",), variables={"REGION": "eu"}))
    (given,) = stage.given()
    assert "OPS_SECRET" not in given["environment"]
    assert (given["environment"]["OPS_ALLOWED"], given["environment"]["REGION"]) == ("yes", "eu")


def test_no_secret_reaches_the_prompt_the_log_or_the_database(stage: Stage) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 4
    stage.play(
        [f"[EVENT:info:git] token is {secret}\n[MEMORY:behavior:git] Push fails with token {secret} expired"]
    )
    (run,) = stage.run(stage.job(facts={"token": secret})).runs
    assert secret not in stage.given()[0]["system"]
    stage.memory.close()
    for path in stage.folder.rglob("*"):
        if path.is_file() and not path.name.startswith("script"):
            assert secret.encode() not in path.read_bytes(), path
    stage.memory = stage.open()
    log = stage.runner().workspace.folder_of(run.id).log.read_text()
    assert "[redacted:" in log


def test_hooks_run_first_and_a_failing_one_stops_the_run(stage: Stage) -> None:
    touch = (sys.executable, "-c", "open('hook-ran', 'w')")
    stage.play([{"result": {}}])
    stage.run(stage.job(before=(touch,)))
    assert (stage.folder / "hook-ran").exists()
    (run,) = stage.run(stage.job(before=((sys.executable, "-c", "raise SystemExit('no')"),))).runs
    assert run.state is OpsRunState.FAILED
    assert "the hook" in run.error
    assert len(stage.given()) == 1


def test_a_program_that_is_not_there_is_a_failed_run(stage: Stage) -> None:
    job = stage.job()
    job = replace(job, tiers=(replace(job.tiers[0], command=("/nowhere/agent", "{prompt}")),))
    (run,) = stage.run(job).runs
    assert run.state is OpsRunState.FAILED
    assert "cannot be started" in run.error


def test_structured_output_is_read_first_and_markers_are_not_counted_twice(stage: Stage) -> None:
    output = {
        "summary": "One thing learned",
        "events": [{"level": "warning", "service": "caddy", "message": "Slow handshake"}],
        "memories": [{"category": "timing", "service": "jellyfin", "observation": "Takes 60s to start"}],
        "services_checked": [{"service": "caddy", "healthy": False, "message": "slow"}],
    }
    stage.play(
        [
            "[MEMORY:timing:jellyfin] It takes 60s until it starts\n[EVENT:warning:caddy] Slow handshake",
            {"result": {"structured_output": output}},
        ]
    )
    (run,) = stage.run(stage.job(structured=True)).runs
    assert run.summary == "One thing learned"
    assert [memory.text for memory in stage.memory.operations.list_memories()] == ["Takes 60s to start"]
    assert stage.messages(type_="agent") == ["Slow handshake"]
    assert [(one.service, one.healthy) for one in stage.memory.operations.list_health()] == [("caddy", False)]


def test_markers_count_where_no_structured_output_comes(stage: Stage) -> None:
    stage.play([JELLYFIN, {"exit": 1}])
    stage.run(stage.job(structured=True))
    assert len(stage.memory.operations.list_memories()) == 1


def test_a_line_of_twenty_megabytes_does_not_stop_the_reader(stage: Stage) -> None:
    stage.play([{"read": "x" * 20_000_000}, "[EVENT:info] Still here", {"result": {}}])
    (run,) = stage.run().runs
    assert run.state is OpsRunState.SUCCEEDED
    assert "Still here" in stage.messages()


def test_the_examples_of_the_prompt_are_no_memories(stage: Stage) -> None:
    stage.play(
        [
            "[MEMORY:category:service] one observation that will help a later run\n"
            "[HANDOFF] why a stronger agent has to go on"
        ]
    )
    report = stage.run(stage.job(tiers=2))
    assert len(report.runs) == 1
    assert list(stage.memory.operations.list_memories(list(MemoryState))) == []


def test_two_chains_of_a_job_do_not_overlap(stage: Stage) -> None:
    stage.play([{"result": {}}])
    runner = stage.runner()
    with runner.workspace.hold("homelab", wait=False) as is_ours:
        assert is_ours
        report = stage.run()
        assert report.skipped == "homelab is running already"
        assert len(stage.run(stage.job(overlap="allow")).runs) == 1
    assert len(stage.run().runs) == 1
