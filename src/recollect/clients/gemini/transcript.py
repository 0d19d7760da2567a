"""
Gemini CLI's transcripts: `~/.gemini/tmp/PROJECT/chats/session-….json` or `.jsonl`.

Written from public descriptions; no real file was at hand. The older form is one object with all messages,
the newer one a line each, where a message may be written again with more in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from recollect.clients.gemini.payload import CLIENT, answer_parts, without_echo
from recollect.clients.transcript_reader import TranscriptHead, TranscriptPass, below, json_file, json_lines
from recollect.events.event_dict import (
    as_mapping,
    as_text,
    as_whole_number,
    derive_id,
    extract_text,
    make_event,
    tool_event_id,
)
from recollect.events.tool_actions import describe_call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.events.event_dict import EventDict, Payload

NAME = "gemini"
ENDINGS = (".json", ".jsonl")
_KNOWN = frozenset({"info", "error", "warning"})


def find(home: Path) -> Iterator[Path]:
    """Where Gemini CLI keeps them."""
    yield from below(home / ".gemini" / "tmp", "*/chats/session-*.json*")


def head(path: Path) -> TranscriptHead | None:
    """Whose session a file is. The project's folder is told by a file beside the chats, in newer versions."""
    for record in _records(path, TranscriptPass()):
        if as_text(record.get("sessionId")):
            at = as_text(record.get("startTime")) or as_text(record.get("timestamp"))
            folder_hash = as_text(record.get("projectHash")) or path.parent.parent.name
            return TranscriptHead(
                session_id=record["sessionId"], folder=_folder(path), folder_sha256=folder_hash, started_at=at
            )
    return None


def read(path: Path, reading: TranscriptPass) -> Iterator[EventDict]:
    """The events of a file."""
    session_id, folder, started = "unknown", _folder(path), ""
    for record in _records(path, reading):
        if as_text(record.get("sessionId")) and "type" not in record:
            session_id, started = record["sessionId"], as_text(record.get("startTime"))
            yield from _begun(record, session_id, folder)
        messages = record.get("messages")
        for message in messages if isinstance(messages, list) else [record]:
            yield from _message({"timestamp": started, **as_mapping(message)}, session_id, folder, reading)


def _records(path: Path, reading: TranscriptPass) -> Iterator[EventDict]:
    if path.suffix == ".jsonl":
        yield from json_lines(path, reading)
    elif (record := json_file(path, reading)) is not None:
        yield record


def _folder(path: Path) -> str:
    try:
        return (path.parent.parent / ".project_root").read_text("utf-8").strip()
    except (OSError, ValueError):
        return ""


def _begun(record: Payload, session_id: str, folder: str) -> Iterator[EventDict]:
    at = as_text(record.get("startTime"))
    if at:
        yield make_event(
            "session_started",
            id=derive_id("session_started", CLIENT, session_id),
            at=at,
            session_id=session_id,
            client=CLIENT,
            folder=folder,
            data={"source": "transcript"},
        )


def _message(message: Payload, session_id: str, folder: str, reading: TranscriptPass) -> Iterator[EventDict]:
    kind, at = message.get("type"), as_text(message.get("timestamp"))
    common = {"session_id": session_id, "client": CLIENT, "folder": folder}
    if kind not in ("user", "gemini") or not at:
        if kind is not None and kind not in _KNOWN:
            reading.unknown[str(kind)[:40]] += 1
        return
    text, message_id = extract_text(message.get("content")), as_text(message.get("id")) or at
    if kind == "user":
        text = without_echo(text)
    if text.strip():
        name = "prompt" if kind == "user" else "assistant_text"
        data = {"tokens": tokens} if (tokens := _tokens(message)) else {}
        yield make_event(name, id=derive_id(name, CLIENT, message_id), at=at, **common, text=text, data=data)
    calls = message.get("toolCalls")
    for call in map(as_mapping, calls if isinstance(calls, list) else []):
        yield from _call(call, as_text(call.get("timestamp")) or at, common)


def _call(call: Payload, at: str, common: EventDict) -> Iterator[EventDict]:
    call_id, tool, arguments = (
        as_text(call.get("id")),
        as_text(call.get("name")),
        as_mapping(call.get("args")),
    )

    def event(kind: str, parts: EventDict) -> EventDict:
        event_id = tool_event_id(kind, CLIENT, common["session_id"], call_id)
        return make_event(kind, id=event_id, at=at, **common, call_id=call_id, **parts)

    yield event("tool_called", describe_call(tool, arguments))
    if call.get("status") in ("success", "error", "cancelled"):
        response = {"llmContent": _result(call.get("result")), "returnDisplay": call.get("resultDisplay")}
        parts = answer_parts(tool, arguments, response)
        if call["status"] != "success":
            parts |= {"ok": False, "output": parts.get("output") or extract_text(call.get("resultDisplay"))}
            parts["data"] |= {"denied": True} if call["status"] == "cancelled" else {}
        elif parts.get("ok") is None and parts["action"] != "run":
            parts["ok"] = True
        yield event("tool_finished", parts)


def _result(result: object) -> str:
    parts = result if isinstance(result, list) else [result]
    responses = [
        as_mapping(as_mapping(as_mapping(part).get("functionResponse")).get("response")) for part in parts
    ]
    return "\n".join(
        extract_text(response.get("output")) or extract_text(response.get("error")) for response in responses
    )


def _tokens(message: Payload) -> int:
    tokens = as_mapping(message.get("tokens"))
    return max(0, (as_whole_number(tokens.get("total")) or 0) - (as_whole_number(tokens.get("cached")) or 0))
