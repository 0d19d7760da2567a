"""
Claude Code's hook payloads.

Seen by running 2.1.325. A denied or impossible call fires neither PostToolUse nor PostToolUseFailure; only
PostToolBatch tells how it ended, so its answers are kept as a second witness (`data.batch`) and dropped when
the first one speaks.
"""

from __future__ import annotations

import json
import re

from recollect.clients.payload_reader import told_by
from recollect.events.edits import replaced, written
from recollect.events.event_dict import form, mapping, string, text_of, tool_event_id, whole
from recollect.events.keywords import gist_of
from recollect.events.machine_prompts import is_machine_text
from recollect.events.tool_actions import SILENT, called

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recollect.clients.payload_reader import Teller
    from recollect.events.event_dict import Form, NewId, Payload

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


def events(payload: Payload, now: str, new_id: NewId) -> list[Form]:
    """What one payload tells."""
    name = string(payload.get("hook_event_name"))
    return told_by(_TOLD, name, payload, now, new_id, nothing=_NOTHING, common=_common)


def finished(tool: str, given: Payload, response: object) -> Form:
    """The parts of an event that a call and a good answer tell together."""
    parts = called(tool, given)
    answer = mapping(response)
    if parts["action"] == "create" and answer.get("type") == "update":
        parts["action"] = "edit"
    data: Form = dict(parts["data"])
    if edits := edits_of(tool, given, answer):
        data["edits"] = edits
    if parts["action"] == "read" and (lines := _lines_read(answer)):
        data["lines"] = lines
    said = _read(response) if parts["action"] == "read" else _output(response)
    data |= gist_of(parts["action"], given, said)
    parts |= {"ok": True, "data": data}
    if parts["action"] not in SILENT:
        parts["output"] = said
    if parts["action"] == "run":
        parts |= _ran(answer, data)
    if parts["action"] == "delegate" and string(answer.get("agentId")):
        data["agent"] = answer["agentId"]
        if answer.get("status") == "async_launched":
            # It works in the background; what it found comes with its own end.
            data["launched"] = True
            parts |= {"ok": None, "output": ""}
    return parts


def failed(tool: str, given: Payload, error: str, *, interrupted: bool = False) -> Form:
    """The parts of an event that a call and an error tell together."""
    parts = called(tool, given)
    exit_line = re.match(_EXIT, error)
    data: Form = dict(parts["data"])
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


def prompt_parts(text: str) -> Form:
    """A prompt, marked when a program wrote it."""
    return {"text": text, "data": {"machine": True} if is_machine_text(text) else {}}


def edits_of(tool: str, given: Payload, answer: Payload) -> list[Form]:
    """What an edit did to its file, as far as call and answer show it."""
    file = (
        string(answer.get("filePath")) or string(given.get("file_path")) or string(given.get("notebook_path"))
    )
    if not file:
        return []
    original = answer.get("originalFile")
    before = original if isinstance(original, str) else None
    if tool == "Write":
        return [written(file, before, string(answer.get("content")) or string(given.get("content")))]
    if tool == "NotebookEdit":
        return [replaced(file, None, string(given.get("old_source")), string(given.get("new_source")))]
    if tool not in ("Edit", "MultiEdit"):
        return []
    made: list[Form] = []
    for part in given.get("edits") or [given]:
        old, new = string(mapping(part).get("old_string")), string(mapping(part).get("new_string"))
        everywhere = bool(mapping(part).get("replace_all"))
        made.append(replaced(file, before, old, new, everywhere=everywhere))
        if before is not None:
            before = before.replace(old, new) if everywhere else before.replace(old, new, 1)
    return made


def _common(payload: Payload) -> Form:
    return {
        "session_id": string(payload.get("session_id")) or "unknown",
        "folder": string(payload.get("cwd")),
        "client": CLIENT,
        "agent": string(payload.get("agent_id")),
    }


def _started(payload: Payload, now: str, new_id: NewId) -> list[Form]:
    data = {name: payload[name] for name in ("source", "model", "context_tokens") if payload.get(name)}
    return [form("session_started", id=new_id(), at=now, **_common(payload), data=data)]


def _ended(payload: Payload, now: str, new_id: NewId) -> list[Form]:
    data = {"reason": payload["reason"]} if payload.get("reason") else {}
    return [form("session_ended", id=new_id(), at=now, **_common(payload), data=data)]


def _prompted(payload: Payload, now: str, new_id: NewId) -> list[Form]:
    parts = prompt_parts(string(payload.get("prompt")))
    return [form("prompt", id=new_id(), at=now, **_common(payload), **parts)]


def _calling(payload: Payload, now: str, new_id: NewId) -> list[Form]:
    parts = called(string(payload.get("tool_name")), mapping(payload.get("tool_input")))
    return [_tool_event("tool_called", payload, payload, now, new_id, parts)]


def _done(payload: Payload, now: str, new_id: NewId) -> list[Form]:
    tool, given = string(payload.get("tool_name")), mapping(payload.get("tool_input"))
    parts = finished(tool, given, payload.get("tool_response"))
    return [_tool_event("tool_finished", payload, payload, now, new_id, parts)]


def _failed(payload: Payload, now: str, new_id: NewId) -> list[Form]:
    tool, given = string(payload.get("tool_name")), mapping(payload.get("tool_input"))
    error = string(payload.get("error")) or string(payload.get("reason"))
    parts = failed(tool, given, error, interrupted=bool(payload.get("is_interrupt")))
    if payload.get("hook_event_name") == "PermissionDenied":
        parts["data"]["denied"] = True
    return [_tool_event("tool_finished", payload, payload, now, new_id, parts)]


def _batch(payload: Payload, now: str, new_id: NewId) -> list[Form]:
    calls = payload.get("tool_calls")
    return [
        _witness(payload, mapping(call), now, new_id) for call in (calls if isinstance(calls, list) else [])
    ]


def _witness(payload: Payload, call: Payload, now: str, new_id: NewId) -> Form:
    answer = text_of(call.get("tool_response"))
    tool, given = string(call.get("tool_name")), mapping(call.get("tool_input"))
    if answer.startswith("<tool_use_error>") or any(words in answer[:300] for words in _DENIED):
        parts = failed(tool, given, answer)
    else:
        parts = called(tool, given)
        if parts["action"] not in SILENT:
            parts["output"] = answer
    parts["data"] = parts["data"] | {"batch": True}
    return _tool_event("tool_finished", payload, call, now, new_id, parts, witness="batch")


def _tool_event(
    kind: str, payload: Payload, call: Payload, now: str, new_id: NewId, parts: Form, witness: str = ""
) -> Form:
    common = _common(payload)
    call_id = string(call.get("tool_use_id"))
    known = tool_event_id(kind + witness, CLIENT, common["session_id"], call_id) if call_id else new_id()
    duration = whole(call.get("duration_ms"))
    if payload.get("permission_mode") == "plan":
        parts["data"]["mode"] = "plan"
    return form(kind, id=known, at=now, **common, call_id=call_id, duration_ms=duration, **parts)


def _stopped(payload: Payload, now: str, new_id: NewId) -> list[Form]:
    text = string(payload.get("last_assistant_message"))
    working = payload.get("background_tasks")
    data = {"turn_ended": not working}
    return (
        [form("assistant_text", id=new_id(), at=now, **_common(payload), text=text, data=data)]
        if text
        else []
    )


def _subagent_stopped(payload: Payload, now: str, new_id: NewId) -> list[Form]:
    text, kind = string(payload.get("last_assistant_message")), string(payload.get("agent_type"))
    # A compaction ends a subagent of no type, twice.
    if not kind or not text:
        return []
    data = {"agent_type": kind, "agent_ended": True}
    return [form("assistant_text", id=new_id(), at=now, **_common(payload), text=text, data=data)]


def _compacted(payload: Payload, now: str, new_id: NewId) -> list[Form]:
    data = {"trigger": payload["trigger"]} if payload.get("trigger") else {}
    text = string(payload.get("compact_summary"))
    return [form("compacted", id=new_id(), at=now, **_common(payload), text=text, data=data)]


_TOLD: dict[str, Teller] = {
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
    file = mapping(answer.get("file"))
    first, count = whole(file.get("startLine")), whole(file.get("numLines"))
    return [first, first + max(0, count - 1)] if first is not None and count is not None else []


def _read(response: object) -> str:
    return string(mapping(mapping(response).get("file")).get("content")) or text_of(response)


def _output(response: object) -> str:
    answer = mapping(response)
    if "stdout" in answer:
        return "\n".join(filter(None, (string(answer["stdout"]), string(answer.get("stderr")))))
    return text_of(_unwrapped(response))


def _unwrapped(response: object) -> Any:
    """An MCP answer that was a text comes as JSON of it: `{"result": "…"}`."""
    if not isinstance(response, str) or not response.startswith('{"result":'):
        return response
    try:
        return json.loads(response)["result"]
    except ValueError:
        return response


def _ran(answer: Payload, data: Form) -> Form:
    """How a command ended. One that failed comes another way, unless the client reads its exit code as no failure."""
    if answer.get("backgroundTaskId"):
        data["background"] = True
        return {"ok": None}
    if answer.get("interrupted"):
        data["interrupted"] = True
        return {"ok": False}
    return {"ok": True} if answer.get("returnCodeInterpretation") else {"ok": True, "exit_code": 0}
