"""`status` and `sessions`: whether memory is on, what happened lately, and what one session came to."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from recollect import config
from recollect.clients.file_parts import FileFormat
from recollect.events.inbox import append, inbox_path
from recollect.hooks import log as hook_log
from recollect.surfaces.install import manifest
from recollect.surfaces.install.manifest import Record
from tests.events.test_injected import told
from tests.events.test_transcripts import a_result, a_use, claude, jsonl
from tests.surfaces.conftest import Run


@pytest.fixture
def session(run: Run, tmp_path: Path) -> str:
    """One session of Claude Code in this folder, taken in from its transcript."""
    here = {"cwd": str(Path.cwd()), "gitBranch": "prices"}
    jsonl(
        tmp_path / ".claude" / "projects" / "work" / "s1.jsonl",
        claude("user", 1, "Round prices half up") | here,
        claude("assistant", 2, [a_use("toolu_1", "Bash", command="pytest -q")]) | here,
        claude("user", 3, [a_result("toolu_1", "12 passed")]) | here,
        claude("user", 4, "And the tax too") | here,
    )
    assert run("import", "sessions").code == 0
    return str(run("sessions", "--json").json["sessions"][0]["id"])


def test_before_anything_is_remembered_status_says_what_to_do(run: Run) -> None:
    answer = run("status")
    assert answer.code == 0
    assert "No coding agent is connected: `recollect init`" in answer.out
    assert "No session has been heard of in this project yet." in answer.out


def test_status_names_the_agents_that_are_connected(run: Run) -> None:
    record = Record(
        path="a", target="a", client="claude-code", form=FileFormat.JSON, before=None, after_sha256=""
    )
    manifest.save(config.data_dir(), {"a": record})
    assert run("status").out.startswith("On: connected to Claude Code.")
    assert run("status", "--json").json["agents"] == ["Claude Code"]


def test_status_says_that_hooks_are_paused_here(run: Run) -> None:
    run("pause")
    assert run("status").out.startswith("Paused here")
    assert run("status", "--json").json["paused"] is True


def test_status_counts_the_last_days_and_what_waits(run: Run, session: str) -> None:
    made = run("remember", "Tokens expire", "--kind", "gotcha", "--json").json["memory"]["id"]
    append(inbox_path(config.load_settings().db), [told(made)])
    status = run("status", "--json").json
    assert status["last_session"]["id"] in {session, "s"}
    activity = status["activity"]
    assert (activity["days"], activity["memories"]) == (7, 1)
    assert "1 memory made" in run("status").out


def test_status_tells_of_hooks_that_failed(run: Run) -> None:
    run("remember", "Tokens expire", "--kind", "gotcha")
    hook_log.note(hook_log.log_of(config.load_settings().db), "codex", "Stop", "no room", seconds=time.time())
    assert "Trouble: 1 hooks failed" in run("status").out


def test_sessions_lists_what_each_came_to(run: Run, session: str) -> None:
    lines = run("sessions").out.splitlines()
    assert lines[0].split() == [
        "session",
        "last",
        "heard",
        "of",
        "agent",
        "outcome",
        "learned",
        "told",
        "used",
    ]
    assert lines[1].startswith(session[:12])
    assert "Claude Code" in lines[1]
    assert all(len(line) <= 80 for line in lines)


def test_one_session_tells_what_was_asked_and_what_came_of_it(run: Run, session: str) -> None:
    shown = run("sessions", session).out
    assert shown.startswith("Claude Code on prices:")
    assert "Asked: Round prices half up" in shown
    assert "Asked: And the tax too" in shown
    assert "Told: 0 lines, 0 tokens, 0 used" in shown
    form = run("sessions", session, "--json").json
    assert form["prompts"] == ["Round prices half up", "And the tax too"]
    assert form["told"] == {"lines": 0, "tokens": 0, "used": 0}


def test_the_first_characters_of_a_session_are_enough_to_look_at_it(run: Run, session: str) -> None:
    assert run("sessions", session[:1]).out == run("sessions", session).out


def test_an_unknown_session_is_an_error(run: Run, session: str) -> None:
    answer = run("sessions", "zzz")
    assert answer.code == 1
    assert "no session called 'zzz'" in answer.err


def test_without_sessions_the_list_says_how_to_get_some(run: Run) -> None:
    run("remember", "Tokens expire", "--kind", "gotcha")
    assert "recollect init" in run("sessions").out
