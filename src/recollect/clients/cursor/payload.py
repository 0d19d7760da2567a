"""
Cursor's hook payloads, from its documentation alone: none was ever captured, so all of this is unverified.

Commands, MCP calls and edits have events of their own beside preToolUse and postToolUse; where a call has an
id, both tell the same event and it is kept once.
"""

from __future__ import annotations

from recollect.clients.payload_reader import read_by_event
from recollect.events.edits import describe_replacement
from recollect.events.event_dict import (
    as_mapping,
    as_text,
    as_whole_number,
    extract_text,
    make_event,
    tool_event_id,
)
from recollect.events.tool_actions import ON_FILES, SILENT, describe_call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.clients.payload_reader import PayloadReader
    from recollect.events.event_dict import EventDict, NewId, Payload

CLIENT = "cursor"
_NOTHING = frozenset(
    "beforeShellExecution beforeMCPExecution beforeReadFile subagentStart afterAgentThought stop "
    "beforeTabFileRead afterTabFileEdit workspaceOpen".split()
)


def read_payload(payload: Payload, now: str, new_id: NewId) -> list[EventDict]:
    """What one payload tells."""
    name = as_text(payload.get("hook_event_name"))
    return read_by_event(_READERS, name, payload, now, new_id, nothing=_NOTHING, common=_common)


def _common(payload: Payload) -> EventDict:
    roots = payload.get("workspace_roots")
    root = as_text(roots[0]) if isinstance(roots, list) and roots else ""
    session = as_text(payload.get("conversation_id")) or as_text(payload.get("session_id"))
    return {
        "session_id": session or "unknown",
        "folder": as_text(payload.get("cwd")) or root,
        "client": CLIENT,
    }


def _started(payload: Payload, now: str, new_id: NewId) -> list[EventDict]:
    data = {"model": payload["model"]} if payload.get("model") else {}
    return [make_event("session_started", id=new_id(), at=now, **_common(payload), data=data)]


def _ended(payload: Payload, now: str, new_id: NewId) -> list[EventDict]:
    data = {"reason": payload["reason"]} if payload.get("reason") else {}
    return [make_event("session_ended", id=new_id(), at=now, **_common(payload), data=data)]


def _prompted(payload: Payload, now: str, new_id: NewId) -> list[EventDict]:
    return [
        make_event("prompt", id=new_id(), at=now, **_common(payload), text=as_text(payload.get("prompt")))
    ]


def _spoke(payload: Payload, now: str, new_id: NewId) -> list[EventDict]:
    text = as_text(payload.get("text"))
    return [make_event("assistant_text", id=new_id(), at=now, **_common(payload), text=text)] if text else []


def _calling(payload: Payload, now: str, new_id: NewId) -> list[EventDict]:
    parts = describe_call(as_text(payload.get("tool_name")), as_mapping(payload.get("tool_input")))
    return [_tool_event("tool_called", payload, now, new_id, parts)]


def _done(payload: Payload, now: str, new_id: NewId) -> list[EventDict]:
    parts = describe_call(as_text(payload.get("tool_name")), as_mapping(payload.get("tool_input")))
    parts["ok"] = True if parts["action"] in ON_FILES else None
    if parts["action"] not in SILENT:
        parts["output"] = extract_text(payload.get("tool_output"))
    return [_tool_event("tool_finished", payload, now, new_id, parts)]


def _failed(payload: Payload, now: str, new_id: NewId) -> list[EventDict]:
    parts = describe_call(as_text(payload.get("tool_name")), as_mapping(payload.get("tool_input")))
    error = as_text(payload.get("error_message")) or as_text(payload.get("error"))
    parts |= {"ok": False, "output": error}
    return [_tool_event("tool_finished", payload, now, new_id, parts)]


def _ran(payload: Payload, now: str, new_id: NewId) -> list[EventDict]:
    parts = describe_call("Shell", payload) | {"output": as_text(payload.get("output"))}
    code = as_whole_number(payload.get("exit_code"))
    if code is not None:
        parts |= {"exit_code": code, "ok": code == 0}
    return [_tool_event("tool_finished", payload, now, new_id, parts)]


def _answered(payload: Payload, now: str, new_id: NewId) -> list[EventDict]:
    parts = describe_call(as_text(payload.get("tool_name")), {}) | {
        "output": extract_text(payload.get("result_json"))
    }
    return [_tool_event("tool_finished", payload, now, new_id, parts)]


def _edited(payload: Payload, now: str, new_id: NewId) -> list[EventDict]:
    file = as_text(payload.get("file_path"))
    changes = payload.get("edits")
    edits = [
        describe_replacement(file, None, as_text(change.get("old_string")), as_text(change.get("new_string")))
        for change in map(as_mapping, changes if isinstance(changes, list) else [])
    ]
    parts = {"tool": "Edit", "action": "edit", "files": [file], "ok": True, "data": {"edits": edits}}
    return [_tool_event("tool_finished", payload, now, new_id, parts)] if file else []


def _tool_event(kind: str, payload: Payload, now: str, new_id: NewId, parts: EventDict) -> EventDict:
    common = _common(payload)
    call_id = as_text(payload.get("tool_use_id"))
    event_id = tool_event_id(kind, CLIENT, common["session_id"], call_id) if call_id else new_id()
    duration = as_whole_number(payload.get("duration"))
    return make_event(kind, id=event_id, at=now, **common, call_id=call_id, duration_ms=duration, **parts)


def _subagent_stopped(payload: Payload, now: str, new_id: NewId) -> list[EventDict]:
    text = extract_text(payload.get("result")) or as_text(payload.get("summary"))
    common = _common(payload) | {"agent": as_text(payload.get("subagent_id"))}
    data = {"agent_ended": True}
    return [make_event("assistant_text", id=new_id(), at=now, **common, text=text, data=data)] if text else []


def _compacting(payload: Payload, now: str, new_id: NewId) -> list[EventDict]:
    data = {"trigger": payload["trigger"]} if payload.get("trigger") else {}
    return [make_event("compacted", id=new_id(), at=now, **_common(payload), data=data)]


_READERS: dict[str, PayloadReader] = {
    "sessionStart": _started,
    "sessionEnd": _ended,
    "beforeSubmitPrompt": _prompted,
    "afterAgentResponse": _spoke,
    "preToolUse": _calling,
    "postToolUse": _done,
    "postToolUseFailure": _failed,
    "afterShellExecution": _ran,
    "afterMCPExecution": _answered,
    "afterFileEdit": _edited,
    "subagentStop": _subagent_stopped,
    "preCompact": _compacting,
}
