"""A session whose agent was killed is over at the next start, and what it left open is told there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from recollect.events import client_process
from recollect.events.client_process import describe_client_process, is_gone
from recollect.model.event import EventType
from recollect.observe.killed_sessions import KILLED
from tests.git.repos import git
from tests.hooks.hooking import HOOK, Hooks

# An agent: it starts a hook through a shell for each line it is given, and lives on.
AGENT = """
import json, shlex, subprocess, sys
for line in sys.stdin:
    event, payload = json.loads(line)
    hook = shlex.join([sys.executable, "-m", "recollect.hooks", "claude-code", event])
    given = json.dumps(payload).encode()
    subprocess.run(["sh", "-c", hook + "; true"], input=given, stdout=subprocess.DEVNULL, check=True)
    print("done", flush=True)
"""


class RunningAgent:
    """A process that speaks to hooks as a client does."""

    def __init__(self, hooks: Hooks) -> None:
        self._hooks = hooks
        self.process = subprocess.Popen(
            [sys.executable, "-c", AGENT],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=hooks.surroundings(),
            cwd=hooks.project,
            text=True,
        )

    def send(self, event: str, /, **payload: Any) -> None:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps([event, self._hooks.payload(event) | payload]) + "\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "done\n"

    def edit(self, file: str) -> None:
        path = str(self._hooks.project / file)
        self.send(
            "PostToolUse",
            tool_name="Edit",
            tool_use_id=f"toolu_{os.urandom(8).hex()}",
            tool_input={"file_path": path, "old_string": "a", "new_string": "b"},
            tool_response={"filePath": path, "oldString": "a", "newString": "b", "originalFile": "a"},
        )

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.mark.skipif(sys.platform == "win32", reason="the agent of this test starts its hooks through sh")
def test_open_work_of_a_killed_session_is_told_at_the_next_start(hooks: Hooks) -> None:
    git(hooks.project, "checkout", "-q", "-b", "lifetime")
    hooks.as_processes = True
    agent = RunningAgent(hooks)
    agent.send("SessionStart", source="startup")
    agent.send("UserPromptSubmit", prompt="Make the lifetime of tokens a setting")
    agent.edit("src/auth.py")
    killed = hooks.session
    hooks.session = "22222222-0000-0000-0000-000000000000"
    assert "lifetime" not in hooks.told("SessionStart", source="startup")
    agent.kill()
    hooks.session = "33333333-0000-0000-0000-000000000000"
    text = hooks.told("SessionStart", source="startup")
    assert "Its session was cut off." in text
    assert "Make the lifetime of tokens a setting" in text
    with hooks.memory() as memory:
        [ended] = [e for e in memory.observer.events(killed) if e.type is EventType.SESSION_ENDED]
        assert ended.data["reason"] == KILLED


def test_a_process_is_gone_when_its_number_belongs_to_another_one(monkeypatch: pytest.MonkeyPatch) -> None:
    process = describe_client_process()
    assert process is not None
    assert not is_gone(process)
    assert is_gone(process | {"started": "another moment"})
    assert not is_gone(process | {"machine": "another machine", "started": "another moment"})
    assert not is_gone({})
    monkeypatch.setattr(client_process, "_read_process", lambda number: None)
    assert is_gone(process)


@pytest.mark.skipif(not Path("/bin/ps").exists(), reason="there is no ps here")
def test_ps_tells_the_same_of_a_process_as_proc() -> None:
    started = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        name, parent, moment = client_process._read_from_ps(started.pid) or ("", 0, "")
        assert (name.startswith("python"), parent) == (True, os.getpid())
        assert moment
    finally:
        started.communicate()
    assert client_process._read_from_ps(started.pid) is None


def test_the_hook_is_no_shells(hooks: Hooks) -> None:
    hooks.as_processes = True
    wrapped = f"sh -c '{' '.join(HOOK)} claude-code SessionStart'"
    subprocess.run(
        ["sh", "-c", wrapped],
        input=json.dumps(hooks.payload("SessionStart") | {"source": "startup"}).encode(),
        env=hooks.surroundings(),
        stdout=subprocess.DEVNULL,
        check=True,
    )
    with hooks.memory() as memory:
        [start] = memory.observer.events(hooks.session)
    assert start.data["process"]["pid"] == os.getpid()
