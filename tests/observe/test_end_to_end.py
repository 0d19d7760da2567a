"""Five sessions of a small repository, told by one short-lived process per event, and what is remembered of them."""

from __future__ import annotations

import json
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
from recollect.record.inbox import inbox_of
from tests.hash_embedder import HashEmbedder

# What a recording hook is: a payload on its input, one call, an answer, the end.
HOOK = """
import json, secrets, sys
from recollect.record.record import record
inbox, at = sys.argv[1:]
print(record(inbox, "claude-code", json.load(sys.stdin), milliseconds=int(at), chance=lambda: secrets.randbits(80)))
"""
LEARNER = """
import sys
from recollect import Recollect
from tests.hash_embedder import HashEmbedder
with Recollect(sys.argv[1], folder=sys.argv[2], embedder=HashEmbedder()) as memory:
    memory.observer.learn_due()
"""
ROUNDS = "E   DecimalException: quantize result has too many digits"
RED = (
    f"Exit code 1\n{ROUNDS}\nFAILED tests/test_price.py::test_sum - {ROUNDS[4:]}\n==== 1 failed in 0.1s ===="
)


@dataclass
class Agent:
    """A coding agent whose hooks record. Time passes a second per event."""

    db: Path
    folder: Path
    seconds: int = 1_772_618_400
    told: dict[str, int] = field(default_factory=dict)

    def hook(self, session: str, name: str, **parts: Any) -> None:
        self.seconds += 1
        payload = {"session_id": session, "cwd": str(self.folder), "hook_event_name": name, **parts}
        ended = subprocess.run(
            [sys.executable, "-c", HOOK, inbox_of(str(self.db)), str(self.seconds * 1000)],
            input=json.dumps(payload),
            capture_output=True,
            text=True,
            check=True,
        )
        self.told[session] = self.told.get(session, 0) + int(ended.stdout)

    def session(self, name: str, *acts: tuple[str, dict[str, Any]]) -> None:
        self.hook(name, "SessionStart", source="startup")
        for kind, parts in acts:
            self.hook(name, kind, **parts)
        self.hook(name, "SessionEnd", reason="other")

    def edit(self, file: str) -> tuple[str, dict[str, Any]]:
        path = str(self.folder / file)
        given = {
            "file_path": path,
            "old_string": "a",
            "new_string": secrets.token_hex(4),
            "replace_all": False,
        }
        return "PostToolUse", _tool("Edit", given, tool_response={"filePath": path})


def _tool(name: str, given: dict[str, Any], **result: Any) -> dict[str, Any]:
    return {"tool_name": name, "tool_input": given, "tool_use_id": f"toolu_{secrets.token_hex(6)}", **result}


def asked(text: str) -> tuple[str, dict[str, Any]]:
    return "UserPromptSubmit", {"prompt": text}


def ran(command: str, stdout: str = "") -> tuple[str, dict[str, Any]]:
    answer = {"stdout": stdout, "stderr": "", "interrupted": False}
    return "PostToolUse", _tool("Bash", {"command": command}, tool_response=answer)


def failed(command: str) -> tuple[str, dict[str, Any]]:
    return "PostToolUseFailure", _tool("Bash", {"command": command}, error=RED, is_interrupt=False)


GREEN = ran("pytest -q", "==== 3 passed in 0.1s ====")


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[Agent]:
    folder = tmp_path / "shop"
    (folder / "src").mkdir(parents=True)
    git = ["git", "-C", str(folder), "-c", "user.name=Kim", "-c", "user.email=kim@example.org"]
    (folder / "src" / "price.py").write_text("RATE = 3\n")
    for command in (["init", "-qb", "main"], ["add", "."], ["commit", "-qm", "Begin"]):
        subprocess.run([*git, *command], check=True)
    yield Agent(db=tmp_path / "memories.db", folder=folder)


def five_sessions(agent: Agent) -> None:
    price, tax, cart = agent.edit("src/price.py"), agent.edit("src/tax.py"), agent.edit("src/cart.py")
    # The same error, mended in the same place, in three sessions.
    agent.session("s1", asked("Round prices"), price, failed("pytest -q"), tax, GREEN)
    agent.session(
        "s2",
        price,
        failed("pytest -q"),
        tax,
        GREEN,
        ran('git commit -am "Round"', "[main 1a2b3c4] Round\n 2 files changed"),
    )
    # Something that failed to the end, with the same error and more.
    agent.session("s3", price, failed("pytest -q"), agent.edit("src/price.py"), failed("pytest -q"))
    # An approach that was taken back, and another one that worked.
    agent.session(
        "s4",
        agent.edit("src/price.py"),
        failed("pytest -q"),
        agent.edit("src/price.py"),
        failed("pytest -q"),
        ran("git checkout -- src/price.py"),
        cart,
        GREEN,
    )
    agent.session(
        "s5",
        price,
        asked("No, use Decimal instead of float in `src/price.py`"),
        agent.edit("src/price.py"),
        GREEN,
    )


EXPECTED = {
    ("error_pattern", "s4"),
    ("dead_end", "s4"),
    ("correction", "s5"),
}


def opened(agent: Agent) -> Recollect:
    return Recollect(agent.db, folder=agent.folder, embedder=HashEmbedder())


def remembered(memory: Recollect) -> set[tuple[str, str | None]]:
    return {(found.kind, found.provenance.session_id) for found in memory.list()}


def test_five_sessions_give_exactly_what_survived(agent: Agent) -> None:
    five_sessions(agent)
    _kill_learners(agent)
    with opened(agent) as memory:
        memory.observer.learn_due()
        assert remembered(memory) == EXPECTED
        assert memory.count() == len(EXPECTED)
        for session, count in agent.told.items():
            assert len(memory.observer.events(session)) == count
        for found in memory.list():
            assert found.trust.needs_review
            assert _sessions_behind(memory, agent, found.provenance.event_ids) <= {"s1", "s2", "s4", "s5"}
        assert {str(note.state) for note in memory.observer.notes("s3")} == {"discarded"}
        assert memory.observer.learn_due() == []


def _kill_learners(agent: Agent) -> None:
    """Processes that begin to drain and to learn, and are killed at any moment of it."""
    for delay in (0.2, 0.35, 0.5, 0.7):
        learner = subprocess.Popen([sys.executable, "-c", LEARNER, str(agent.db), str(agent.folder)])
        time.sleep(delay)
        learner.kill()
        learner.wait()


def _sessions_behind(memory: Recollect, agent: Agent, event_ids: tuple[str, ...]) -> set[str]:
    """The sessions that the events of a memory are from; every event must be one of theirs."""
    homes = {event.id: session for session in agent.told for event in memory.observer.events(session)}
    assert event_ids
    return {homes[event_id] for event_id in event_ids}
