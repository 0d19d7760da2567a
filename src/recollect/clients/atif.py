"""
Harbor's Agent Trajectory Interchange Format, read from its specification (versions 1.0 to 1.7): one object a
trajectory.

Tried on what our own export writes; no file of another program was at hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from recollect.clients.transcript_reader import Head, Reading, json_file, moment_by_number
from recollect.events.event_dict import derived_id, form, mapping, string, text_of, whole
from recollect.events.tool_actions import called

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recollect.events.event_dict import Form, Payload

NAME = "atif"
ENDINGS = (".json",)
_SCHEMA = "ATIF-v1."


def find(home: Path) -> Iterator[Path]:
    """It is a form of exchange: no agent keeps its sessions in it at a place of its own."""
    yield from ()


def head(path: Path) -> Head | None:
    """Whose session a file is."""
    record = json_file(path, Reading()) or {}
    if not string(record.get("schema_version")).startswith(_SCHEMA):
        return None
    at = next((at for step in _steps(record) if (at := string(step.get("timestamp")))), "")
    return Head(
        session_id=_session(record, path), folder=_folder(record), started_at=at or moment_by_number(path, 0)
    )


def read(path: Path, reading: Reading) -> Iterator[Form]:
    """The events of a trajectory and of its subagents'."""
    record = json_file(path, reading)
    if record is not None and string(record.get("schema_version")).startswith(_SCHEMA):
        yield from _trajectory(record, _session(record, path), path, reading, agent="")
    elif record is not None:
        reading.bad += 1


def _trajectory(
    record: Payload, session_id: str, path: Path, reading: Reading, *, agent: str
) -> Iterator[Form]:
    client = string(mapping(record.get("agent")).get("name")) or NAME
    common = {"session_id": session_id, "client": client, "folder": _folder(record), "agent": agent}
    for number, step in enumerate(_steps(record), start=1):
        at = string(step.get("timestamp")) or moment_by_number(path, number)
        place = f"{agent}.{step.get('step_id', number)}"
        if number == 1 and not agent:
            known = derived_id("session_started", NAME, session_id)
            data = {"source": "transcript", "model": string(mapping(record.get("agent")).get("model_name"))}
            yield form("session_started", id=known, at=at, **common, data=data)
        if step.get("source") not in ("system", "user", "agent"):
            reading.unknown[str(step.get("source"))[:40]] += 1
            continue
        yield from _step(step, at, place, common)
    below = record.get("subagent_trajectories")
    for inner in map(mapping, below if isinstance(below, list) else []):
        name = string(inner.get("trajectory_id")) or string(inner.get("session_id")) or "subagent"
        yield from _trajectory(inner, session_id, path, reading, agent=name)


def _step(step: Payload, at: str, place: str, common: Form) -> Iterator[Form]:
    def event(kind: str, part: str, **parts: Any) -> Form:
        known = derived_id(kind, NAME, common["session_id"], place, part)
        return form(kind, id=known, at=at, **common, **parts)

    text, source = text_of(step.get("message")), step.get("source")
    metrics = mapping(step.get("metrics"))
    spent = (whole(metrics.get("prompt_tokens")) or 0) - (whole(metrics.get("cached_tokens")) or 0)
    tokens = max(0, spent) + (whole(metrics.get("completion_tokens")) or 0)
    data = {"tokens": tokens} if tokens else {}
    if source == "user" and text.strip():
        yield event("prompt", "", text=text, data=mapping(step.get("extra")).get("data"))
    elif source == "agent" and text.strip():
        yield event("assistant_text", "", text=text, data=data)
        data = {}
    results = {string(result.get("source_call_id")): result for result in _results(step)}
    calls = step.get("tool_calls")
    listed = [mapping(call) for call in calls] if isinstance(calls, list) else []
    if len(listed) == 1 and "" in results:
        # Whose result it is need not be said where there is only one call.
        results[string(listed[0].get("tool_call_id"))] = results.pop("")
    for call in listed:
        call_id, tool = string(call.get("tool_call_id")), string(call.get("function_name"))
        parts = called(tool, mapping(call.get("arguments")))
        parts |= {"data": parts["data"] | data}
        data = {}
        yield event("tool_called", call_id, call_id=call_id, **parts)
        if call_id in results:
            yield event("tool_finished", call_id, call_id=call_id, **parts, **_ended(results[call_id], step))


def _ended(result: Payload, step: Payload) -> Form:
    # Our own export tells it in the step: before version 1.7 a result has no room for more.
    extra = mapping(result.get("extra")) or mapping(mapping(step.get("extra")).get("result"))
    told = {name: extra[name] for name in ("ok", "exit_code", "duration_ms") if name in extra}
    if result.get("is_error"):
        told["ok"] = False
    return told | {"output": text_of(result.get("content"))}


def _results(step: Payload) -> Iterator[Payload]:
    results = mapping(step.get("observation")).get("results")
    yield from map(mapping, results if isinstance(results, list) else [])


def _steps(record: Payload) -> list[Payload]:
    steps = record.get("steps")
    return [mapping(step) for step in steps] if isinstance(steps, list) else []


def _session(record: Payload, path: Path) -> str:
    return string(record.get("session_id")) or string(record.get("trajectory_id")) or path.stem


def _folder(record: Payload) -> str:
    for place in (record, mapping(record.get("agent"))):
        extra = mapping(place.get("extra"))
        folders = extra.get("cwds")
        first = folders[0] if isinstance(folders, list) and folders else ""
        if folder := string(extra.get("cwd")) or string(extra.get("folder")) or string(first):
            return folder
    return ""
