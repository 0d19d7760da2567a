"""Runs in a project with a vault: its tools, its tasks in the prompt, and what came of a run in its notes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recollect import Recollect
from recollect.agent.loop import Loop, RunResult
from recollect.agent.model_client import ModelReply, ModelRequest
from recollect.agent.run_state import RunStore
from recollect.agent.scripted_client import ScriptedClient
from recollect.agent.verify import RunVerdict, verify_by_function
from tests.agent.test_loop import DONE
from tests.conftest import Clock
from tests.hash_embedder import HashEmbedder


@pytest.fixture
def vaulted(tmp_path: Path, clock: Clock) -> Iterator[Recollect]:
    with Recollect(tmp_path / "memories.db", folder=None, embedder=HashEmbedder(), clock=clock) as memory:
        memory.vault.init(tmp_path / "Vault")
        memory.vault.tasks.create("Renew the certificate")
        memory.vault.tasks.create("Paint the fence")
        yield memory


class Listening(ScriptedClient):
    """A scripted model that notes what it was told."""

    system = ""

    def send(self, request: ModelRequest) -> ModelReply:
        """The next turn."""
        self.system = request.system
        return super().send(request)


def run(memory: Recollect, clock: Clock, tmp_path: Path, command: str, *verdicts: RunVerdict) -> RunResult:
    """A run that says at once that it is done."""
    left = list(verdicts)
    loop = Loop(
        ScriptedClient([DONE] * 5),
        [],
        memory,
        run_store=RunStore(tmp_path / "runs"),
        verify=verify_by_function(lambda claim: left.pop(0)),
        vault=memory.vault,
        clock=clock,
    )
    return loop.run(command)


def test_open_tasks_stand_in_the_prompt(vaulted: Recollect, clock: Clock, tmp_path: Path) -> None:
    client = Listening([DONE])
    Loop(client, [], vaulted, run_store=RunStore(tmp_path / "runs"), vault=vaulted.vault, clock=clock).run(
        "Hi."
    )
    assert "Paint the fence" in client.system


def test_what_came_of_a_run_is_written_into_the_notes(
    vaulted: Recollect, clock: Clock, tmp_path: Path
) -> None:
    passed, refused = (
        RunVerdict(passed=True, score=90),
        RunVerdict(passed=False, score=30, reason="it has expired"),
    )
    result = run(vaulted, clock, tmp_path, "Renew the certificate now", refused, passed)
    assert (result.status, result.notes) == ("completed", ())
    assert "Renew the certificate now" in vaulted.vault.read(
        f"Daily/{clock().astimezone().date().isoformat()}.md"
    )
    assert "Renew the certificate now" in vaulted.vault.read("Current Status.md")
    assert "it has expired" in vaulted.vault.read("Learning/Failures.md")
    assert [task.title for task in vaulted.vault.tasks.list()] == ["Paint the fence"], "the other one is done"


def test_a_changed_command_after_a_failure_is_a_correction(
    vaulted: Recollect, clock: Clock, tmp_path: Path
) -> None:
    refused = RunVerdict(passed=False, score=10, reason="no")
    assert run(vaulted, clock, tmp_path, "Deploy the site", *[refused] * 3).status == "failed"
    clock.pass_(seconds=30)
    run(vaulted, clock, tmp_path, "Deploy the staging site", RunVerdict(passed=True, score=90))
    assert "Deploy the site → Deploy the staging site" in vaulted.vault.read("Learning/Corrections.md")
    assert "Deploy the site" in vaulted.vault.read("Known Issues.md")


def test_the_command_gives_the_agent_the_tools_of_the_vault(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    turns = [
        {
            "calls": [
                {"tool": "vault_write", "arguments": {"path": "Projects/Shop.md", "content": "# Shop\n"}},
                {"tool": "task_create", "arguments": {"title": "Open the shop"}},
                {"tool": "openclaw_send", "arguments": {"message": "The shop has a note."}},
            ]
        },
        DONE,
    ]
    (tmp_path / "turns.json").write_text(json.dumps(turns), "utf-8")

    def recollect(*words: str) -> Any:
        command = [sys.executable, "-m", "recollect", *words, "--db", str(tmp_path / "memories.db"), "--json"]
        done = subprocess.run(command, cwd=work, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    recollect("vault", "init", str(tmp_path / "Vault"))
    recollect("run", "note the shop", "--model", f"scripted:{tmp_path / 'turns.json'}")
    assert (tmp_path / "Vault/Projects/Shop.md").read_text("utf-8") == "# Shop\n"
    assert "Open the shop" in (tmp_path / "Vault/Active Tasks.md").read_text("utf-8")
    assert "The shop has a note." in (tmp_path / "Vault/Messages/Outbox.md").read_text("utf-8")
    assert [line["tool"] for line in recollect("runs", "last")["lines"] if line.get("ok")] == [
        "vault_write",
        "task_create",
        "openclaw_send",
    ]
