"""
Claude Code's hook payloads.

Seen by running 2.1.325. A denied or impossible call fires neither PostToolUse nor PostToolUseFailure; only
PostToolBatch tells how it ended, so its answers are kept as a second witness (`data.batch`) and dropped when
the first one speaks.
"""

from __future__ import annotations

import json
import re

from recollect.clients.payload_reader import read_by_event
from recollect.events.edits import describe_replacement, describe_written_file
from recollect.events.event_dict import (
    as_mapping,
    as_text,
    as_whole_number,
    extract_text,
    make_event,
    tool_event_id,
)
from recollect.events.keywords import extract_keywords
from recollect.events.machine_prompts import is_machine_text
from recollect.events.statements import shows_prose, sketch_statements
from recollect.events.tool_actions import SILENT, describe_call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recollect.clients.payload_reader import PayloadReader
    from recollect.events.event_dict import EventDict, NewId, Payload

CLIENT = "claude-code"

# What these say is said better by another event, or is nothing an agent did.
_NOTHING = frozenset(
    "Notification UserPromptExpansion PermissionRequest StopFailure SubagentStart PreCompact PreModelSwitch "
    "PostModelSwitch Setup TeammateIdle TaskCreated TaskCompleted Elicitation ElicitationResult ConfigChange "
    "WorktreeCreate WorktreeRemove InstructionsLoaded CwdChanged FileChanged DirectoryAdded MessageDisplay".split()
)
_EXIT = r"Exit code (\d+)\n?"
_DENIED = (
    "requires approval",
    "doesn't want to proceed",
    "been denied",
    "was rejected",
    "requested permissions",
)


def read_payload(payload: Payload, now: str, new_id: NewId) -> list[EventDict]:
    """What one payload tells."""
    name = as_text(payload.get("hook_event_name"))
    return read_by_event(_READERS, name, payload, now, new_id, nothing=_NOTHING, common=_common)


def finished(tool: str, arguments: Payload, response: object) -> EventDict:
    """The parts of an event that a call and a good answer tell together."""
    parts = describe_call(tool, arguments)
    answer = as_mapping(response)
    if parts["action"] == "create" and answer.get("type") == "update":
        parts["action"] = "edit"
    data: EventDict = dict(parts["data"])
    if edits := edits_of(tool, arguments, answer):
        data["edits"] = edits
    if parts["action"] == "read" and (lines := _lines_read(answer)):
        data["lines"] = lines
    output = _read(response) if parts["action"] == "read" else _output(response)
    data |= extract_keywords(parts["action"], arguments, output)
    if parts["action"] in SILENT:
        data |= _shown_by_edit(parts, as_text(answer.get("originalFile")) or output)
    parts |= {"ok": True, "data": data}
    if parts["action"] not in SILENT:
        parts["output"] = output
    if parts["action"] == "run":
        parts |= _ran(answer, data)
    if parts["action"] == "delegate" and as_text(answer.get("agentId")):
        data["agent"] = answer["agentId"]
        if answer.get("status") == "async_launched":
            # It works in the background; what it found comes with its own end.
            data["launched"] = True
            parts |= {"ok": None, "output": ""}
    return parts


def _shown_by_edit(parts: EventDict, text: str) -> EventDict:
    """What an agent may have read in the answer to an edit: the file around it."""
    statements, _ = sketch_statements(text, every=shows_prose("read", parts["files"], ""))
    own = set(parts["data"].get("written", ()))
    shown = [words for words in statements if words not in own]
    return {"statements": shown} if shown else {}


def failed(tool: str, arguments: Payload, error: str, *, interrupted: bool = False) -> EventDict:
    """The parts of an event that a call and an error tell together."""
    parts = describe_call(tool, arguments)
    exit_line = re.match(_EXIT, error)
    data: EventDict = dict(parts["data"])
    if interrupted or error.startswith("[Request interrupted"):
        data["interrupted"] = True
    if exit_line is None and any(words in error[:300] for words in _DENIED):
        data["denied"] = True
    return parts | {
        "ok": False,
        "exit_code": int(exit_line[1]) if exit_line and parts["action"] == "run" else None,
        "output": error[exit_line.end() :] if exit_line else error,
        "data": data,
    }


def prompt_parts(text: str) -> EventDict:
    """A prompt, marked when a program wrote it."""
    return {"text": text, "data": {"machine": True} if is_machine_text(text) else {}}


def edits_of(tool: str, arguments: Payload, answer: Payload) -> list[EventDict]:
    """What an edit did to its file, as far as call and answer show it."""
    file = (
        as_text(answer.get("filePath"))
        or as_text(arguments.get("file_path"))
        or as_text(arguments.get("notebook_path"))
    )
    if not file:
        return []
    original = answer.get("originalFile")
    before = original if isinstance(original, str) else None
    if tool == "Write":
        return [
            describe_written_file(
                file, before, as_text(answer.get("content")) or as_text(arguments.get("content"))
            )
        ]
    if tool == "NotebookEdit":
        return [
            describe_replacement(
                file, None, as_text(arguments.get("old_source")), as_text(arguments.get("new_source"))
            )
        ]
    if tool not in ("Edit", "MultiEdit"):
        return []
    edits: list[EventDict] = []
    for part in arguments.get("edits") or [arguments]:
        old, new = as_text(as_mapping(part).get("old_string")), as_text(as_mapping(part).get("new_string"))
        everywhere = bool(as_mapping(part).get("replace_all"))
        edits.append(describe_replacement(file, before, old, new, everywhere=everywhere))
        if before is not None:
            before = before.replace(old, new) if everywhere else before.replace(old, new, 1)
    return edits


def _common(payload: Payload) -> EventDict:
    return {
        "session_id": as_text(payload.get("session_id")) or "unknown",
        "folder": as_text(payload.get("cwd")),
        "client": CLIENT,
        "agent": as_text(payload.get("agent_id")),
    }


def _started(payload: Payload, now: str, new_id: NewId) -> list[EventDict]:
    data = {name: payload[name] for name in ("source", "model", "context_tokens") if payload.get(name)}
    return [make_event("session_started", id=new_id(), at=now, **_common(payload), data=data)]


def _ended(payload: Payload, now: str, new_id: NewId) -> list[EventDict]:
    data = {"reason": payload["reason"]} if payload.get("reason") else {}
    return [make_event("session_ended", id=new_id(), at=now, **_common(payload), data=data)]


def _prompted(payload: Payload, now: str, new_id: NewId) -> list[EventDict]:
    parts = prompt_parts(as_text(payload.get("prompt")))
    return [make_event("prompt", id=new_id(), at=now, **_common(payload), **parts)]


def _calling(payload: Payload, now: str, new_id: NewId) -> list[EventDict]:
    parts = describe_call(as_text(payload.get("tool_name")), as_mapping(payload.get("tool_input")))
    return [_tool_event("tool_called", payload, payload, now, new_id, parts)]


def _done(payload: Payload, now: str, new_id: NewId) -> list[EventDict]:
    tool, arguments = as_text(payload.get("tool_name")), as_mapping(payload.get("tool_input"))
    parts = finished(tool, arguments, payload.get("tool_response"))
    return [_tool_event("tool_finished", payload, payload, now, new_id, parts)]


def _failed(payload: Payload, now: str, new_id: NewId) -> list[EventDict]:
    tool, arguments = as_text(payload.get("tool_name")), as_mapping(payload.get("tool_input"))
    error = as_text(payload.get("error")) or as_text(payload.get("reason"))
    parts = failed(tool, arguments, error, interrupted=bool(payload.get("is_interrupt")))
    if payload.get("hook_event_name") == "PermissionDenied":
        parts["data"]["denied"] = True
    return [_tool_event("tool_finished", payload, payload, now, new_id, parts)]


def _batch(payload: Payload, now: str, new_id: NewId) -> list[EventDict]:
    calls = payload.get("tool_calls")
    return [
        _witness(payload, as_mapping(call), now, new_id)
        for call in (calls if isinstance(calls, list) else [])
    ]


def _witness(payload: Payload, call: Payload, now: str, new_id: NewId) -> EventDict:
    answer = extract_text(call.get("tool_response"))
    tool, arguments = as_text(call.get("tool_name")), as_mapping(call.get("tool_input"))
    if answer.startswith("<tool_use_error>") or any(words in answer[:300] for words in _DENIED):
        parts = failed(tool, arguments, answer)
    else:
        parts = describe_call(tool, arguments)
        if parts["action"] not in SILENT:
            parts["output"] = answer
    parts["data"] = parts["data"] | {"batch": True}
    return _tool_event("tool_finished", payload, call, now, new_id, parts, witness="batch")


def _tool_event(
    kind: str, payload: Payload, call: Payload, now: str, new_id: NewId, parts: EventDict, witness: str = ""
) -> EventDict:
    common = _common(payload)
    call_id = as_text(call.get("tool_use_id"))
    event_id = tool_event_id(kind + witness, CLIENT, common["session_id"], call_id) if call_id else new_id()
    duration = as_whole_number(call.get("duration_ms"))
    if payload.get("permission_mode") == "plan":
        parts["data"]["mode"] = "plan"
    return make_event(kind, id=event_id, at=now, **common, call_id=call_id, duration_ms=duration, **parts)


def _stopped(payload: Payload, now: str, new_id: NewId) -> list[EventDict]:
    text = as_text(payload.get("last_assistant_message"))
    working = payload.get("background_tasks")
    data = {"turn_ended": not working}
    return (
        [make_event("assistant_text", id=new_id(), at=now, **_common(payload), text=text, data=data)]
        if text
        else []
    )


def _subagent_stopped(payload: Payload, now: str, new_id: NewId) -> list[EventDict]:
    text, kind = as_text(payload.get("last_assistant_message")), as_text(payload.get("agent_type"))
    # A compaction ends a subagent of no type, twice.
    if not kind or not text:
        return []
    data = {"agent_type": kind, "agent_ended": True}
    return [make_event("assistant_text", id=new_id(), at=now, **_common(payload), text=text, data=data)]


def _compacted(payload: Payload, now: str, new_id: NewId) -> list[EventDict]:
    data = {"trigger": payload["trigger"]} if payload.get("trigger") else {}
    text = as_text(payload.get("compact_summary"))
    return [make_event("compacted", id=new_id(), at=now, **_common(payload), text=text, data=data)]


_READERS: dict[str, PayloadReader] = {
    "SessionStart": _started,
    "SessionEnd": _ended,
    "UserPromptSubmit": _prompted,
    "PreToolUse": _calling,
    "PostToolUse": _done,
    "PostToolUseFailure": _failed,
    "PermissionDenied": _failed,
    "PostToolBatch": _batch,
    "Stop": _stopped,
    "SubagentStop": _subagent_stopped,
    "PostCompact": _compacted,
}


def _lines_read(answer: Payload) -> list[int]:
    file = as_mapping(answer.get("file"))
    first, count = as_whole_number(file.get("startLine")), as_whole_number(file.get("numLines"))
    return [first, first + max(0, count - 1)] if first is not None and count is not None else []


def _read(response: object) -> str:
    return as_text(as_mapping(as_mapping(response).get("file")).get("content")) or extract_text(response)


def _output(response: object) -> str:
    answer = as_mapping(response)
    if "stdout" in answer:
        return "\n".join(filter(None, (as_text(answer["stdout"]), as_text(answer.get("stderr")))))
    return extract_text(_unwrapped(response))


def _unwrapped(response: object) -> Any:
    """An MCP answer that was a text comes as JSON of it: `{"result": "…"}`."""
    if not isinstance(response, str) or not response.startswith('{"result":'):
        return response
    try:
        return json.loads(response)["result"]
    except ValueError:
        return response


def _ran(answer: Payload, data: EventDict) -> EventDict:
    """How a command ended. One that failed comes another way, unless the client reads its exit code as no failure."""
    if answer.get("backgroundTaskId"):
        data["background"] = True
        return {"ok": None}
    if answer.get("interrupted"):
        data["interrupted"] = True
        return {"ok": False}
    return {"ok": True} if answer.get("returnCodeInterpretation") else {"ok": True, "exit_code": 0}
