"""
Qwen Code's transcripts: `~/.qwen/projects/FOLDER/chats/SESSION.jsonl`.

Seen in files of 0.24.4: a line a message, with the session, the folder and who it is from in every line. What our own
hooks put into a prompt or a tool's answer stands in it too; a prompt's is told apart by the client.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from recollect.clients.qwen_code.payload import CLIENT, failed, finished
from recollect.clients.transcript_reader import TranscriptHead, TranscriptPass, below, json_lines
from recollect.events.event_dict import (
    as_mapping,
    as_text,
    derive_id,
    extract_text,
    make_event,
    tool_event_id,
)
from recollect.events.machine_prompts import is_machine_text
from recollect.events.tool_actions import describe_call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recollect.events.event_dict import EventDict, Payload

NAME = "qwen-code"
ENDINGS = (".jsonl",)
VERIFIED = True
_KNOWN = frozenset({"system"})


def find(home: Path) -> Iterator[Path]:
    """Where Qwen Code keeps them."""
    yield from below(home / ".qwen" / "projects", "*/chats/*.jsonl")


def head(path: Path) -> TranscriptHead | None:
    """Whose session a file is."""
    for record in json_lines(path, TranscriptPass()):
        # Claude Code's lines have these too, but name no provenance.
        if as_text(record.get("sessionId")) and as_text(record.get("provenance")):
            return TranscriptHead(
                session_id=record["sessionId"],
                folder=as_text(record.get("cwd")),
                started_at=as_text(record.get("timestamp")),
            )
    return None


def read(path: Path, reading: TranscriptPass) -> Iterator[EventDict]:
    """The events of a file."""
    calls: dict[str, tuple[str, Payload]] = {}
    begun = ""
    for record in json_lines(path, reading):
        kind, at = as_text(record.get("type")), as_text(record.get("timestamp"))
        reader = _READERS.get(kind)
        if reader is None or not at:
            if kind not in _KNOWN and reading.is_new:
                reading.unknown[kind[:40]] += 1
            continue
        if (session := as_text(record.get("sessionId"))) != begun:
            begun = session
            data = {"source": "transcript", "branch": as_text(record.get("gitBranch"))}
            event_id = derive_id("session_started", CLIENT, session)
            yield make_event("session_started", id=event_id, at=at, **_common(record), data=data)
        yield from reader(record, at, calls)


def _prompt(record: Payload, at: str, calls: dict[str, tuple[str, Payload]]) -> Iterator[EventDict]:
    shown = as_text(as_mapping(record.get("systemPayload")).get("displayText"))
    text = shown or "\n".join(_texts(record))
    if record.get("provenance") == "real_user" and text.strip():
        data = {"machine": True} if is_machine_text(text) else {}
        yield _event("prompt", record, at, text=text, data=data)


def _answer(record: Payload, at: str, calls: dict[str, tuple[str, Payload]]) -> Iterator[EventDict]:
    if text := "\n".join(_texts(record)).strip():
        yield _event("assistant_text", record, at, text=text)
    for part in _parts(record):
        call = as_mapping(part.get("functionCall"))
        call_id, tool = as_text(call.get("id")), as_text(call.get("name"))
        if call_id and tool:
            calls[call_id] = tool, as_mapping(call.get("args"))
            yield _tool_event("tool_called", record, at, call_id, describe_call(*calls[call_id]))


def _result(record: Payload, at: str, calls: dict[str, tuple[str, Payload]]) -> Iterator[EventDict]:
    result = as_mapping(record.get("toolCallResult"))
    call_id = as_text(result.get("callId"))
    if call_id not in calls:
        return
    answers = (
        as_mapping(as_mapping(part.get("functionResponse")).get("response")) for part in _parts(record)
    )
    answer = next(answers, {})
    if result.get("status") == "success":
        response = {
            "llmContent": extract_text(answer.get("output")),
            "returnDisplay": result.get("resultDisplay"),
        }
        parts = finished(*calls[call_id], response)
    else:
        denied = result.get("status") == "cancelled"
        parts = failed(*calls[call_id], extract_text(answer.get("error")), denied=denied)
    yield _tool_event("tool_finished", record, at, call_id, parts)


_READERS = {"user": _prompt, "assistant": _answer, "tool_result": _result}


def _parts(record: Payload) -> list[Payload]:
    parts = as_mapping(record.get("message")).get("parts")
    return [as_mapping(part) for part in parts] if isinstance(parts, list) else []


def _texts(record: Payload) -> list[str]:
    return [as_text(part["text"]) for part in _parts(record) if part.get("text") and not part.get("thought")]


def _common(record: Payload) -> EventDict:
    return {
        "session_id": as_text(record.get("sessionId")) or "unknown",
        "client": CLIENT,
        "folder": as_text(record.get("cwd")),
    }


def _event(kind: str, record: Payload, at: str, **parts: Any) -> EventDict:
    event_id = derive_id(kind, CLIENT, as_text(record.get("uuid")) or at)
    return make_event(kind, id=event_id, at=at, **_common(record), **parts)


def _tool_event(kind: str, record: Payload, at: str, call_id: str, parts: EventDict) -> EventDict:
    common = _common(record)
    event_id = tool_event_id(kind, CLIENT, common["session_id"], call_id)
    return make_event(kind, id=event_id, at=at, **common, call_id=call_id, **parts)
