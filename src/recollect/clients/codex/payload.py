"""
Codex's hook payloads.

Seen by running 0.166.0. The keys are Claude Code's, but a tool's answer is a bare text without an exit code,
a failed command looks like any other, and files are changed by patches.
"""

from __future__ import annotations

import re

from recollect.clients.payload_reader import read_by_event
from recollect.events.edits import describe_patch
from recollect.events.event_dict import (
    as_mapping,
    as_text,
    as_whole_number,
    extract_text,
    make_event,
    tool_event_id,
)
from recollect.events.tool_actions import SILENT, describe_call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.clients.payload_reader import PayloadReader
    from recollect.events.event_dict import EventDict, NewId, Payload

CLIENT = "codex"
_NOTHING = frozenset({"PermissionRequest", "PreCompact", "SubagentStart", "Interrupt"})
# The patch tool alone puts its exit code before its answer; a command's output may begin with the same words.
_EXIT = r"Exit code: (-?\d+)\n(?:Wall time: [^\n]*\n)?(?:Output:\n)?"


def read_payload(payload: Payload, now: str, new_id: NewId) -> list[EventDict]:
    """What one payload tells."""
    name = as_text(payload.get("hook_event_name"))
    return read_by_event(_READERS, name, payload, now, new_id, nothing=_NOTHING, common=_common)


def call_parts(tool: str, arguments: Payload) -> EventDict:
    """The parts of an event that a call tells by itself."""
    parts = describe_call(tool, arguments)
    if tool == "apply_patch":
        action, files, edits = describe_patch(
            as_text(arguments.get("command")) or as_text(arguments.get("input"))
        )
        parts |= {"action": action, "files": files, "data": {"edits": edits} if edits else {}}
    return parts


def answer_parts(tool: str, arguments: Payload, response: object) -> EventDict:
    """The parts of an event that a call and its answer tell together."""
    parts = call_parts(tool, arguments)
    text = extract_text(response)
    if tool == "apply_patch" and (exit_line := re.match(_EXIT, text)):
        parts["ok"] = exit_line[1] == "0"
        text = text[exit_line.end() :]
    elif isinstance(response, dict) and isinstance(response.get("isError"), bool):
        parts["ok"] = not response["isError"]
    if parts["action"] not in SILENT or parts.get("ok") is not True:
        parts["output"] = text
    return parts


def _common(payload: Payload) -> EventDict:
    return {
        "session_id": as_text(payload.get("session_id")) or "unknown",
        "folder": as_text(payload.get("cwd")),
        "client": CLIENT,
        "agent": as_text(payload.get("agent_id")),
    }


def _started(payload: Payload, now: str, new_id: NewId) -> list[EventDict]:
    data = {name: payload[name] for name in ("source", "model") if payload.get(name)}
    return [make_event("session_started", id=new_id(), at=now, **_common(payload), data=data)]


def _ended(payload: Payload, now: str, new_id: NewId) -> list[EventDict]:
    data = {"reason": payload["reason"]} if payload.get("reason") else {}
    return [make_event("session_ended", id=new_id(), at=now, **_common(payload), data=data)]


def _prompted(payload: Payload, now: str, new_id: NewId) -> list[EventDict]:
    return [
        make_event("prompt", id=new_id(), at=now, **_common(payload), text=as_text(payload.get("prompt")))
    ]


def _calling(payload: Payload, now: str, new_id: NewId) -> list[EventDict]:
    parts = call_parts(as_text(payload.get("tool_name")), as_mapping(payload.get("tool_input")))
    return [_tool_event("tool_called", payload, now, new_id, parts)]


def _done(payload: Payload, now: str, new_id: NewId) -> list[EventDict]:
    tool, arguments = as_text(payload.get("tool_name")), as_mapping(payload.get("tool_input"))
    return [
        _tool_event(
            "tool_finished", payload, now, new_id, answer_parts(tool, arguments, payload.get("tool_response"))
        )
    ]


def _tool_event(kind: str, payload: Payload, now: str, new_id: NewId, parts: EventDict) -> EventDict:
    common = _common(payload)
    call_id = as_text(payload.get("tool_use_id"))
    event_id = tool_event_id(kind, CLIENT, common["session_id"], call_id) if call_id else new_id()
    duration = as_whole_number(payload.get("duration_ms"))
    return make_event(kind, id=event_id, at=now, **common, call_id=call_id, duration_ms=duration, **parts)


def _stopped(payload: Payload, now: str, new_id: NewId) -> list[EventDict]:
    text = as_text(payload.get("last_assistant_message"))
    data = {"turn_ended": True} if payload.get("hook_event_name") == "Stop" else {"agent_ended": True}
    return (
        [make_event("assistant_text", id=new_id(), at=now, **_common(payload), text=text, data=data)]
        if text
        else []
    )


def _compacted(payload: Payload, now: str, new_id: NewId) -> list[EventDict]:
    text = as_text(payload.get("compact_summary"))
    data = {"trigger": payload["trigger"]} if payload.get("trigger") else {}
    return [make_event("compacted", id=new_id(), at=now, **_common(payload), text=text, data=data)]


_READERS: dict[str, PayloadReader] = {
    "SessionStart": _started,
    "SessionEnd": _ended,
    "UserPromptSubmit": _prompted,
    "PreToolUse": _calling,
    "PostToolUse": _done,
    "Stop": _stopped,
    "SubagentStop": _stopped,
    "PostCompact": _compacted,
}
