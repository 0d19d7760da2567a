"""Sessions in Harbor's Agent Trajectory Interchange Format, for tools that show, replay or train on them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from recollect.model.event import Event
from recollect.model.session import Session
from recollect.model.step import Said, Step, Steps
from recollect.observe.steps import steps_of

# The oldest version that says all we have to say; every later reader takes it.
SCHEMA = "ATIF-v1.4"


def trajectory(session: Session, events: Iterable[Event], version: str) -> dict[str, Any]:
    """One session as one trajectory. What was cut or redacted when it was recorded is so here too."""
    told = list(events)
    steps = steps_of(session.id, told)
    model = next((event.data["model"] for event in told if isinstance(event.data.get("model"), str)), None)
    agent: dict[str, Any] = {"name": session.client or "unknown", "version": _agent_version(told)}
    if model:
        agent["model_name"] = model
    folder = next((event.folder for event in told if event.folder), "")
    said = {
        "cwd": folder,
        "branch": session.branch,
        "outcome": session.outcome,
        "exported_by": f"recollect {version}",
    }
    entries = _entries(steps)
    return {
        "schema_version": SCHEMA,
        "session_id": session.id,
        "agent": agent,
        "steps": [{"step_id": number, **entry} for number, entry in enumerate(entries, start=1)],
        "final_metrics": {"total_steps": len(entries), "extra": {"tokens": session.tokens}},
        "extra": {name: value for name, value in said.items() if value},
    }


def _agent_version(events: Iterable[Event]) -> str:
    return (
        next((e.data["version"] for e in events if isinstance(e.data.get("version"), str)), "") or "unknown"
    )


def _entries(steps: Steps) -> list[dict[str, Any]]:
    """Steps and words in the order they came; at the same moment, words first."""
    placed: list[tuple[Any, int, dict[str, Any]]] = [(said.at, 0, _prompt(said)) for said in steps.prompts]
    placed += [(said.at, 1, _answer(said)) for said in steps.answers]
    placed += [(said.at, 0, _compaction(said)) for said in steps.compactions]
    placed += [(step.at, 2, _call(step)) for step in steps.steps]
    return [entry for _, _, entry in sorted(placed, key=lambda entry: entry[:2])]


def _prompt(said: Said) -> dict[str, Any]:
    entry = {"timestamp": said.at.isoformat(), "source": "user", "message": said.text}
    return entry | {"extra": {"data": {"machine": True}}} if said.machine else entry


def _answer(said: Said) -> dict[str, Any]:
    entry = {"timestamp": said.at.isoformat(), "source": "agent", "message": said.text}
    return entry | {"extra": {"agent": said.agent}} if said.agent else entry


def _compaction(said: Said) -> dict[str, Any]:
    return {
        "timestamp": said.at.isoformat(),
        "source": "system",
        "message": said.text,
        "extra": {"event": "compacted"},
    }


def _call(step: Step) -> dict[str, Any]:
    call_id = step.call_id or f"step-{step.number}"
    entry: dict[str, Any] = {
        "timestamp": step.at.isoformat(),
        "source": "agent",
        "message": "",
        "tool_calls": [
            {"tool_call_id": call_id, "function_name": step.tool or "unknown", "arguments": _arguments(step)}
        ],
    }
    if step.finished_at is not None:
        result: dict[str, Any] = {"source_call_id": call_id, "content": step.output}
        entry["observation"] = {"results": [result]}
        ended = {"ok": step.ok, "exit_code": step.exit_code, "duration_ms": step.duration_ms}
        told = {name: value for name, value in ended.items() if value is not None}
        # Results have no room for more before version 1.7; a step has.
        entry["extra"] = {
            "result": told,
            "action": str(step.action),
            **({"agent": step.agent} if step.agent else {}),
        }
    return entry


def _arguments(step: Step) -> dict[str, Any]:
    given: dict[str, Any] = {}
    if step.command:
        given["command"] = step.command
    if len(step.files) == 1:
        given["file_path"] = step.files[0]
    elif step.files:
        given["paths"] = list(step.files)
    names = ("pattern", "path", "query", "url", "description")
    return given | {name: step.data[name] for name in names if name in step.data}
