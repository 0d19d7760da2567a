"""
What OpenCode tells a plugin.

Seen by running 1.18.33. The plugin sends `{"hook": …, "input": …, "output": …}` and adds the `directory` it
was started in, which OpenCode gives it once. A command's exit code is in `metadata.exit`.
"""

from __future__ import annotations

from datetime import UTC, datetime

from recollect.clients.payload_reader import read_by_event
from recollect.events.edits import describe_diff, describe_written_file
from recollect.events.event_dict import as_mapping, as_text, extract_text, make_event, tool_event_id
from recollect.events.keywords import extract_keywords
from recollect.events.tool_actions import ON_FILES, SILENT, describe_call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.clients.payload_reader import PayloadReader
    from recollect.events.event_dict import EventDict, NewId, Payload

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


def read_payload(payload: Payload, now: str, new_id: NewId) -> list[EventDict]:
    """What one payload tells."""
    name = as_text(payload.get("hook"))
    return read_by_event(_READERS, name, payload, now, new_id, nothing=_NOTHING, common=_common)


def answer_parts(tool: str, arguments: Payload, output: Payload) -> EventDict:
    """The parts of an event that a call and its answer tell together."""
    parts = describe_call(tool, arguments)
    metadata = as_mapping(output.get("metadata"))
    data: EventDict = dict(parts["data"])
    if isinstance(metadata.get("exit"), int):
        parts |= {"exit_code": metadata["exit"], "ok": metadata["exit"] == 0}
    elif isinstance(output.get("isError"), bool):
        parts["ok"] = not output["isError"]
    elif parts["action"] in ON_FILES:
        # One that cannot be done ends in an exception, and then this is not called.
        parts["ok"] = True
    if parts["action"] in ("edit", "create") and parts["files"]:
        data["edits"] = [_edit(tool, parts["files"][0], arguments, metadata)]
    display = as_mapping(metadata.get("display"))
    if parts["action"] == "read" and display.get("lineStart") and display.get("lineEnd"):
        data["lines"] = [display["lineStart"], display["lineEnd"]]
    text = as_text(output.get("output")) or extract_text(output)
    if parts.get("ok"):
        data |= extract_keywords(parts["action"], arguments, text)
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


def _edit(tool: str, file: str, arguments: Payload, metadata: Payload) -> EventDict:
    diff = as_text(metadata.get("diff"))
    if tool == "write" and isinstance(arguments.get("content"), str):
        return describe_written_file(file, None, arguments["content"])
    return describe_diff(file, diff)


def _common(payload: Payload) -> EventDict:
    arguments = as_mapping(payload.get("input"))
    folder = as_text(payload.get("directory")) or as_text(as_mapping(arguments.get("info")).get("directory"))
    return {
        "session_id": as_text(arguments.get("sessionID")) or "unknown",
        "folder": folder,
        "client": CLIENT,
    }


def _created(payload: Payload, now: str, new_id: NewId) -> list[EventDict]:
    info = as_mapping(as_mapping(payload.get("input")).get("info"))
    data = {"source": "startup"}
    if parent := as_text(info.get("parentID")):
        data["parent"] = parent
    common = _common(payload)
    at = moment(as_mapping(info.get("time")).get("created"), now)
    event_id = tool_event_id("session_started", CLIENT, "", common["session_id"])
    return [make_event("session_started", id=event_id, at=at, **common, data=data)]


def _deleted(payload: Payload, now: str, new_id: NewId) -> list[EventDict]:
    return [make_event("session_ended", id=new_id(), at=now, **_common(payload), data={"reason": "deleted"})]


def _prompted(payload: Payload, now: str, new_id: NewId) -> list[EventDict]:
    output = as_mapping(payload.get("output"))
    parts = output.get("parts")
    texts = [
        as_text(part.get("text"))
        for part in map(as_mapping, parts if isinstance(parts, list) else [])
        # Synthetic parts are what OpenCode and its plugins add: files, reminders, our own words.
        if part.get("type") == "text" and not part.get("synthetic")
    ]
    at = moment(as_mapping(as_mapping(output.get("message")).get("time")).get("created"), now)
    text = "\n".join(texts)
    return [make_event("prompt", id=new_id(), at=at, **_common(payload), text=text)] if text else []


def _spoke(payload: Payload, now: str, new_id: NewId) -> list[EventDict]:
    text = as_text(as_mapping(payload.get("output")).get("text"))
    return [make_event("assistant_text", id=new_id(), at=now, **_common(payload), text=text)] if text else []


def _calling(payload: Payload, now: str, new_id: NewId) -> list[EventDict]:
    arguments = as_mapping(as_mapping(payload.get("output")).get("args"))
    tool = as_text(as_mapping(payload.get("input")).get("tool"))
    return [_tool_event("tool_called", payload, now, new_id, describe_call(tool, arguments))]


def _done(payload: Payload, now: str, new_id: NewId) -> list[EventDict]:
    call = as_mapping(payload.get("input"))
    parts = answer_parts(
        as_text(call.get("tool")), as_mapping(call.get("args")), as_mapping(payload.get("output"))
    )
    return [_tool_event("tool_finished", payload, now, new_id, parts)]


def _tool_event(kind: str, payload: Payload, now: str, new_id: NewId, parts: EventDict) -> EventDict:
    common = _common(payload)
    call_id = as_text(as_mapping(payload.get("input")).get("callID"))
    event_id = tool_event_id(kind, CLIENT, common["session_id"], call_id) if call_id else new_id()
    return make_event(kind, id=event_id, at=now, **common, call_id=call_id, **parts)


def _compacted(payload: Payload, now: str, new_id: NewId) -> list[EventDict]:
    return [make_event("compacted", id=new_id(), at=now, **_common(payload))]


_READERS: dict[str, PayloadReader] = {
    "event:session.created": _created,
    "event:session.deleted": _deleted,
    "event:session.compacted": _compacted,
    "chat.message": _prompted,
    "experimental.text.complete": _spoke,
    "tool.execute.before": _calling,
    "tool.execute.after": _done,
}
