"""Sessions in the Agent Trajectory Interchange Format: out, and in again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from recollect import Recollect
from recollect.model.event import ToolAction

SESSION = "s1"


def spoken(memory: Recollect) -> None:
    record = memory.observer.record
    record("session_started", session=SESSION, client="claude-code", data={"model": "opus", "version": "2.1"})
    record("prompt", session=SESSION, text="Round prices", client="claude-code")
    record("tool_called", session=SESSION, tool="Bash", action="run", command="pytest -q", call_id="c1")
    record(
        "tool_finished",
        session=SESSION,
        tool="Bash",
        action="run",
        command="pytest -q",
        call_id="c1",
        ok=False,
        exit_code=2,
        output="1 failed",
    )
    record("assistant_text", session=SESSION, text="One fails.")


def check(trajectory: dict[str, Any]) -> None:
    """The rules of the specification, version 1.4."""
    assert trajectory["schema_version"] == "ATIF-v1.4"
    assert {"session_id", "agent", "steps"} <= set(trajectory)
    assert {"name", "version"} <= set(trajectory["agent"])
    assert [step["step_id"] for step in trajectory["steps"]] == list(range(1, len(trajectory["steps"]) + 1))
    for step in trajectory["steps"]:
        assert step["source"] in ("system", "user", "agent")
        assert isinstance(step["message"], str)
        assert set(step) <= {
            "step_id",
            "timestamp",
            "source",
            "message",
            "tool_calls",
            "observation",
            "extra",
        }
        assert step["source"] == "agent" or not {"tool_calls", "observation"} & set(step)
        calls = {call["tool_call_id"] for call in step.get("tool_calls", ())}
        for call in step.get("tool_calls", ()):
            assert set(call) == {"tool_call_id", "function_name", "arguments"}
        for result in step.get("observation", {}).get("results", ()):
            assert result["source_call_id"] in calls
            assert set(result) <= {"source_call_id", "content", "subagent_trajectory_ref"}


def test_an_export_keeps_to_the_specification(memory: Recollect) -> None:
    spoken(memory)
    (trajectory,) = memory.observer.export_sessions(version="1.0", every_project=True)
    check(trajectory)
    assert [step["source"] for step in trajectory["steps"]] == ["user", "agent", "agent"]
    assert trajectory["agent"]["model_name"] == "opus"


def test_what_is_exported_can_be_imported(memory: Recollect, tmp_path: Path) -> None:
    spoken(memory)
    (trajectory,) = memory.observer.export_sessions(version="1.0", every_project=True)
    file = tmp_path / "t.json"
    file.write_text(json.dumps(trajectory | {"session_id": "s2"}), "utf-8")
    assert memory.observer.import_sessions("atif", file).failed == []
    before, after = memory.observer.steps(SESSION), memory.observer.steps("s2")
    assert [said.text for said in after.prompts] == ["Round prices"]
    assert [said.text for said in after.answers] == ["One fails."]
    (was,), (step,) = before.steps, after.steps
    assert (step.action, step.command, step.ok, step.exit_code, step.output) == (
        ToolAction.RUN,
        was.command,
        False,
        2,
        "1 failed",
    )
