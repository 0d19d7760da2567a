"""
Gemini CLI's hook payloads.

Seen by running 0.61.0. Calls carry no id, so a finish is matched by what was called. What we put into a
session comes back inside the prompt, as `<hook_context>`, and is taken out. A failed command is told by `Exit
Code:` in its text.
"""

from __future__ import annotations

import re

from recollect.clients.payload_reader import read_by_event
from recollect.events.edits import describe_diff, describe_written_file
from recollect.events.event_dict import as_mapping, as_text, extract_text, make_event
from recollect.events.keywords import extract_keywords
from recollect.events.tool_actions import SILENT, describe_call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.clients.payload_reader import PayloadReader
    from recollect.events.event_dict import EventDict, NewId, Payload

CLIENT = "gemini"
# PreCompress fires before every turn, whether or not anything is compressed.
_NOTHING = frozenset({"BeforeModel", "AfterModel", "BeforeToolSelection", "PreCompress", "Notification"})
_ECHO = r"<hook_context>.*?</hook_context>\s*"
_EXIT = r"^Exit Code: (-?\d+)\s*$"
_WRAPPING = r"\A\s*<untrusted_context>\n?|\n?</untrusted_context>\s*\Z"


def read_payload(payload: Payload, now: str, new_id: NewId) -> list[EventDict]:
    """What one payload tells."""
    name = as_text(payload.get("hook_event_name"))
    at = as_text(payload.get("timestamp")) or now
    return read_by_event(_READERS, name, payload, at, new_id, nothing=_NOTHING, common=_common)


def without_echo(prompt: str) -> str:
    """A prompt without what a hook put in front of it."""
    return re.sub(_ECHO, "", prompt, flags=re.DOTALL).strip() if "<hook_context>" in prompt else prompt


def answer_parts(tool: str, arguments: Payload, response: Payload) -> EventDict:
    """The parts of an event that a call and its answer tell together."""
    parts = describe_call(tool, arguments)
    text = re.sub(_WRAPPING, "", extract_text(response.get("llmContent")))
    shown = as_mapping(response.get("returnDisplay"))
    data: EventDict = dict(parts["data"])
    if parts["action"] in ("edit", "create"):
        if shown.get("isNewFile"):
            parts["action"] = "create"
        if edit := _edit(parts["files"], shown):
            data["edits"] = [edit]
            parts["ok"] = True
    if response.get("error"):
        parts["ok"] = False
    else:
        data |= extract_keywords(parts["action"], arguments, text)
    if parts["action"] == "run" and (exit_line := re.search(_EXIT, text, re.MULTILINE)):
        parts |= {"exit_code": int(exit_line[1]), "ok": exit_line[1] == "0"}
    if parts["action"] not in SILENT or parts.get("ok") is False:
        parts["output"] = text
    return parts | {"data": data}


def _edit(files: list[str], shown: Payload) -> EventDict | None:
    file = as_text(shown.get("filePath")) or (files[0] if files else "")
    before, after = shown.get("originalContent"), shown.get("newContent")
    if not file:
        return None
    if isinstance(after, str):
        edit = describe_written_file(file, before if isinstance(before, str) and before else None, after)
        diff = as_text(shown.get("fileDiff"))
        return edit | {k: v for k, v in describe_diff(file, diff).items() if k != "file"} if diff else edit
    return None


def _common(payload: Payload) -> EventDict:
    return {
        "session_id": as_text(payload.get("session_id")) or "unknown",
        "folder": as_text(payload.get("cwd")),
        "client": CLIENT,
    }


def _started(payload: Payload, at: str, new_id: NewId) -> list[EventDict]:
    data = {"source": payload["source"]} if payload.get("source") else {}
    return [make_event("session_started", id=new_id(), at=at, **_common(payload), data=data)]


def _ended(payload: Payload, at: str, new_id: NewId) -> list[EventDict]:
    data = {"reason": payload["reason"]} if payload.get("reason") else {}
    return [make_event("session_ended", id=new_id(), at=at, **_common(payload), data=data)]


def _prompted(payload: Payload, at: str, new_id: NewId) -> list[EventDict]:
    return [
        make_event(
            "prompt",
            id=new_id(),
            at=at,
            **_common(payload),
            text=without_echo(as_text(payload.get("prompt"))),
        )
    ]


def _answered(payload: Payload, at: str, new_id: NewId) -> list[EventDict]:
    text = as_text(payload.get("prompt_response"))
    data = {"turn_ended": True}
    return (
        [make_event("assistant_text", id=new_id(), at=at, **_common(payload), text=text, data=data)]
        if text
        else []
    )


def _calling(payload: Payload, at: str, new_id: NewId) -> list[EventDict]:
    parts = describe_call(as_text(payload.get("tool_name")), as_mapping(payload.get("tool_input")))
    return [make_event("tool_called", id=new_id(), at=at, **_common(payload), **parts)]


def _done(payload: Payload, at: str, new_id: NewId) -> list[EventDict]:
    tool, arguments = as_text(payload.get("tool_name")), as_mapping(payload.get("tool_input"))
    parts = answer_parts(tool, arguments, as_mapping(payload.get("tool_response")))
    return [make_event("tool_finished", id=new_id(), at=at, **_common(payload), **parts)]


_READERS: dict[str, PayloadReader] = {
    "SessionStart": _started,
    "SessionEnd": _ended,
    "BeforeAgent": _prompted,
    "AfterAgent": _answered,
    "BeforeTool": _calling,
    "AfterTool": _done,
}
