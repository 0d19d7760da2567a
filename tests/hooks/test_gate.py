"""The gate before the hooks of every step: no Python where there is nothing to say, and nothing lost by it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recollect.clients.client_install import GATED_ACTS, this_program
from recollect.clients.registry import BATCH, SUBMIT, TOOL
from recollect.events.gate_words import (
    MATCH_ALL,
    gate_path,
    name_in_payload,
    recording_prefix,
    write_gate_words,
)
from recollect.hooks.after_session import wait_for_recorders
from recollect.hooks.gate_refresh import ERROR_WORDS
from recollect.observe.recognise.faults import read_fault
from tests.hooks.hooking import Hooks

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no gate where there is no sh")
SHELLS = [shell for shell in ("dash", "bash", "busybox") if shutil.which(shell)]
GOTCHA = "Tokens expire after five minutes, not after the hour that the name says"


class GatedAgent:
    """An agent whose hooks run behind the gate, in one of the shells; counts the Pythons that it starts."""

    def __init__(self, hooks: Hooks, folder: Path, shell: str) -> None:
        self.hooks = hooks
        self.started = folder / "started"
        self.python = folder / "python"
        # A real Python behind a script that counts; the marks tell whether somebody waited for it.
        self.python.write_text(
            f'#!/bin/sh\necho "$RECOLLECT_HEARD" >>"{self.started}"\nexec "{sys.executable}" "$@"\n'
        )
        self.python.chmod(0o755)
        self.shell = [shell, "sh"] if shell == "busybox" else [shell]

    def send(self, event: str, gate: str, **payload: Any) -> str:
        """What the gate and the hook behind it say."""
        command = [*self.shell, this_program().gate, gate, str(self.python), "-P", "-m", "recollect.hooks"]
        ended = subprocess.run(
            [*command, self.hooks.client, event],
            input=json.dumps(self.hooks.payload(event) | payload),
            env=self.hooks.surroundings(),
            cwd=self.hooks.project,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert (ended.returncode, ended.stderr) == (0, "")
        return ended.stdout

    def read(self, file: str) -> str:
        path = str(self.hooks.project / file)
        return self.send(
            "PostToolUse",
            "tool",
            tool_name="Read",
            tool_use_id=os.urandom(8).hex(),
            tool_input={"file_path": path},
            tool_response={"type": "text", "file": {"filePath": path, "content": "…"}},
        )

    def pythons(self) -> list[str]:
        """For each Python so far, when its event was heard; "" for one that the agent waited for."""
        wait_for_recorders(str(self.hooks.db))
        return self.started.read_text().split("\n")[:-1] if self.started.exists() else []


@pytest.fixture(params=SHELLS)
def agent(hooks: Hooks, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[GatedAgent]:
    with hooks.memory() as memory:
        memory.remember(GOTCHA, kind="gotcha", about=["src/auth.py"])
    yield GatedAgent(hooks, tmp_path, request.param)


def recorded(hooks: Hooks) -> list[list[str]]:
    lines = hooks.inbox.read_text("utf-8").splitlines() if hooks.inbox.exists() else []
    events = [json.loads(line) for line in lines]
    return [event["files"] for event in events if event["type"] == "tool_finished"]


def test_nobody_waits_for_a_step_that_nothing_is_known_about_and_it_is_recorded(agent: GatedAgent) -> None:
    agent.read("src/other.py")  # writes the words
    assert agent.pythons() == [""]
    assert agent.read("src/other.py") == ""
    heard = agent.pythons()[1:]
    assert len(heard) == 1, "one Python a call"
    assert heard[0] or not Path("/proc/uptime").exists()
    assert recorded(agent.hooks) == [["src/other.py"], ["src/other.py"]]


def test_what_is_known_is_told_by_one_python(agent: GatedAgent) -> None:
    agent.read("src/other.py")
    assert GOTCHA in agent.read("src/auth.py")
    assert agent.pythons() == ["", ""]
    assert recorded(agent.hooks) == [["src/other.py"], ["src/auth.py"]]


def test_what_becomes_known_is_told_at_the_very_next_step(agent: GatedAgent) -> None:
    agent.read("src/other.py")
    assert agent.read("src/other.py") == ""
    with agent.hooks.memory() as memory:
        memory.remember("Other is read by the billing job at night", kind="gotcha", about=["src/other.py"])
    assert "billing job" in agent.read("src/other.py")


def test_what_nobody_heard_is_not_taken_as_told(agent: GatedAgent) -> None:
    agent.read("src/other.py")
    words = Path(gate_path(str(agent.hooks.db)))
    words.write_text("nothing that a payload holds\n")  # as if it were not known yet
    agent.read("src/auth.py")
    assert len(agent.pythons()) == 2
    words.unlink()
    assert GOTCHA in agent.read("src/auth.py")


def test_what_was_forgotten_no_longer_starts_python_before_the_agent_goes_on(agent: GatedAgent) -> None:
    with agent.hooks.memory() as memory:
        (known,) = memory.list()
        memory.forget(known.id)
    agent.read("src/other.py")
    agent.read("src/auth.py")
    assert [bool(heard) for heard in agent.pythons()] == [False, Path("/proc/uptime").exists()]


def test_the_order_of_events_is_that_in_which_they_were_heard(agent: GatedAgent) -> None:
    agent.read("src/other.py")
    slow = agent.python.read_text().replace("exec ", '[ -n "$RECOLLECT_HEARD" ] && sleep 0.5\nexec ')
    agent.python.write_text(slow)
    agent.read("src/other.py")
    agent.hooks.send("Stop", last_assistant_message="Done.")
    agent.pythons()
    events = [json.loads(line) for line in agent.hooks.inbox.read_text("utf-8").splitlines()]
    by_time = [event["type"] for event in sorted(events, key=lambda event: event["at"])]
    assert (
        by_time == ["tool_finished", "tool_finished", "assistant_text"] or not Path("/proc/uptime").exists()
    )


def test_of_a_batch_only_refusals_start_python(agent: GatedAgent) -> None:
    call = {"tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": "ls"}}
    assert agent.send("PostToolBatch", "batch", tool_calls=[call | {"tool_response": "a.py"}]) == ""
    assert agent.pythons() == []
    refused = call | {"tool_response": "<tool_use_error>No such tool available</tool_use_error>"}
    assert agent.send("PostToolBatch", "batch", tool_calls=[refused]) == ""
    assert len(agent.pythons()) == 1


def test_an_event_before_a_request_starts_python_only_where_a_person_typed(agent: GatedAgent) -> None:
    agent.hooks.client = "qwen-code"
    assert agent.send("UserPromptSubmit", "submit", prompt="") == ""
    assert agent.pythons() == []
    agent.send(
        "UserPromptSubmit", "submit", prompt="Look at src/auth.py", submitted_prompt="Look at src/auth.py"
    )
    assert agent.pythons() == [""]


def test_the_payload_is_never_on_disk_and_the_words_are_for_their_owner_alone(agent: GatedAgent) -> None:
    for _ in range(2):
        agent.send("PostToolUse", "tool", tool_name="X", tool_use_id="t", note="wRiTtEnNoWhErE")
    agent.pythons()
    data = agent.hooks.db.parent
    assert not [file for file in data.iterdir() if file.is_file() and b"wRiTtEnNoWhErE" in file.read_bytes()]
    assert oct(Path(gate_path(str(agent.hooks.db))).stat().st_mode)[-3:] == "600"
    assert not list(data.glob("*.recording.*"))


def test_a_store_that_a_settings_file_names_does_without_and_leaves_no_words_behind(
    agent: GatedAgent, tmp_path: Path
) -> None:
    agent.read("src/other.py")
    config = agent.hooks.home / "config" / "config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(f'db = "{tmp_path}/elsewhere.db"\n')
    Path(gate_path(str(agent.hooks.db))).unlink()
    agent.read("src/auth.py")
    assert not list(tmp_path.glob("**/*.gate"))


def test_a_mark_of_a_recorder_that_was_killed_keeps_nobody_waiting_twice(tmp_path: Path) -> None:
    mark = Path(f"{recording_prefix(str(tmp_path / 'm.db'))}123")
    mark.touch()
    os.utime(mark, (time.time() - 60, time.time() - 60))
    wait_for_recorders(str(tmp_path / "m.db"))
    assert not mark.exists()


@pytest.mark.parametrize(
    ("subject", "word"),
    [
        ("file:src/auth.py", "auth.py"),
        ("symbol:src/auth.py::refresh", "auth.py"),
        ("service:jellyfin", "jellyfin"),
        ("tool:unittest.mock", "unittest.mock"),
        ("file:docs/Ärger im Büro.md", "rger im B"),
        ('file:a"b.py', "b.py"),
        ("file:é", ""),
    ],
)
def test_a_word_is_what_every_way_to_write_json_holds(subject: str, word: str) -> None:
    assert name_in_payload(subject) == word
    name = subject.partition("::")[0].rpartition("/")[2]
    for ascii_only in (True, False):
        assert word in json.dumps(name, ensure_ascii=ascii_only)


@pytest.mark.parametrize("subjects", [["file:é"], [f"file:f{number}.py" for number in range(6000)]])
def test_where_words_cannot_tell_every_payload_starts_python(tmp_path: Path, subjects: list[str]) -> None:
    write_gate_words(str(tmp_path / "m.db"), subjects)
    assert Path(gate_path(str(tmp_path / "m.db"))).read_text() == f"{MATCH_ALL}\n"


ERRORS = [
    "Traceback (most recent call last):\n  File \"a.py\", line 3, in <module>\nKeyError: 'user'",
    "E   AssertionError: assert 3 == 4",
    "src/a.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'.",
    "thread 'main' panicked at src/main.rs:4:5:\nindex out of bounds",
    "./main.go:7:2: undefined: frobnicate",
    "bash: frobnicate: command not found",
    "make: *** [Makefile:3: all] Error 2",
    "fatal: not a git repository",
    "src/a.py:1:1: F401 [*] `os` imported but unused\nFound 1 error.",
    "not ok 3 - adds numbers",
    'Exception in thread "main" java.lang.NullPointerException',
    "ld: symbol(s) not found for architecture arm64",
]


@pytest.mark.parametrize("output", ERRORS)
def test_whatever_is_known_as_an_error_holds_a_word_of_errors(output: str) -> None:
    assert read_fault(output) is not None
    assert any(word in output.lower() for word in ERROR_WORDS)


def test_the_gate_knows_acts_by_the_names_of_the_registry() -> None:
    assert GATED_ACTS == (TOOL, BATCH, SUBMIT)
