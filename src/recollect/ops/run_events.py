"""
What an agent did in a run, in the one language of events: so that scheduled runs are learned from like every session.

Read from the output once the run has ended. A client that has our hooks too tells the same by ids or by content, and
what was told is not told twice. A job's prompt is a program's words: nothing in it counts as typed by a person.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect.clients.claude_code.transcript import TranscriptLines
from recollect.clients.gemini import payload as gemini
from recollect.clients.opencode.transcript import list_tool_events
from recollect.clients.transcript_reader import TranscriptPass
from recollect.events.event_dict import (
    as_mapping,
    as_text,
    as_whole_number,
    derive_id,
    make_event,
    tool_event_id,
)
from recollect.events.tool_actions import describe_call
from recollect.model.operations import OpsRun
from recollect.ops.lines import LineSplitter
from recollect.ops.markers import strip_markers

if TYPE_CHECKING:
    from recollect.events.event_dict import EventDict

# As the events of each stream's client are called everywhere else.
CLIENT_OF_STREAM: Mapping[str, str] = {
    "claude": "claude-code",
    "codex": "codex",
    "gemini": "gemini",
    "opencode": "opencode",
}
# More than this of a run says nothing that the beginning did not.
MAX_BYTES = 64 * 1024 * 1024
# A longer line holds a file or a picture.
MAX_LINE = 2 * 1024 * 1024
_CHUNK = 1024 * 1024
_CHANGES = {"add": "create", "create": "create", "delete": "delete", "remove": "delete"}

Json = Mapping[str, Any]
# Gives the events of one line of output; the moment is used where the line has none of its own.
ReadEvents = Callable[[Json, str], Iterator[dict[str, Any]]]


def list_run_events(run: OpsRun, output: Path) -> Iterator[EventDict]:
    """The events of a run that has ended, the oldest first."""
    session = run.agent_session or run.id
    common: EventDict = {
        "session_id": session,
        "client": CLIENT_OF_STREAM.get(run.client, run.client),
        "folder": run.folder,
    }
    begun = run.started_at.isoformat()
    started = {"source": "ops", "model": run.model}
    yield make_event(
        "session_started",
        id=derive_id("session_started", common["client"], session),
        at=begun,
        **common,
        data=started,
    )
    yield make_event(
        "prompt",
        id=derive_id("prompt", "ops", run.id),
        at=begun,
        **common,
        text=run.prompt,
        data={"machine": True},
    )
    read_line = _READERS.get(run.client, _read_nothing)(common)
    for at, line in _lines(run, output):
        for event in read_line(line, at):
            if event["type"] == "assistant_text":
                event["text"] = strip_markers(event["text"])
            if event["type"] not in ("session_started", "prompt") and event.get("text") != "":
                yield event
    ended = run.ended_at or run.started_at
    yield make_event(
        "session_ended",
        id=derive_id("session_ended", "ops", run.id),
        at=ended.isoformat(),
        **common,
        data={"reason": str(run.state)},
    )


def _lines(run: OpsRun, output: Path) -> Iterator[tuple[str, Json]]:
    """The JSON lines of the output, each with a moment: as far into the run as the line into the output."""
    splitter, size = LineSplitter(), max(1, output.stat().st_size)
    with output.open("rb") as stream:
        while (chunk := stream.read(_CHUNK)) and stream.tell() <= MAX_BYTES:
            for position, line in splitter.feed(chunk):
                if (value := _parse(line)) is not None:
                    yield _moment(run, position / size), value
    for position, line in splitter.finish():
        if (value := _parse(line)) is not None:
            yield _moment(run, position / size), value


def _parse(line: bytes) -> Json | None:
    if not line.startswith(b"{") or len(line) > MAX_LINE:
        return None
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _moment(run: OpsRun, share: float) -> str:
    ended: datetime = run.ended_at or run.started_at
    return (run.started_at + (ended - run.started_at) * min(1.0, share)).isoformat()


def _read_nothing(common: EventDict) -> ReadEvents:
    return lambda line, at: iter(())


def _claude_lines(common: EventDict) -> ReadEvents:
    """Lines of stream-json are those of a transcript with other names for the session and the folder."""
    session, reading = TranscriptLines(), TranscriptPass()

    def read_line(line: Json, at: str) -> Iterator[EventDict]:
        as_written = {
            **line,
            "sessionId": common["session_id"],
            "cwd": common["folder"],
            "timestamp": as_text(line.get("timestamp")) or at,
            "isSidechain": bool(line.get("parent_tool_use_id")),
            "toolUseResult": line.get("tool_use_result"),
        }
        if line.get("type") in ("user", "assistant"):
            yield from session.events(as_written, reading)

    return read_line


def _codex_lines(common: EventDict) -> ReadEvents:
    def read_line(line: Json, at: str) -> Iterator[EventDict]:
        item = as_mapping(line.get("item"))
        kind, call_id = item.get("type"), as_text(item.get("id"))
        if line.get("type") not in ("item.started", "item.completed"):
            return
        is_over = line.get("type") == "item.completed"
        if kind == "agent_message" and is_over:
            yield _text_event(common, at, call_id, as_text(item.get("text")))
        elif kind == "command_execution":
            parts = describe_call("exec_command", {"command": as_text(item.get("command"))})
            code = as_whole_number(item.get("exit_code"))
            if is_over:
                outcome = {"exit_code": code, "ok": code == 0} if code is not None else {}
                parts = {**parts, **outcome, "output": as_text(item.get("aggregated_output"))}
            yield _tool_event(common, at, call_id, parts, is_over=is_over)
        elif kind == "file_change":
            yield from _codex_changes(common, at, item, is_over=is_over)

    return read_line


def _codex_changes(common: EventDict, at: str, item: Json, *, is_over: bool) -> Iterator[EventDict]:
    changes = item.get("changes")
    for number, change in enumerate(map(as_mapping, changes if isinstance(changes, list) else ())):
        action = _CHANGES.get(as_text(change.get("kind")), "edit")
        parts: EventDict = {"tool": "apply_patch", "action": action, "files": [as_text(change.get("path"))]}
        if is_over:
            parts["ok"] = item.get("status") == "completed"
        yield _tool_event(common, at, f"{as_text(item.get('id'))}-{number}", parts, is_over=is_over)


def _gemini_lines(common: EventDict) -> ReadEvents:
    calls: dict[str, tuple[str, Json]] = {}
    pieces: list[str] = []

    def flush(at: str) -> Iterator[EventDict]:
        if text := "".join(pieces):
            pieces.clear()
            yield _text_event(common, at, derive_id(text), text)

    def read_line(line: Json, at: str) -> Iterator[EventDict]:
        kind, call_id = line.get("type"), as_text(line.get("tool_id"))
        at = as_text(line.get("timestamp")) or at
        if kind == "message" and line.get("role") == "assistant":
            pieces.append(as_text(line.get("content")))
            return
        yield from flush(at)
        if kind == "tool_use":
            calls[call_id] = as_text(line.get("tool_name")), as_mapping(line.get("parameters"))
            yield _tool_event(common, at, call_id, describe_call(*calls[call_id]), is_over=False)
        elif kind == "tool_result" and call_id in calls:
            tool, arguments = calls.pop(call_id)
            failed = line.get("status") == "error"
            response = {"llmContent": as_text(line.get("output")), "error": failed}
            parts = gemini.answer_parts(tool, arguments, response)
            if parts.get("ok") is None and parts["action"] != "run":
                parts["ok"] = not failed
            yield _tool_event(common, at, call_id, parts, is_over=True)

    return read_line


def _opencode_lines(common: EventDict) -> ReadEvents:
    def read_line(line: Json, at: str) -> Iterator[EventDict]:
        part = as_mapping(line.get("part"))
        if line.get("type") == "text":
            yield _text_event(common, at, as_text(part.get("id")), as_text(part.get("text")))
        elif line.get("type") == "tool_use":
            yield from list_tool_events(part, common, at)

    return read_line


def _text_event(common: EventDict, at: str, name: str, text: str) -> EventDict:
    event_id = derive_id("assistant_text", common["client"], common["session_id"], name)
    return make_event("assistant_text", id=event_id, at=at, **common, text=text)


def _tool_event(common: EventDict, at: str, call_id: str, parts: EventDict, *, is_over: bool) -> EventDict:
    kind = "tool_finished" if is_over else "tool_called"
    event_id = tool_event_id(kind, common["client"], common["session_id"], call_id)
    return make_event(kind, id=event_id, at=at, **common, call_id=call_id, **parts)


_READERS: Mapping[str, Callable[[dict[str, Any]], ReadEvents]] = {
    "claude": _claude_lines,
    "codex": _codex_lines,
    "gemini": _gemini_lines,
    "opencode": _opencode_lines,
}
