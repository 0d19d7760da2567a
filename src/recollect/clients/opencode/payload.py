"""
What OpenCode tells a plugin.

Seen by running 1.18.33. The plugin sends `{"hook": …, "input": …, "output": …}` and adds the `directory` it
was started in, which OpenCode gives it once. A command's exit code is in `metadata.exit`.
"""

from __future__ import annotations

from datetime import UTC, datetime

from recollect.clients.payload_reader import told_by
from recollect.events.edits import in_diff, written
from recollect.events.event_dict import form, mapping, string, text_of, tool_event_id
from recollect.events.keywords import gist_of
from recollect.events.tool_actions import ON_FILES, SILENT, called

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.clients.payload_reader import Teller
    from recollect.events.event_dict import Form, NewId, Payload

CLIENT = "opencode"
_NOTHING = frozenset(
    "init config auth shell.env chat.params chat.headers tool.definition permission.ask command.execute.before "
    "experimental.chat.system.transform experimental.chat.messages.transform experimental.session.compacting "
    "event:session.updated event:session.status event:session.diff event:session.idle event:session.error "
    "event:message.updated event:message.part.updated event:message.part.delta event:message.removed "
    "event:message.part.removed event:file.edited event:file.watcher.updated event:catalog.updated "
    "event:integration.updated event:reference.updated event:plugin.added event:server.connected "
    "event:lsp.updated event:lsp.client.diagnostics event:todo.updated event:command.executed "
    "event:permission.updated event:permission.replied event:vcs.branch.updated event:installation.updated".split()
)


def events(payload: Payload, now: str, new_id: NewId) -> list[Form]:
    """What one payload tells."""
    name = string(payload.get("hook"))
    return told_by(_TOLD, name, payload, now, new_id, nothing=_NOTHING, common=_common)


def answer_parts(tool: str, given: Payload, output: Payload) -> Form:
    """The parts of an event that a call and its answer tell together."""
    parts = called(tool, given)
    metadata = mapping(output.get("metadata"))
    data: Form = dict(parts["data"])
    if isinstance(metadata.get("exit"), int):
        parts |= {"exit_code": metadata["exit"], "ok": metadata["exit"] == 0}
    elif isinstance(output.get("isError"), bool):
        parts["ok"] = not output["isError"]
    elif parts["action"] in ON_FILES:
        # One that cannot be done ends in an exception, and then this is not called.
        parts["ok"] = True
    if parts["action"] in ("edit", "create") and parts["files"]:
        data["edits"] = [_edit(tool, parts["files"][0], given, metadata)]
    display = mapping(metadata.get("display"))
    if parts["action"] == "read" and display.get("lineStart") and display.get("lineEnd"):
        data["lines"] = [display["lineStart"], display["lineEnd"]]
    text = string(output.get("output")) or text_of(output)
    if parts.get("ok"):
        data |= gist_of(parts["action"], given, text)
    if parts["action"] not in SILENT:
        parts["output"] = text
    return parts | {"data": data}


def moment(milliseconds: object, otherwise: str) -> str:
    """A time as OpenCode writes it, as we do."""
    if not isinstance(milliseconds, int | float) or isinstance(milliseconds, bool):
        return otherwise
    try:
        return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat()
    except (OverflowError, OSError, ValueError):
        return otherwise


def _edit(tool: str, file: str, given: Payload, metadata: Payload) -> Form:
    diff = string(metadata.get("diff"))
    if tool == "write" and isinstance(given.get("content"), str):
        return written(file, None, given["content"])
    return in_diff(file, diff)


def _common(payload: Payload) -> Form:
    given = mapping(payload.get("input"))
    folder = string(payload.get("directory")) or string(mapping(given.get("info")).get("directory"))
    return {"session_id": string(given.get("sessionID")) or "unknown", "folder": folder, "client": CLIENT}


def _created(payload: Payload, now: str, new_id: NewId) -> list[Form]:
    info = mapping(mapping(payload.get("input")).get("info"))
    data = {"source": "startup"}
    if parent := string(info.get("parentID")):
        data["parent"] = parent
    common = _common(payload)
    at = moment(mapping(info.get("time")).get("created"), now)
    known = tool_event_id("session_started", CLIENT, "", common["session_id"])
    return [form("session_started", id=known, at=at, **common, data=data)]


def _deleted(payload: Payload, now: str, new_id: NewId) -> list[Form]:
    return [form("session_ended", id=new_id(), at=now, **_common(payload), data={"reason": "deleted"})]


def _prompted(payload: Payload, now: str, new_id: NewId) -> list[Form]:
    output = mapping(payload.get("output"))
    parts = output.get("parts")
    texts = [
        string(part.get("text"))
        for part in map(mapping, parts if isinstance(parts, list) else [])
        # Synthetic parts are what OpenCode and its plugins add: files, reminders, our own words.
        if part.get("type") == "text" and not part.get("synthetic")
    ]
    at = moment(mapping(mapping(output.get("message")).get("time")).get("created"), now)
    text = "\n".join(texts)
    return [form("prompt", id=new_id(), at=at, **_common(payload), text=text)] if text else []


def _spoke(payload: Payload, now: str, new_id: NewId) -> list[Form]:
    text = string(mapping(payload.get("output")).get("text"))
    return [form("assistant_text", id=new_id(), at=now, **_common(payload), text=text)] if text else []


def _calling(payload: Payload, now: str, new_id: NewId) -> list[Form]:
    given = mapping(mapping(payload.get("output")).get("args"))
    tool = string(mapping(payload.get("input")).get("tool"))
    return [_tool_event("tool_called", payload, now, new_id, called(tool, given))]


def _done(payload: Payload, now: str, new_id: NewId) -> list[Form]:
    call = mapping(payload.get("input"))
    parts = answer_parts(string(call.get("tool")), mapping(call.get("args")), mapping(payload.get("output")))
    return [_tool_event("tool_finished", payload, now, new_id, parts)]


def _tool_event(kind: str, payload: Payload, now: str, new_id: NewId, parts: Form) -> Form:
    common = _common(payload)
    call_id = string(mapping(payload.get("input")).get("callID"))
    known = tool_event_id(kind, CLIENT, common["session_id"], call_id) if call_id else new_id()
    return form(kind, id=known, at=now, **common, call_id=call_id, **parts)


def _compacted(payload: Payload, now: str, new_id: NewId) -> list[Form]:
    return [form("compacted", id=new_id(), at=now, **_common(payload))]


_TOLD: dict[str, Teller] = {
    "event:session.created": _created,
    "event:session.deleted": _deleted,
    "event:session.compacted": _compacted,
    "chat.message": _prompted,
    "experimental.text.complete": _spoke,
    "tool.execute.before": _calling,
    "tool.execute.after": _done,
}
