"""
OpenCode's transcripts: `storage/session/PROJECT/SESSION.json` with messages and parts in folders beside it,
or what `opencode export` writes.

Written from public descriptions and captured events; no real file was at hand. Newer versions may keep
sessions in a database, which is not read: export them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from recollect.clients.opencode.payload import CLIENT, answer_parts, moment
from recollect.clients.transcript_reader import TranscriptHead, TranscriptPass, below, json_file
from recollect.events.event_dict import (
    as_mapping,
    as_text,
    as_whole_number,
    derive_id,
    make_event,
    tool_event_id,
)
from recollect.events.tool_actions import describe_call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.events.event_dict import EventDict, Payload

NAME = "opencode"
ENDINGS = (".json",)
_KNOWN = frozenset(
    "reasoning step-start step-finish snapshot patch file agent retry compaction subtask".split()
)


def find(home: Path) -> Iterator[Path]:
    """Where OpenCode keeps them, on every system."""
    yield from below(home / ".local" / "share" / "opencode" / "storage" / "session", "*/ses_*.json")


def head(path: Path) -> TranscriptHead | None:
    """Whose session a file is."""
    record = json_file(path, TranscriptPass()) or {}
    info = as_mapping(record.get("info")) or record
    if not as_text(info.get("id")) or not as_text(info.get("directory")):
        return None
    at = moment(as_mapping(info.get("time")).get("created"), "")
    return TranscriptHead(session_id=info["id"], folder=info["directory"], started_at=at)


def read(path: Path, reading: TranscriptPass) -> Iterator[EventDict]:
    """The events of a session."""
    record = json_file(path, reading)
    if record is None:
        return
    info = as_mapping(record.get("info")) or record
    session_id = as_text(info.get("id")) or "unknown"
    common = {"session_id": session_id, "client": CLIENT, "folder": as_text(info.get("directory"))}
    at = moment(as_mapping(info.get("time")).get("created"), "")
    if not at:
        reading.bad += 1
        return
    data = {"source": "transcript", "version": as_text(info.get("version"))}
    data |= {"parent": info["parentID"]} if as_text(info.get("parentID")) else {}
    event_id = tool_event_id("session_started", CLIENT, "", session_id)
    yield make_event("session_started", id=event_id, at=at, **common, data=data)
    for message, parts in _messages(path, record, session_id, reading):
        yield from _message(message, parts, common, at, reading)


def _messages(
    path: Path, record: Payload, session_id: str, reading: TranscriptPass
) -> Iterator[tuple[Payload, list[Payload]]]:
    exported = record.get("messages")
    if isinstance(exported, list):
        for entry in map(as_mapping, exported):
            parts = entry.get("parts")
            yield (
                as_mapping(entry.get("info")),
                [as_mapping(part) for part in (parts if isinstance(parts, list) else [])],
            )
        return
    storage = path.parent.parent.parent
    for file in below(storage / "message" / session_id, "msg_*.json"):
        message = json_file(file, reading)
        if message is not None:
            files = below(storage / "part" / as_text(message.get("id")), "prt_*.json")
            yield message, [part for part in (json_file(file, reading) for file in files) if part is not None]


def _message(
    message: Payload, parts: list[Payload], common: EventDict, started: str, reading: TranscriptPass
) -> Iterator[EventDict]:
    at = moment(as_mapping(message.get("time")).get("created"), started)
    tokens = as_mapping(message.get("tokens"))
    spent = sum(as_whole_number(tokens.get(name)) or 0 for name in ("input", "output", "reasoning"))
    for part in parts:
        kind = part.get("type")
        events: list[EventDict] = []
        if kind == "text" and not part.get("synthetic") and as_text(part.get("text")).strip():
            name = "prompt" if message.get("role") == "user" else "assistant_text"
            event_id = derive_id(name, CLIENT, as_text(part.get("id")))
            at_part = moment(as_mapping(part.get("time")).get("start"), at)
            events = [make_event(name, id=event_id, at=at_part, **common, text=part["text"])]
        elif kind == "tool":
            events = list(list_tool_events(part, common, at))
        elif kind not in _KNOWN and kind != "text":
            reading.unknown[str(kind)[:40]] += 1
        if events and spent:
            events[0]["data"] = events[0].get("data", {}) | {"tokens": spent}
            spent = 0
        yield from events


def list_tool_events(part: Payload, common: EventDict, at: str) -> Iterator[EventDict]:
    """The beginning and the end of one call."""
    state = as_mapping(part.get("state"))
    call_id, tool, arguments = (
        as_text(part.get("callID")),
        as_text(part.get("tool")),
        as_mapping(state.get("input")),
    )
    time = as_mapping(state.get("time"))

    def event(kind: str, at: str, parts: EventDict) -> EventDict:
        event_id = tool_event_id(kind, CLIENT, common["session_id"], call_id)
        return make_event(kind, id=event_id, at=at, **common, call_id=call_id, **parts)

    yield event("tool_called", moment(time.get("start"), at), describe_call(tool, arguments))
    ended = moment(time.get("end"), at)
    if state.get("status") == "completed":
        yield event("tool_finished", ended, answer_parts(tool, arguments, state))
    elif state.get("status") == "error":
        parts = describe_call(tool, arguments) | {"ok": False, "output": as_text(state.get("error"))}
        yield event("tool_finished", ended, parts)
