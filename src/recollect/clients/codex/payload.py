"""
Codex's hook payloads.

Seen by running 0.166.0. The keys are Claude Code's, but a tool's answer is a bare text without an exit code,
a failed command looks like any other, and files are changed by patches.
"""

from __future__ import annotations

import re

from recollect.clients.payload_reader import told_by
from recollect.events.edits import in_patch
from recollect.events.event_dict import form, mapping, string, text_of, tool_event_id, whole
from recollect.events.tool_actions import SILENT, called

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.clients.payload_reader import Teller
    from recollect.events.event_dict import Form, NewId, Payload

CLIENT = "codex"
_NOTHING = frozenset({"PermissionRequest", "PreCompact", "SubagentStart", "Interrupt"})
# The patch tool alone puts its exit code before its answer; a command's output may begin with the same words.
_EXIT = r"Exit code: (-?\d+)\n(?:Wall time: [^\n]*\n)?(?:Output:\n)?"


def events(payload: Payload, now: str, new_id: NewId) -> list[Form]:
    """What one payload tells."""
    name = string(payload.get("hook_event_name"))
    return told_by(_TOLD, name, payload, now, new_id, nothing=_NOTHING, common=_common)


def call_parts(tool: str, given: Payload) -> Form:
    """The parts of an event that a call tells by itself."""
    parts = called(tool, given)
    if tool == "apply_patch":
        action, files, edits = in_patch(string(given.get("command")) or string(given.get("input")))
        parts |= {"action": action, "files": files, "data": {"edits": edits} if edits else {}}
    return parts


def answer_parts(tool: str, given: Payload, response: object) -> Form:
    """The parts of an event that a call and its answer tell together."""
    parts = call_parts(tool, given)
    text = text_of(response)
    if tool == "apply_patch" and (exit_line := re.match(_EXIT, text)):
        parts["ok"] = exit_line[1] == "0"
        text = text[exit_line.end() :]
    elif isinstance(response, dict) and isinstance(response.get("isError"), bool):
        parts["ok"] = not response["isError"]
    if parts["action"] not in SILENT or parts.get("ok") is not True:
        parts["output"] = text
    return parts


def _common(payload: Payload) -> Form:
    return {
        "session_id": string(payload.get("session_id")) or "unknown",
        "folder": string(payload.get("cwd")),
        "client": CLIENT,
        "agent": string(payload.get("agent_id")),
    }


def _started(payload: Payload, now: str, new_id: NewId) -> list[Form]:
    data = {name: payload[name] for name in ("source", "model") if payload.get(name)}
    return [form("session_started", id=new_id(), at=now, **_common(payload), data=data)]


def _ended(payload: Payload, now: str, new_id: NewId) -> list[Form]:
    data = {"reason": payload["reason"]} if payload.get("reason") else {}
    return [form("session_ended", id=new_id(), at=now, **_common(payload), data=data)]


def _prompted(payload: Payload, now: str, new_id: NewId) -> list[Form]:
    return [form("prompt", id=new_id(), at=now, **_common(payload), text=string(payload.get("prompt")))]


def _calling(payload: Payload, now: str, new_id: NewId) -> list[Form]:
    parts = call_parts(string(payload.get("tool_name")), mapping(payload.get("tool_input")))
    return [_tool_event("tool_called", payload, now, new_id, parts)]


def _done(payload: Payload, now: str, new_id: NewId) -> list[Form]:
    tool, given = string(payload.get("tool_name")), mapping(payload.get("tool_input"))
    return [
        _tool_event(
            "tool_finished", payload, now, new_id, answer_parts(tool, given, payload.get("tool_response"))
        )
    ]


def _tool_event(kind: str, payload: Payload, now: str, new_id: NewId, parts: Form) -> Form:
    common = _common(payload)
    call_id = string(payload.get("tool_use_id"))
    known = tool_event_id(kind, CLIENT, common["session_id"], call_id) if call_id else new_id()
    duration = whole(payload.get("duration_ms"))
    return form(kind, id=known, at=now, **common, call_id=call_id, duration_ms=duration, **parts)


def _stopped(payload: Payload, now: str, new_id: NewId) -> list[Form]:
    text = string(payload.get("last_assistant_message"))
    data = {"turn_ended": True} if payload.get("hook_event_name") == "Stop" else {"agent_ended": True}
    return (
        [form("assistant_text", id=new_id(), at=now, **_common(payload), text=text, data=data)]
        if text
        else []
    )


def _compacted(payload: Payload, now: str, new_id: NewId) -> list[Form]:
    text = string(payload.get("compact_summary"))
    data = {"trigger": payload["trigger"]} if payload.get("trigger") else {}
    return [form("compacted", id=new_id(), at=now, **_common(payload), text=text, data=data)]


_TOLD: dict[str, Teller] = {
    "SessionStart": _started,
    "SessionEnd": _ended,
    "UserPromptSubmit": _prompted,
    "PreToolUse": _calling,
    "PostToolUse": _done,
    "Stop": _stopped,
    "SubagentStop": _stopped,
    "PostCompact": _compacted,
}
