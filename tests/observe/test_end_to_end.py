"""
Five sessions of a small repository, told by the hooks of an agent and nothing else, and what is remembered of them.

Every event is a process of its own, as a client starts it; learning is what the hooks start by themselves. Hooks and
learners are killed on the way.
"""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from recollect import Recollect
from recollect.model.event import EventType

HOOK = (sys.executable, "-m", "recollect.hooks", "claude-code")
LEARNER = (sys.executable, "-m", "recollect.hooks.after_session")
ROUNDS = "E   DecimalException: quantize result has too many digits"
RED = (
    f"Exit code 1\n{ROUNDS}\nFAILED tests/test_price.py::test_sum - {ROUNDS[4:]}\n==== 1 failed in 0.1s ===="
)
Act = tuple[str, dict[str, Any]]


@dataclass
class Agent:
    """A coding agent with hooks. A killed hook is called again, as nobody had heard that it was done."""

    db: Path
    folder: Path
    environment: dict[str, str]
    # The calls, and the prompts, that a hook acknowledged.
    calls: dict[str, set[str]] = field(default_factory=dict)
    prompts: dict[str, list[str]] = field(default_factory=dict)
    kills: Iterator[float] = field(default_factory=lambda: iter((0.0, 0.03, 0.06, 0.1, 0.15, 0.3)))

    def hook(self, session: str, name: str, **parts: Any) -> None:
        payload = {"session_id": session, "cwd": str(self.folder), "hook_event_name": name, **parts}
        text = json.dumps(payload)
        if name.startswith("PostTool"):
            self._killed_first([*HOOK, name], text)
        done = subprocess.run(
            [*HOOK, name], input=text, text=True, env=self.environment, capture_output=True, check=True
        )
        assert done.stderr == ""
        if "tool_use_id" in parts:
            self.calls.setdefault(session, set()).add(parts["tool_use_id"])
        if name == "UserPromptSubmit":
            self.prompts.setdefault(session, []).append(parts["prompt"])

    def session(self, name: str, *acts: Act) -> None:
        self.hook(name, "SessionStart", source="startup")
        for kind, parts in acts:
            self.hook(name, kind, **parts)
        self.hook(name, "SessionEnd", reason="other")

    def learn(self, *, killed_after: float | None = None) -> None:
        """What the hooks start in the background, seen through to its end or killed."""
        learner = subprocess.Popen([*LEARNER, str(self.db), str(self.folder)], env=self.environment)
        if killed_after is not None:
            time.sleep(killed_after)
            learner.kill()
        learner.wait()

    def file(self, tool: str, name: str) -> Act:
        path = str(self.folder / name)
        given: dict[str, Any] = {"file_path": path}
        given |= (
            {"content": "x\n"} if tool == "Write" else {"old_string": "a", "new_string": secrets.token_hex(4)}
        )
        kind = {"type": "create"} if tool == "Write" else {}
        return "PostToolUse", _tool(tool, given, tool_response={"filePath": path, **kind})

    def _killed_first(self, command: list[str], text: str) -> None:
        delay = next(self.kills, None)
        if delay is None:
            return
        hook = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            text=True,
            env=self.environment,
        )
        assert hook.stdin is not None
        hook.stdin.write(text)
        hook.stdin.close()
        time.sleep(delay)
        hook.kill()
        hook.wait()


def _tool(name: str, given: dict[str, Any], **result: Any) -> dict[str, Any]:
    return {"tool_name": name, "tool_input": given, "tool_use_id": f"toolu_{secrets.token_hex(6)}", **result}


def asked(text: str) -> Act:
    return "UserPromptSubmit", {"prompt": text}


def ran(command: str, stdout: str = "") -> Act:
    answer = {"stdout": stdout, "stderr": "", "interrupted": False}
    return "PostToolUse", _tool("Bash", {"command": command}, tool_response=answer)


def failed(command: str) -> Act:
    return "PostToolUseFailure", _tool("Bash", {"command": command}, error=RED, is_interrupt=False)


def passed() -> Act:
    return ran("pytest -q", "==== 3 passed in 0.1s ====")


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    folder = tmp_path / "shop"
    (folder / "src").mkdir(parents=True)
    git = ["git", "-C", str(folder), "-c", "user.name=Kim", "-c", "user.email=kim@example.org"]
    (folder / "src" / "price.py").write_text("RATE = 3\n")
    for command in (["init", "-qb", "main"], ["add", "."], ["commit", "-qm", "Begin"]):
        subprocess.run([*git, *command], check=True)
    db = tmp_path / "memories.db"
    environment = {
        **os.environ,
        "RECOLLECT_DB": str(db),
        "RECOLLECT_EMBEDDING_TIER": "none",
        "RECOLLECT_HOOKS_MOST_MS": "30000",
    }
    return Agent(db=db, folder=folder, environment=environment)


def a_command(agent: Agent, name: str) -> list[Act]:
    """How a command is added here; on the way the same error, mended in the same place."""
    return [
        asked(f"Please add a command for {name}"),
        agent.file("Write", f"src/commands/{name}.py"),
        agent.file("Edit", "src/cli.py"),
        failed("pytest -q"),
        agent.file("Edit", "src/tax.py"),
        agent.file("Edit", "docs/cli.md"),
        passed(),
    ]


def five_sessions(agent: Agent) -> None:
    agent.session("s1", *a_command(agent, "export"))
    commit = ran('git commit -am "Add refund"', "[main 1a2b3c4] Add refund\n 2 files changed")
    agent.session("s2", *a_command(agent, "refund"), commit)
    # The same once more, but broken in the end, with a correction and an approach that was taken back.
    agent.session(
        "s3",
        *a_command(agent, "archive"),
        asked("No, use Fraction instead of Decimal in `src/price.py`"),
        agent.file("Edit", "src/price.py"),
        failed("pytest -q"),
        agent.file("Edit", "src/price.py"),
        failed("pytest -q"),
        ran("git checkout -- src/price.py"),
        agent.file("Edit", "src/cart.py"),
        failed("pytest -q"),
    )
    agent.session("s4", *a_command(agent, "import"))
    # An approach that was taken back, another one that worked, and a word of the person.
    agent.session(
        "s5",
        agent.file("Edit", "src/price.py"),
        failed("pytest -q"),
        agent.file("Edit", "src/price.py"),
        failed("pytest -q"),
        ran("git checkout -- src/price.py"),
        agent.file("Edit", "src/cart.py"),
        asked("No, use Decimal instead of float in `src/price.py`"),
        agent.file("Edit", "src/cart.py"),
        passed(),
    )


# What is remembered, and the sessions whose events stand behind it.
EXPECTED = {
    "Asked for “add command”, this worked each time, in this order: 1. create src/commands/*.py, as "
    "src/commands/import.py, 2. edit src/cli.py, 3. edit src/tax.py, 4. edit docs/cli.md, 5. run `pytest -q`.": {
        "s1",
        "s2",
        "s4",
    },
    "`pytest -q` fails with “DecimalException: quantize result has too many digits”: look at src/tax.py, where an "
    "edit made it pass in 3 sessions.": {"s1", "s2", "s4"},
    "A first approach in src/price.py led to “DecimalException: quantize result has too many digits” and was taken "
    "back; what worked was a change of src/cart.py.": {"s5"},
    "Use Decimal instead of float in `src/price.py`.": {"s5"},
}


def test_five_sessions_give_exactly_what_survived(agent: Agent) -> None:
    five_sessions(agent)
    for moment in (0.2, 0.4, 0.7):
        agent.learn(killed_after=moment)
    agent.learn()
    with Recollect(agent.db, folder=agent.folder) as memory:
        homes = {event.id: session for session in agent.calls for event in memory.observer.events(session)}
        behind = {
            found.text: {homes[event_id] for event_id in found.provenance.event_ids}
            for found in memory.list()
        }
        assert behind == EXPECTED
        # What a person typed needs nobody's yes.
        assert {learned.text for learned in memory.list() if not learned.trust.needs_review} == {
            "Use Decimal instead of float in `src/price.py`."
        }
        assert {str(note.state) for note in memory.observer.notes("s3")} == {"discarded"}
        _nothing_acknowledged_is_lost(agent, memory)
        assert memory.observer.learn_due() == []


def _nothing_acknowledged_is_lost(agent: Agent, memory: Recollect) -> None:
    for session, calls in agent.calls.items():
        told = memory.observer.events(session)
        finished = [event.call_id for event in told if event.type is EventType.TOOL_FINISHED]
        assert sorted(finished) == sorted(calls)
        prompts = [event.text for event in told if event.type is EventType.PROMPT]
        assert prompts == agent.prompts.get(session, [])
