"""Sessions in Harbor's Agent Trajectory Interchange Format, for tools that show, replay or train on them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from recollect.model.event import Event
from recollect.model.session import Session
from recollect.model.step import Message, Step, Steps
from recollect.observe.steps import build_steps

# The oldest version that says all we have to say; every later reader takes it.
SCHEMA = "ATIF-v1.4"


def to_trajectory(session: Session, events: Iterable[Event], version: str) -> dict[str, Any]:
    """One session as one trajectory. What was cut or redacted when it was recorded is so here too."""
    event_list = list(events)
    steps = build_steps(session.id, event_list)
    model = next(
        (event.data["model"] for event in event_list if isinstance(event.data.get("model"), str)), None
    )
    agent: dict[str, Any] = {"name": session.client or "unknown", "version": _agent_version(event_list)}
    if model:
        agent["model_name"] = model
    folder = next((event.folder for event in event_list if event.folder), "")
    extra = {
        "cwd": folder,
        "branch": session.branch,
        "outcome": session.outcome,
        "exported_by": f"recollect {version}",
    }
    entries = _list_entries(steps)
    return {
        "schema_version": SCHEMA,
        "session_id": session.id,
        "agent": agent,
        "steps": [{"step_id": number, **entry} for number, entry in enumerate(entries, start=1)],
        "final_metrics": {"total_steps": len(entries), "extra": {"tokens": session.tokens}},
        "extra": {name: value for name, value in extra.items() if value},
    }


def _agent_version(events: Iterable[Event]) -> str:
    return (
        next((e.data["version"] for e in events if isinstance(e.data.get("version"), str)), "") or "unknown"
    )


def _list_entries(steps: Steps) -> list[dict[str, Any]]:
    """Steps and words in the order they came; at the same moment, words first."""
    placed: list[tuple[Any, int, dict[str, Any]]] = [
        (message.at, 0, _to_prompt(message)) for message in steps.prompts
    ]
    placed += [(message.at, 1, _to_answer(message)) for message in steps.answers]
    placed += [(message.at, 0, _to_compaction(message)) for message in steps.compactions]
    placed += [(step.at, 2, _to_call(step)) for step in steps.steps]
    return [entry for _, _, entry in sorted(placed, key=lambda entry: entry[:2])]


def _to_prompt(message: Message) -> dict[str, Any]:
    entry = {"timestamp": message.at.isoformat(), "source": "user", "message": message.text}
    return entry | {"extra": {"data": {"machine": True}}} if message.machine else entry


def _to_answer(message: Message) -> dict[str, Any]:
    entry = {"timestamp": message.at.isoformat(), "source": "agent", "message": message.text}
    return entry | {"extra": {"agent": message.agent}} if message.agent else entry


def _to_compaction(message: Message) -> dict[str, Any]:
    return {
        "timestamp": message.at.isoformat(),
        "source": "system",
        "message": message.text,
        "extra": {"event": "compacted"},
    }


def _to_call(step: Step) -> dict[str, Any]:
    call_id = step.call_id or f"step-{step.number}"
    entry: dict[str, Any] = {
        "timestamp": step.at.isoformat(),
        "source": "agent",
        "message": "",
        "tool_calls": [
            {
                "tool_call_id": call_id,
                "function_name": step.tool or "unknown",
                "arguments": _to_arguments(step),
            }
        ],
    }
    if step.finished_at is not None:
        result: dict[str, Any] = {"source_call_id": call_id, "content": step.output}
        entry["observation"] = {"results": [result]}
        ended = {"ok": step.ok, "exit_code": step.exit_code, "duration_ms": step.duration_ms}
        known_results = {name: value for name, value in ended.items() if value is not None}
        # Results have no room for more before version 1.7; a step has.
        entry["extra"] = {
            "result": known_results,
            "action": str(step.action),
            **({"agent": step.agent} if step.agent else {}),
        }
    return entry


def _to_arguments(step: Step) -> dict[str, Any]:
    arguments: dict[str, Any] = {}
    if step.command:
        arguments["command"] = step.command
    if len(step.files) == 1:
        arguments["file_path"] = step.files[0]
    elif step.files:
        arguments["paths"] = list(step.files)
    names = ("pattern", "path", "query", "url", "description")
    return arguments | {name: step.data[name] for name in names if name in step.data}
