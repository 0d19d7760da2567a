"""
Harbor's Agent Trajectory Interchange Format, read from its specification (versions 1.0 to 1.7): one object a
trajectory.

Tried on what our own export writes; no file of another program was at hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from recollect.clients.transcript_reader import TranscriptHead, TranscriptPass, json_file, moment_by_number
from recollect.events.event_dict import (
    as_mapping,
    as_text,
    as_whole_number,
    derive_id,
    extract_text,
    make_event,
)
from recollect.events.tool_actions import describe_call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recollect.events.event_dict import EventDict, Payload

NAME = "atif"
ENDINGS = (".json",)
_SCHEMA = "ATIF-v1."


def find(home: Path) -> Iterator[Path]:
    """It is a form of exchange: no agent keeps its sessions in it at a place of its own."""
    yield from ()


def head(path: Path) -> TranscriptHead | None:
    """Whose session a file is."""
    record = json_file(path, TranscriptPass()) or {}
    if not as_text(record.get("schema_version")).startswith(_SCHEMA):
        return None
    at = next((at for step in _steps(record) if (at := as_text(step.get("timestamp")))), "")
    return TranscriptHead(
        session_id=_session(record, path), folder=_folder(record), started_at=at or moment_by_number(path, 0)
    )


def read(path: Path, reading: TranscriptPass) -> Iterator[EventDict]:
    """The events of a trajectory and of its subagents'."""
    record = json_file(path, reading)
    if record is not None and as_text(record.get("schema_version")).startswith(_SCHEMA):
        yield from _trajectory(record, _session(record, path), path, reading, agent="")
    elif record is not None:
        reading.bad += 1


def _trajectory(
    record: Payload, session_id: str, path: Path, reading: TranscriptPass, *, agent: str
) -> Iterator[EventDict]:
    client = as_text(as_mapping(record.get("agent")).get("name")) or NAME
    common = {"session_id": session_id, "client": client, "folder": _folder(record), "agent": agent}
    for number, step in enumerate(_steps(record), start=1):
        at = as_text(step.get("timestamp")) or moment_by_number(path, number)
        place = f"{agent}.{step.get('step_id', number)}"
        if number == 1 and not agent:
            event_id = derive_id("session_started", NAME, session_id)
            data = {
                "source": "transcript",
                "model": as_text(as_mapping(record.get("agent")).get("model_name")),
            }
            yield make_event("session_started", id=event_id, at=at, **common, data=data)
        if step.get("source") not in ("system", "user", "agent"):
            reading.unknown[str(step.get("source"))[:40]] += 1
            continue
        yield from _step(step, at, place, common)
    below = record.get("subagent_trajectories")
    for inner in map(as_mapping, below if isinstance(below, list) else []):
        name = as_text(inner.get("trajectory_id")) or as_text(inner.get("session_id")) or "subagent"
        yield from _trajectory(inner, session_id, path, reading, agent=name)


def _step(step: Payload, at: str, place: str, common: EventDict) -> Iterator[EventDict]:
    def event(kind: str, part: str, **parts: Any) -> EventDict:
        event_id = derive_id(kind, NAME, common["session_id"], place, part)
        return make_event(kind, id=event_id, at=at, **common, **parts)

    text, source = extract_text(step.get("message")), step.get("source")
    metrics = as_mapping(step.get("metrics"))
    spent = (as_whole_number(metrics.get("prompt_tokens")) or 0) - (
        as_whole_number(metrics.get("cached_tokens")) or 0
    )
    tokens = max(0, spent) + (as_whole_number(metrics.get("completion_tokens")) or 0)
    data = {"tokens": tokens} if tokens else {}
    if source == "user" and text.strip():
        yield event("prompt", "", text=text, data=as_mapping(step.get("extra")).get("data"))
    elif source == "agent" and text.strip():
        yield event("assistant_text", "", text=text, data=data)
        data = {}
    results = {as_text(result.get("source_call_id")): result for result in _results(step)}
    calls = step.get("tool_calls")
    listed = [as_mapping(call) for call in calls] if isinstance(calls, list) else []
    if len(listed) == 1 and "" in results:
        # Whose result it is need not be said where there is only one call.
        results[as_text(listed[0].get("tool_call_id"))] = results.pop("")
    for call in listed:
        call_id, tool = as_text(call.get("tool_call_id")), as_text(call.get("function_name"))
        parts = describe_call(tool, as_mapping(call.get("arguments")))
        parts |= {"data": parts["data"] | data}
        data = {}
        yield event("tool_called", call_id, call_id=call_id, **parts)
        if call_id in results:
            yield event("tool_finished", call_id, call_id=call_id, **parts, **_ended(results[call_id], step))


def _ended(result: Payload, step: Payload) -> EventDict:
    # Our own export tells it in the step: before version 1.7 a result has no room for more.
    extra = as_mapping(result.get("extra")) or as_mapping(as_mapping(step.get("extra")).get("result"))
    parts = {name: extra[name] for name in ("ok", "exit_code", "duration_ms") if name in extra}
    if result.get("is_error"):
        parts["ok"] = False
    return parts | {"output": extract_text(result.get("content"))}


def _results(step: Payload) -> Iterator[Payload]:
    results = as_mapping(step.get("observation")).get("results")
    yield from map(as_mapping, results if isinstance(results, list) else [])


def _steps(record: Payload) -> list[Payload]:
    steps = record.get("steps")
    return [as_mapping(step) for step in steps] if isinstance(steps, list) else []


def _session(record: Payload, path: Path) -> str:
    return as_text(record.get("session_id")) or as_text(record.get("trajectory_id")) or path.stem


def _folder(record: Payload) -> str:
    for place in (record, as_mapping(record.get("agent"))):
        extra = as_mapping(place.get("extra"))
        folders = extra.get("cwds")
        first = folders[0] if isinstance(folders, list) and folders else ""
        if folder := as_text(extra.get("cwd")) or as_text(extra.get("folder")) or as_text(first):
            return folder
    return ""
