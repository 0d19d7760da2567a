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
from recollect.clients.transcript_reader import Head, Reading, below, json_file
from recollect.events.event_dict import derived_id, form, mapping, string, tool_event_id, whole
from recollect.events.tool_actions import called

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.events.event_dict import Form, Payload

NAME = "opencode"
ENDINGS = (".json",)
_KNOWN = frozenset(
    "reasoning step-start step-finish snapshot patch file agent retry compaction subtask".split()
)


def find(home: Path) -> Iterator[Path]:
    """Where OpenCode keeps them, on every system."""
    yield from below(home / ".local" / "share" / "opencode" / "storage" / "session", "*/ses_*.json")


def head(path: Path) -> Head | None:
    """Whose session a file is."""
    record = json_file(path, Reading()) or {}
    info = mapping(record.get("info")) or record
    if not string(info.get("id")) or not string(info.get("directory")):
        return None
    at = moment(mapping(info.get("time")).get("created"), "")
    return Head(session_id=info["id"], folder=info["directory"], started_at=at)


def read(path: Path, reading: Reading) -> Iterator[Form]:
    """The events of a session."""
    record = json_file(path, reading)
    if record is None:
        return
    info = mapping(record.get("info")) or record
    session_id = string(info.get("id")) or "unknown"
    common = {"session_id": session_id, "client": CLIENT, "folder": string(info.get("directory"))}
    at = moment(mapping(info.get("time")).get("created"), "")
    if not at:
        reading.bad += 1
        return
    data = {"source": "transcript", "version": string(info.get("version"))}
    data |= {"parent": info["parentID"]} if string(info.get("parentID")) else {}
    known = tool_event_id("session_started", CLIENT, "", session_id)
    yield form("session_started", id=known, at=at, **common, data=data)
    for message, parts in _messages(path, record, session_id, reading):
        yield from _message(message, parts, common, at, reading)


def _messages(
    path: Path, record: Payload, session_id: str, reading: Reading
) -> Iterator[tuple[Payload, list[Payload]]]:
    exported = record.get("messages")
    if isinstance(exported, list):
        for entry in map(mapping, exported):
            parts = entry.get("parts")
            yield (
                mapping(entry.get("info")),
                [mapping(part) for part in (parts if isinstance(parts, list) else [])],
            )
        return
    storage = path.parent.parent.parent
    for file in below(storage / "message" / session_id, "msg_*.json"):
        message = json_file(file, reading)
        if message is not None:
            files = below(storage / "part" / string(message.get("id")), "prt_*.json")
            yield message, [part for part in (json_file(file, reading) for file in files) if part is not None]


def _message(
    message: Payload, parts: list[Payload], common: Form, started: str, reading: Reading
) -> Iterator[Form]:
    at = moment(mapping(message.get("time")).get("created"), started)
    tokens = mapping(message.get("tokens"))
    spent = sum(whole(tokens.get(name)) or 0 for name in ("input", "output", "reasoning"))
    for part in parts:
        kind = part.get("type")
        made: list[Form] = []
        if kind == "text" and not part.get("synthetic") and string(part.get("text")).strip():
            name = "prompt" if message.get("role") == "user" else "assistant_text"
            known = derived_id(name, CLIENT, string(part.get("id")))
            at_part = moment(mapping(part.get("time")).get("start"), at)
            made = [form(name, id=known, at=at_part, **common, text=part["text"])]
        elif kind == "tool":
            made = list(_tool(part, common, at))
        elif kind not in _KNOWN and kind != "text":
            reading.unknown[str(kind)[:40]] += 1
        if made and spent:
            made[0]["data"] = made[0].get("data", {}) | {"tokens": spent}
            spent = 0
        yield from made


def _tool(part: Payload, common: Form, at: str) -> Iterator[Form]:
    state = mapping(part.get("state"))
    call_id, tool, given = string(part.get("callID")), string(part.get("tool")), mapping(state.get("input"))
    time = mapping(state.get("time"))

    def event(kind: str, at: str, parts: Form) -> Form:
        known = tool_event_id(kind, CLIENT, common["session_id"], call_id)
        return form(kind, id=known, at=at, **common, call_id=call_id, **parts)

    yield event("tool_called", moment(time.get("start"), at), called(tool, given))
    ended = moment(time.get("end"), at)
    if state.get("status") == "completed":
        yield event("tool_finished", ended, answer_parts(tool, given, state))
    elif state.get("status") == "error":
        parts = called(tool, given) | {"ok": False, "output": string(state.get("error"))}
        yield event("tool_finished", ended, parts)
