"""Scheduled runs are heard by the observer: the same events as from hooks, learned from like every session."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from recollect.model.event import Event, EventType
from recollect.model.operations import OpsRun, OpsRunState
from recollect.model.session import Session
from recollect.ops.chain import run_chain
from recollect.ops.run_events import list_run_events
from tests.ops.conftest import Stage

START = datetime(2026, 5, 8, 12, tzinfo=UTC)
DONE = "All done.\n[MEMORY:timing:x] Slow\nThe tests pass."
# As the real clients wrote them when they were asked to read a file, run a command that fails, and edit the file.
STREAMS: dict[str, list[dict[str, Any]]] = {
    "claude": [
        {"type": "system", "subtype": "init", "session_id": "s-1", "model": "m"},
        {
            "type": "assistant",
            "uuid": "u1",
            "session_id": "s-1",
            "parent_tool_use_id": None,
            "message": {
                "id": "m1",
                "content": [
                    {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "/w/NOTES.md"}}
                ],
            },
        },
        {
            "type": "user",
            "uuid": "u2",
            "session_id": "s-1",
            "parent_tool_use_id": None,
            "message": {
                "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "1\tsome words"}]
            },
            "tool_use_result": {
                "type": "text",
                "file": {"filePath": "/w/NOTES.md", "content": "some words", "numLines": 1, "startLine": 1},
            },
        },
        {
            "type": "assistant",
            "uuid": "u3",
            "session_id": "s-1",
            "message": {
                "id": "m2",
                "content": [{"type": "tool_use", "id": "t2", "name": "Bash", "input": {"command": "make x"}}],
            },
        },
        {
            "type": "user",
            "uuid": "u4",
            "session_id": "s-1",
            "message": {
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "t2",
                        "is_error": True,
                        "content": "Exit code 3\nhi",
                    }
                ]
            },
        },
        {
            "type": "assistant",
            "uuid": "u5",
            "session_id": "s-1",
            "message": {"id": "m3", "content": [{"type": "text", "text": DONE}]},
        },
    ],
    "codex": [
        {"type": "thread.started", "thread_id": "s-1"},
        {
            "type": "item.started",
            "item": {
                "id": "item_1",
                "type": "command_execution",
                "command": "/bin/bash -lc 'make x'",
                "exit_code": None,
            },
        },
        {
            "type": "item.completed",
            "item": {
                "id": "item_1",
                "type": "command_execution",
                "command": "/bin/bash -lc 'make x'",
                "aggregated_output": "hi\n",
                "exit_code": 3,
            },
        },
        {
            "type": "item.completed",
            "item": {
                "id": "item_2",
                "type": "file_change",
                "status": "completed",
                "changes": [{"path": "/w/NOTES.md", "kind": "update"}],
            },
        },
        {"type": "item.completed", "item": {"id": "item_3", "type": "agent_message", "text": DONE}},
    ],
    "gemini": [
        {"type": "init", "session_id": "s-1", "model": "m"},
        {"type": "message", "role": "user", "content": "Check it."},
        {
            "type": "tool_use",
            "tool_name": "read_file",
            "tool_id": "r1",
            "parameters": {"file_path": "/w/NOTES.md"},
        },
        {"type": "tool_result", "tool_id": "r1", "status": "success", "output": ""},
        {
            "type": "tool_use",
            "tool_name": "run_shell_command",
            "tool_id": "r2",
            "parameters": {"command": "make x"},
        },
        {"type": "tool_result", "tool_id": "r2", "status": "error", "output": "hi"},
        {"type": "message", "role": "assistant", "content": DONE[:12], "delta": True},
        {"type": "message", "role": "assistant", "content": DONE[12:], "delta": True},
        {"type": "result", "status": "success"},
    ],
    "opencode": [
        {
            "type": "tool_use",
            "sessionID": "s-1",
            "part": {
                "type": "tool",
                "tool": "read",
                "callID": "c1",
                "state": {"status": "completed", "input": {"filePath": "/w/NOTES.md"}, "output": "1: words"},
            },
        },
        {
            "type": "tool_use",
            "sessionID": "s-1",
            "part": {
                "type": "tool",
                "tool": "bash",
                "callID": "c2",
                "state": {
                    "status": "completed",
                    "input": {"command": "make x"},
                    "output": "hi\n",
                    "metadata": {"exit": 3},
                },
            },
        },
        {"type": "text", "sessionID": "s-1", "part": {"id": "p1", "type": "text", "text": DONE}},
    ],
}


def events_of(stream: str, lines: Sequence[dict[str, Any]], place: Path) -> list[dict[str, Any]]:
    output = place / "output"
    output.write_bytes(b"".join(json.dumps(line).encode() + b"\n" for line in lines))
    run = OpsRun(
        id="01M7JG8P66WWW0000000000000",
        job="health",
        chain_id="01M7JG8P66WWW0000000000000",
        trigger="manual",
        started_at=START,
        ended_at=START + timedelta(minutes=1),
        state=OpsRunState.SUCCEEDED,
        client=stream,
        agent_session="s-1",
        folder="/w",
        prompt="Never deploy on Fridays. Check it.",
    )
    return list(list_run_events(run, output))


@pytest.mark.parametrize("stream", STREAMS)
def test_each_client_tells_the_same_story(stream: str, tmp_path: Path) -> None:
    events = events_of(stream, STREAMS[stream], tmp_path)
    types = [event["type"] for event in events]
    assert types[:2] == ["session_started", "prompt"]
    assert types[-2:] == ["assistant_text", "session_ended"]
    assert {event["session_id"] for event in events} == {"s-1"}
    assert all(datetime.fromisoformat(event["at"]) >= START for event in events)
    assert len({event["id"] for event in events}) == len(events)
    (failed,) = [event for event in events if event["type"] == "tool_finished" and event["action"] == "run"]
    assert failed["ok"] is False
    assert "make x" in failed["command"]
    assert "hi" in failed["output"]
    files = [event["files"] for event in events if event.get("action") in ("read", "edit")]
    assert files and all(names == ["/w/NOTES.md"] for names in files)


@pytest.mark.parametrize("stream", STREAMS)
def test_a_marker_is_no_speech_and_the_prompt_of_a_job_is_nobodys_word(stream: str, tmp_path: Path) -> None:
    events = events_of(stream, STREAMS[stream], tmp_path)
    assert [event["text"] for event in events if event["type"] == "assistant_text"] == [
        "All done.\n\nThe tests pass."
    ]
    (prompt,) = [event for event in events if event["type"] == "prompt"]
    assert prompt["data"] == {"machine": True}


def test_what_a_subagent_did_is_told_as_its(tmp_path: Path) -> None:
    lines = [{**line, "parent_tool_use_id": "t9"} for line in STREAMS["claude"][1:]]
    events = events_of("claude", lines, tmp_path)
    assert {event.get("agent", "") for event in events[2:-1]} == {"sidechain"}


def test_hostile_lines_are_passed_over(tmp_path: Path) -> None:
    strange: list[Any] = [{"type": "user"}, {"type": "assistant", "message": 3}, ["x"], {"type": None}]
    for stream in STREAMS:
        assert len(events_of(stream, [*strange, {"item": 3, "type": "item.completed"}], tmp_path)) == 3


# -- in a run --------------------------------------------------------------------------------------------

STEPS = [{"line": line} for line in STREAMS["claude"][1:]]


def sessions_of(stage: Stage) -> list[Session]:
    """What was heard of agents; a chain has a session of its own, which its markers confirm."""
    every = stage.memory.observer.sessions(limit=5, every_project=True)
    return [session for session in every if session.client]


def session_of(stage: Stage) -> list[Event]:
    (session,) = sessions_of(stage)
    return list(stage.memory.observer.events(session.id))


def test_a_run_is_a_session_that_is_over_and_learned_from(stage: Stage) -> None:
    stage.play(STEPS)
    stage.run()
    events = session_of(stage)
    assert [event.type for event in events].count(EventType.TOOL_FINISHED) == 2
    (session,) = sessions_of(stage)
    assert (session.id, session.client) == ("s1", "claude-code")
    assert session.ended_at is not None
    assert list(stage.memory.observer.learn_due()) == [], "it was learned from when it ended"


def test_what_hooks_told_of_the_run_is_not_told_again(stage: Stage) -> None:
    record = stage.memory.observer.record
    call = {"client": "claude-code", "tool": "Bash", "action": "run", "command": "make x", "call_id": "t2"}
    record("tool_called", session="s1", **call)
    record("tool_finished", session="s1", ok=False, output="hi", **call)
    stage.play(STEPS)
    stage.run()
    runs = [event for event in session_of(stage) if event.command == "make x"]
    assert [event.type for event in runs] == [EventType.TOOL_CALLED, EventType.TOOL_FINISHED]


def test_two_runs_are_two_sessions(stage: Stage) -> None:
    stage.play(STEPS)
    stage.run()
    before = session_of(stage)
    stage.run()
    assert len(sessions_of(stage)) == 2
    assert len(stage.memory.observer.events("s1")) == len(before)


def test_a_job_may_say_that_nothing_is_learned_from_it(stage: Stage) -> None:
    stage.play(STEPS)
    job = stage.job(learn=False)
    run_chain(stage.runner(file={"jobs": {job.name: job}}), job)
    assert sessions_of(stage) == []


def test_what_the_prompt_of_a_job_orders_is_nobodys_rule(stage: Stage) -> None:
    """A job's prompt may come by a webhook: a rule in it is not a person's."""
    stage.play(STEPS)
    stage.run(prompt="From now on never start the browser tests from here. Always use the small model.")
    texts = [memory.text for memory in stage.memory.list(limit=50)]
    assert not [text for text in texts if "browser" in text or "small model" in text]
