"""
Qwen Code's hook payloads.

Seen by running 0.24.4. Events are named as in Claude Code, answers of tools are formed as in Gemini CLI.
UserPromptSubmit comes before every request to the model, with an empty prompt where no person typed one. A call that
was refused or impossible is told by PostToolBatch alone. Run with `-p` it tells no end of a session.
"""

from __future__ import annotations

import re

from recollect.clients.gemini.payload import answer_parts
from recollect.clients.payload_reader import read_by_event
from recollect.events.event_dict import (
    as_mapping,
    as_text,
    as_whole_number,
    extract_text,
    make_event,
    tool_event_id,
)
from recollect.events.machine_prompts import is_machine_text
from recollect.events.tool_actions import describe_call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.clients.payload_reader import PayloadReader
    from recollect.events.event_dict import EventDict, NewId, Payload

CLIENT = "qwen-code"
_NOTHING = frozenset(
    "Notification UserPromptExpansion PermissionRequest StopFailure SubagentStart PreCompact SessionDelete"
    " MessageDisplay TodoCreated TodoCompleted InstructionsLoaded".split()
)
# What a command said, inside the words that the client puts around it.
_SHELL_ANSWER = r"\ACommand: .*?\nOutput: (.*)\nError: (.*?)\nExit Code: (-?\d+|\(none\))"
_EMPTY = ("(none)", "(empty)")
_ENDED_BADLY = ("error", "cancelled")


def read_payload(payload: Payload, now: str, new_id: NewId) -> list[EventDict]:
    """What one payload tells."""
    name = as_text(payload.get("hook_event_name"))
    return read_by_event(_READERS, name, payload, now, new_id, nothing=_NOTHING, common=_common)


def finished(tool: str, arguments: Payload, response: Payload) -> EventDict:
    """The parts of an event that a call and its answer tell together."""
    parts = answer_parts(tool, arguments, response)
    if parts["action"] == "run" and "output" in parts:
        parts |= read_shell_answer(as_text(parts["output"]))
    elif parts.get("ok") is None and parts["action"] != "run":
        parts["ok"] = True
    return parts


def failed(tool: str, arguments: Payload, error: str, *, denied: bool = False) -> EventDict:
    """The same for a call that did not go well."""
    parts = describe_call(tool, arguments) | {"ok": False, "output": error}
    if parts["action"] == "run":
        parts |= read_shell_answer(error) | {"ok": False}
    parts["data"] = dict(parts["data"]) | ({"denied": True} if denied else {})
    return parts


def read_shell_answer(text: str) -> EventDict:
    """What a command printed and how it ended, without what the client says around it."""
    answer = re.match(_SHELL_ANSWER, text, re.DOTALL)
    if answer is None:
        return {}
    printed = "\n".join(part for part in answer.group(1, 2) if part not in _EMPTY)
    if answer[3].startswith("("):
        return {"output": printed}
    return {"output": printed, "exit_code": int(answer[3]), "ok": answer[3] == "0"}


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
    text = as_text(payload.get("submitted_prompt")) or as_text(payload.get("prompt"))
    if not text.strip():
        return []
    data = {"machine": True} if is_machine_text(text) else {}
    return [make_event("prompt", id=new_id(), at=now, **_common(payload), text=text, data=data)]


def _calling(payload: Payload, now: str, new_id: NewId) -> list[EventDict]:
    parts = describe_call(as_text(payload.get("tool_name")), as_mapping(payload.get("tool_input")))
    return [_tool_event("tool_called", payload, payload, now, parts, new_id)]


def _done(payload: Payload, now: str, new_id: NewId) -> list[EventDict]:
    tool, arguments = as_text(payload.get("tool_name")), as_mapping(payload.get("tool_input"))
    parts = finished(tool, arguments, as_mapping(payload.get("tool_response")))
    return [_tool_event("tool_finished", payload, payload, now, parts, new_id)]


def _failed(payload: Payload, now: str, new_id: NewId) -> list[EventDict]:
    tool, arguments = as_text(payload.get("tool_name")), as_mapping(payload.get("tool_input"))
    denied = payload.get("hook_event_name") == "PermissionDenied"
    parts = failed(tool, arguments, as_text(payload.get("error")), denied=denied)
    if payload.get("is_interrupt"):
        parts["data"]["interrupted"] = True
    return [_tool_event("tool_finished", payload, payload, now, parts, new_id)]


def _batch(payload: Payload, now: str, new_id: NewId) -> list[EventDict]:
    """The calls of a step that never began: of all others their own events have told."""
    calls = payload.get("tool_calls")
    events: list[EventDict] = []
    for call in map(as_mapping, calls if isinstance(calls, list) else []):
        response = as_mapping(call.get("tool_response"))
        if call.get("status") in _ENDED_BADLY and response.get("execution_status") == "not_started":
            tool, arguments = as_text(call.get("tool_name")), as_mapping(call.get("tool_input"))
            denied = call["status"] == "cancelled"
            parts = failed(tool, arguments, extract_text(response.get("error")), denied=denied)
            events.append(_tool_event("tool_finished", payload, call, now, parts, new_id))
    return events


def _tool_event(
    kind: str, payload: Payload, call: Payload, now: str, parts: EventDict, new_id: NewId
) -> EventDict:
    common = _common(payload)
    # The model's own name for the call: transcripts have it too.
    call_id = as_text(call.get("tool_call_id")) or as_text(call.get("tool_use_id"))
    event_id = tool_event_id(kind, CLIENT, common["session_id"], call_id) if call_id else new_id()
    duration = as_whole_number(call.get("duration_ms"))
    return make_event(kind, id=event_id, at=now, **common, call_id=call_id, duration_ms=duration, **parts)


def _stopped(payload: Payload, now: str, new_id: NewId) -> list[EventDict]:
    text = as_text(payload.get("last_assistant_message"))
    data = {"turn_ended": not payload.get("background_tasks")}
    return (
        [make_event("assistant_text", id=new_id(), at=now, **_common(payload), text=text, data=data)]
        if text
        else []
    )


def _subagent_stopped(payload: Payload, now: str, new_id: NewId) -> list[EventDict]:
    text, kind = as_text(payload.get("last_assistant_message")), as_text(payload.get("agent_type"))
    data = {"agent_type": kind, "agent_ended": True}
    return (
        [make_event("assistant_text", id=new_id(), at=now, **_common(payload), text=text, data=data)]
        if text
        else []
    )


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
