"""The commands run, runs and resume, in processes of their own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from recollect.agent.model_client import ModelReply, ModelRequest
from recollect.agent.scripted_client import ScriptedClient
from recollect.surfaces.cli import cli, run

TURNS = [
    {
        "say": "I write it.",
        "calls": [{"tool": "write_file", "arguments": {"path": "hello.txt", "content": "hello\n"}}],
    },
    {"say": "ESCALATE: in which language?"},
    {"say": "Written. {completion}"},
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir(exist_ok=True)
    (tmp_path / "turns.json").write_text(json.dumps(TURNS), "utf-8")
    return tmp_path


def recollect(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "recollect", *words, "--db", str(folder / "memories.db")]
    return subprocess.run(command, cwd=folder / "work", capture_output=True, text=True, check=False)


def as_json(done: subprocess.CompletedProcess[str]) -> Any:
    return json.loads(done.stdout)


def test_a_run_is_shown_as_it_goes_asks_and_is_resumed(folder: Path) -> None:
    first = recollect(
        folder, "run", "greet", "--model", f"scripted:{folder / 'turns.json'}", "--verify", "cd ."
    )
    assert first.returncode == 1
    assert "→ write_file" in first.stderr
    assert "escalated (in which language?)" in first.stderr
    assert (folder / "work/hello.txt").read_text("utf-8") == "hello\n"
    (run,) = as_json(recollect(folder, "runs", "--json"))["runs"]
    assert (run["status"], run["reason"]) == ("escalated", "in which language?")
    again = recollect(folder, "resume", "last", "--say", "English")
    assert (again.returncode, again.stdout.strip()) == (0, "Written.")
    told = recollect(folder, "runs", "last")
    assert "verification.passed" in told.stdout
    assert "message.added" in told.stdout


def test_a_run_answers_programs_in_json(folder: Path) -> None:
    (folder / "turns.json").write_text(json.dumps([TURNS[0], TURNS[2]]), "utf-8")
    done = recollect(
        folder, "run", "greet", "--model", f"scripted:{folder / 'turns.json'}", "--no-memory", "--json"
    )
    assert as_json(done)["run"]["status"] == "completed"
    assert done.stderr == ""


def test_what_cannot_be_run_is_said_in_a_sentence(folder: Path) -> None:
    done = recollect(folder, "run", "greet", "--model", "clod")
    assert done.returncode == 2
    assert "PROVIDER:MODEL" in done.stderr
    assert recollect(folder, "resume", "last").returncode == 1


def test_a_limit_of_cost_needs_prices_and_ends_a_run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = f"scripted:{folder / 'turns.json'}"
    words = ("run", "greet", "--model", script, "--no-memory", "--cost", "0.001", "--json")
    refused = recollect(folder, *words)
    assert refused.returncode == 2 and "agent.input_price" in refused.stdout + refused.stderr
    assert not (folder / "work/hello.txt").exists()
    monkeypatch.setenv("RECOLLECT_AGENT_INPUT_PRICE", "1000")
    done = as_json(recollect(folder, *words))["run"]
    assert done["status"] == "failed" and "cost" in done["reason"] and done["cost"] > 0


def test_the_agent_calls_the_person_by_the_name_in_the_settings(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prompts: list[str] = []

    class Listening(ScriptedClient):
        def send(self, request: ModelRequest) -> ModelReply:
            prompts.append(request.system)
            return super().send(request)

    monkeypatch.setattr(run, "read_script", lambda path, price: Listening([]))
    monkeypatch.setenv("RECOLLECT_AGENT_USER_NAME", "Ann")
    words = ["run", "greet", "--model", "scripted:x", "--no-memory", "--root", str(folder / "work")]
    CliRunner().invoke(cli, [*words, "--db", str(folder / "memories.db")], prog_name="recollect")
    assert "works for Ann" in prompts[0]
