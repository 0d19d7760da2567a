"""
Gemini CLI's transcripts: `~/.gemini/tmp/PROJECT/chats/session-….json` or `.jsonl`.

Written from public descriptions; no real file was at hand. The older form is one object with all messages,
the newer one a line each, where a message may be written again with more in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from recollect.clients.gemini.payload import CLIENT, answer_parts, without_echo
from recollect.clients.transcript_reader import Head, Reading, below, json_file, json_lines
from recollect.events.event_dict import derived_id, form, mapping, string, text_of, tool_event_id, whole
from recollect.events.tool_actions import called

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.events.event_dict import Form, Payload

NAME = "gemini"
ENDINGS = (".json", ".jsonl")
_KNOWN = frozenset({"info", "error", "warning"})


def find(home: Path) -> Iterator[Path]:
    """Where Gemini CLI keeps them."""
    yield from below(home / ".gemini" / "tmp", "*/chats/session-*.json*")


def head(path: Path) -> Head | None:
    """Whose session a file is. The project's folder is told by a file beside the chats, in newer versions."""
    for record in _records(path, Reading()):
        if string(record.get("sessionId")):
            at = string(record.get("startTime")) or string(record.get("timestamp"))
            told = string(record.get("projectHash")) or path.parent.parent.name
            return Head(
                session_id=record["sessionId"], folder=_folder(path), folder_sha256=told, started_at=at
            )
    return None


def read(path: Path, reading: Reading) -> Iterator[Form]:
    """The events of a file."""
    session_id, folder, started = "unknown", _folder(path), ""
    for record in _records(path, reading):
        if string(record.get("sessionId")) and "type" not in record:
            session_id, started = record["sessionId"], string(record.get("startTime"))
            yield from _begun(record, session_id, folder)
        messages = record.get("messages")
        for message in messages if isinstance(messages, list) else [record]:
            yield from _message({"timestamp": started, **mapping(message)}, session_id, folder, reading)


def _records(path: Path, reading: Reading) -> Iterator[Form]:
    if path.suffix == ".jsonl":
        yield from json_lines(path, reading)
    elif (record := json_file(path, reading)) is not None:
        yield record


def _folder(path: Path) -> str:
    try:
        return (path.parent.parent / ".project_root").read_text("utf-8").strip()
    except (OSError, ValueError):
        return ""


def _begun(record: Payload, session_id: str, folder: str) -> Iterator[Form]:
    at = string(record.get("startTime"))
    if at:
        yield form(
            "session_started",
            id=derived_id("session_started", CLIENT, session_id),
            at=at,
            session_id=session_id,
            client=CLIENT,
            folder=folder,
            data={"source": "transcript"},
        )


def _message(message: Payload, session_id: str, folder: str, reading: Reading) -> Iterator[Form]:
    kind, at = message.get("type"), string(message.get("timestamp"))
    common = {"session_id": session_id, "client": CLIENT, "folder": folder}
    if kind not in ("user", "gemini") or not at:
        if kind is not None and kind not in _KNOWN:
            reading.unknown[str(kind)[:40]] += 1
        return
    text, message_id = text_of(message.get("content")), string(message.get("id")) or at
    if kind == "user":
        text = without_echo(text)
    if text.strip():
        name = "prompt" if kind == "user" else "assistant_text"
        data = {"tokens": tokens} if (tokens := _tokens(message)) else {}
        yield form(name, id=derived_id(name, CLIENT, message_id), at=at, **common, text=text, data=data)
    calls = message.get("toolCalls")
    for call in map(mapping, calls if isinstance(calls, list) else []):
        yield from _call(call, string(call.get("timestamp")) or at, common)


def _call(call: Payload, at: str, common: Form) -> Iterator[Form]:
    call_id, tool, given = string(call.get("id")), string(call.get("name")), mapping(call.get("args"))

    def event(kind: str, parts: Form) -> Form:
        known = tool_event_id(kind, CLIENT, common["session_id"], call_id)
        return form(kind, id=known, at=at, **common, call_id=call_id, **parts)

    yield event("tool_called", called(tool, given))
    if call.get("status") in ("success", "error", "cancelled"):
        response = {"llmContent": _result(call.get("result")), "returnDisplay": call.get("resultDisplay")}
        parts = answer_parts(tool, given, response)
        if call["status"] != "success":
            parts |= {"ok": False, "output": parts.get("output") or text_of(call.get("resultDisplay"))}
            parts["data"] |= {"denied": True} if call["status"] == "cancelled" else {}
        elif parts.get("ok") is None and parts["action"] != "run":
            parts["ok"] = True
        yield event("tool_finished", parts)


def _result(result: object) -> str:
    parts = result if isinstance(result, list) else [result]
    responses = [mapping(mapping(mapping(part).get("functionResponse")).get("response")) for part in parts]
    return "\n".join(
        text_of(response.get("output")) or text_of(response.get("error")) for response in responses
    )


def _tokens(message: Payload) -> int:
    tokens = mapping(message.get("tokens"))
    return max(0, (whole(tokens.get("total")) or 0) - (whole(tokens.get("cached")) or 0))
