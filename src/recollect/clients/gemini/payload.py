"""
Gemini CLI's hook payloads.

Seen by running 0.61.0. Calls carry no id, so a finish is matched by what was called. What we put into a
session comes back inside the prompt, as `<hook_context>`, and is taken out. A failed command is told by `Exit
Code:` in its text.
"""

from __future__ import annotations

import re

from recollect.clients.payload_reader import told_by
from recollect.events.edits import in_diff, written
from recollect.events.event_dict import form, mapping, string, text_of
from recollect.events.keywords import gist_of
from recollect.events.tool_actions import SILENT, called

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.clients.payload_reader import Teller
    from recollect.events.event_dict import Form, NewId, Payload

CLIENT = "gemini"
# PreCompress fires before every turn, whether or not anything is compressed.
_NOTHING = frozenset({"BeforeModel", "AfterModel", "BeforeToolSelection", "PreCompress", "Notification"})
_ECHO = r"<hook_context>.*?</hook_context>\s*"
_EXIT = r"^Exit Code: (-?\d+)\s*$"
_WRAPPING = r"\A\s*<untrusted_context>\n?|\n?</untrusted_context>\s*\Z"


def events(payload: Payload, now: str, new_id: NewId) -> list[Form]:
    """What one payload tells."""
    name = string(payload.get("hook_event_name"))
    at = string(payload.get("timestamp")) or now
    return told_by(_TOLD, name, payload, at, new_id, nothing=_NOTHING, common=_common)


def without_echo(prompt: str) -> str:
    """A prompt without what a hook put in front of it."""
    return re.sub(_ECHO, "", prompt, flags=re.DOTALL).strip() if "<hook_context>" in prompt else prompt


def answer_parts(tool: str, given: Payload, response: Payload) -> Form:
    """The parts of an event that a call and its answer tell together."""
    parts = called(tool, given)
    text = re.sub(_WRAPPING, "", text_of(response.get("llmContent")))
    shown = mapping(response.get("returnDisplay"))
    data: Form = dict(parts["data"])
    if parts["action"] in ("edit", "create"):
        if shown.get("isNewFile"):
            parts["action"] = "create"
        if edit := _edit(parts["files"], shown):
            data["edits"] = [edit]
            parts["ok"] = True
    if response.get("error"):
        parts["ok"] = False
    else:
        data |= gist_of(parts["action"], given, text)
    if parts["action"] == "run" and (exit_line := re.search(_EXIT, text, re.MULTILINE)):
        parts |= {"exit_code": int(exit_line[1]), "ok": exit_line[1] == "0"}
    if parts["action"] not in SILENT or parts.get("ok") is False:
        parts["output"] = text
    return parts | {"data": data}


def _edit(files: list[str], shown: Payload) -> Form | None:
    file = string(shown.get("filePath")) or (files[0] if files else "")
    before, after = shown.get("originalContent"), shown.get("newContent")
    if not file:
        return None
    if isinstance(after, str):
        edit = written(file, before if isinstance(before, str) and before else None, after)
        diff = string(shown.get("fileDiff"))
        return edit | {k: v for k, v in in_diff(file, diff).items() if k != "file"} if diff else edit
    return None


def _common(payload: Payload) -> Form:
    return {
        "session_id": string(payload.get("session_id")) or "unknown",
        "folder": string(payload.get("cwd")),
        "client": CLIENT,
    }


def _started(payload: Payload, at: str, new_id: NewId) -> list[Form]:
    data = {"source": payload["source"]} if payload.get("source") else {}
    return [form("session_started", id=new_id(), at=at, **_common(payload), data=data)]


def _ended(payload: Payload, at: str, new_id: NewId) -> list[Form]:
    data = {"reason": payload["reason"]} if payload.get("reason") else {}
    return [form("session_ended", id=new_id(), at=at, **_common(payload), data=data)]


def _prompted(payload: Payload, at: str, new_id: NewId) -> list[Form]:
    return [
        form(
            "prompt", id=new_id(), at=at, **_common(payload), text=without_echo(string(payload.get("prompt")))
        )
    ]


def _answered(payload: Payload, at: str, new_id: NewId) -> list[Form]:
    text = string(payload.get("prompt_response"))
    data = {"turn_ended": True}
    return (
        [form("assistant_text", id=new_id(), at=at, **_common(payload), text=text, data=data)] if text else []
    )


def _calling(payload: Payload, at: str, new_id: NewId) -> list[Form]:
    parts = called(string(payload.get("tool_name")), mapping(payload.get("tool_input")))
    return [form("tool_called", id=new_id(), at=at, **_common(payload), **parts)]


def _done(payload: Payload, at: str, new_id: NewId) -> list[Form]:
    tool, given = string(payload.get("tool_name")), mapping(payload.get("tool_input"))
    parts = answer_parts(tool, given, mapping(payload.get("tool_response")))
    return [form("tool_finished", id=new_id(), at=at, **_common(payload), **parts)]


_TOLD: dict[str, Teller] = {
    "SessionStart": _started,
    "SessionEnd": _ended,
    "BeforeAgent": _prompted,
    "AfterAgent": _answered,
    "BeforeTool": _calling,
    "AfterTool": _done,
}
