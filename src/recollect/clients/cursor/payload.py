"""
Cursor's hook payloads, from its documentation alone: none was ever captured, so all of this is unverified.

Commands, MCP calls and edits have events of their own beside preToolUse and postToolUse; where a call has an
id, both tell the same event and it is kept once.
"""

from __future__ import annotations

from recollect.clients.payload_reader import told_by
from recollect.events.edits import replaced
from recollect.events.event_dict import form, mapping, string, text_of, tool_event_id, whole
from recollect.events.tool_actions import ON_FILES, SILENT, called

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.clients.payload_reader import Teller
    from recollect.events.event_dict import Form, NewId, Payload

CLIENT = "cursor"
_NOTHING = frozenset(
    "beforeShellExecution beforeMCPExecution beforeReadFile subagentStart afterAgentThought stop "
    "beforeTabFileRead afterTabFileEdit workspaceOpen".split()
)


def events(payload: Payload, now: str, new_id: NewId) -> list[Form]:
    """What one payload tells."""
    name = string(payload.get("hook_event_name"))
    return told_by(_TOLD, name, payload, now, new_id, nothing=_NOTHING, common=_common)


def _common(payload: Payload) -> Form:
    roots = payload.get("workspace_roots")
    root = string(roots[0]) if isinstance(roots, list) and roots else ""
    session = string(payload.get("conversation_id")) or string(payload.get("session_id"))
    return {
        "session_id": session or "unknown",
        "folder": string(payload.get("cwd")) or root,
        "client": CLIENT,
    }


def _started(payload: Payload, now: str, new_id: NewId) -> list[Form]:
    data = {"model": payload["model"]} if payload.get("model") else {}
    return [form("session_started", id=new_id(), at=now, **_common(payload), data=data)]


def _ended(payload: Payload, now: str, new_id: NewId) -> list[Form]:
    data = {"reason": payload["reason"]} if payload.get("reason") else {}
    return [form("session_ended", id=new_id(), at=now, **_common(payload), data=data)]


def _prompted(payload: Payload, now: str, new_id: NewId) -> list[Form]:
    return [form("prompt", id=new_id(), at=now, **_common(payload), text=string(payload.get("prompt")))]


def _spoke(payload: Payload, now: str, new_id: NewId) -> list[Form]:
    text = string(payload.get("text"))
    return [form("assistant_text", id=new_id(), at=now, **_common(payload), text=text)] if text else []


def _calling(payload: Payload, now: str, new_id: NewId) -> list[Form]:
    parts = called(string(payload.get("tool_name")), mapping(payload.get("tool_input")))
    return [_tool_event("tool_called", payload, now, new_id, parts)]


def _done(payload: Payload, now: str, new_id: NewId) -> list[Form]:
    parts = called(string(payload.get("tool_name")), mapping(payload.get("tool_input")))
    parts["ok"] = True if parts["action"] in ON_FILES else None
    if parts["action"] not in SILENT:
        parts["output"] = text_of(payload.get("tool_output"))
    return [_tool_event("tool_finished", payload, now, new_id, parts)]


def _failed(payload: Payload, now: str, new_id: NewId) -> list[Form]:
    parts = called(string(payload.get("tool_name")), mapping(payload.get("tool_input")))
    error = string(payload.get("error_message")) or string(payload.get("error"))
    parts |= {"ok": False, "output": error}
    return [_tool_event("tool_finished", payload, now, new_id, parts)]


def _ran(payload: Payload, now: str, new_id: NewId) -> list[Form]:
    parts = called("Shell", payload) | {"output": string(payload.get("output"))}
    code = whole(payload.get("exit_code"))
    if code is not None:
        parts |= {"exit_code": code, "ok": code == 0}
    return [_tool_event("tool_finished", payload, now, new_id, parts)]


def _answered(payload: Payload, now: str, new_id: NewId) -> list[Form]:
    parts = called(string(payload.get("tool_name")), {}) | {"output": text_of(payload.get("result_json"))}
    return [_tool_event("tool_finished", payload, now, new_id, parts)]


def _edited(payload: Payload, now: str, new_id: NewId) -> list[Form]:
    file = string(payload.get("file_path"))
    changes = payload.get("edits")
    edits = [
        replaced(file, None, string(change.get("old_string")), string(change.get("new_string")))
        for change in map(mapping, changes if isinstance(changes, list) else [])
    ]
    parts = {"tool": "Edit", "action": "edit", "files": [file], "ok": True, "data": {"edits": edits}}
    return [_tool_event("tool_finished", payload, now, new_id, parts)] if file else []


def _tool_event(kind: str, payload: Payload, now: str, new_id: NewId, parts: Form) -> Form:
    common = _common(payload)
    call_id = string(payload.get("tool_use_id"))
    known = tool_event_id(kind, CLIENT, common["session_id"], call_id) if call_id else new_id()
    duration = whole(payload.get("duration"))
    return form(kind, id=known, at=now, **common, call_id=call_id, duration_ms=duration, **parts)


def _subagent_stopped(payload: Payload, now: str, new_id: NewId) -> list[Form]:
    text = text_of(payload.get("result")) or string(payload.get("summary"))
    common = _common(payload) | {"agent": string(payload.get("subagent_id"))}
    data = {"agent_ended": True}
    return [form("assistant_text", id=new_id(), at=now, **common, text=text, data=data)] if text else []


def _compacting(payload: Payload, now: str, new_id: NewId) -> list[Form]:
    data = {"trigger": payload["trigger"]} if payload.get("trigger") else {}
    return [form("compacted", id=new_id(), at=now, **_common(payload), data=data)]


_TOLD: dict[str, Teller] = {
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
