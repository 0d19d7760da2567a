"""
Claude Code's transcripts: `~/.claude/projects/FOLDER/SESSION.jsonl`, subagents beside them.

Tried on real files of 2.0 and 2.1. A resumed or forked session copies the lines before it with their ids, so
ids are made of those. Subagents' lines stand in files of their own, in the same file (`isSidechain`), or
inside progress lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from recollect.clients.claude_code.payload import CLIENT, failed, finished
from recollect.clients.transcript_reader import TranscriptHead, TranscriptPass, below, first_lines, json_lines
from recollect.events.event_dict import (
    as_mapping,
    as_text,
    as_whole_number,
    derive_id,
    extract_text,
    make_event,
    tool_event_id,
)
from recollect.events.machine_prompts import is_interrupt, is_machine_text
from recollect.events.tool_actions import describe_call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.events.event_dict import EventDict, Payload

NAME = "claude-code"
ENDINGS = (".jsonl",)
VERIFIED = True

# Copies of files, and lines of a screen: nothing an agent did, and half of the bytes.
_COPIES = (b'{"type":"file-history-snapshot"', b'{"type":"file-history-delta"')
_SCREEN = (
    b'"data":{"type":"bash_progress"',
    b'"data":{"type":"hook_progress"',
    b'"data":{"type":"mcp_progress"',
)
_KNOWN = frozenset(
    "summary file-history-snapshot file-history-delta queue-operation custom-title tag agent-name agent-color "
    "agent-setting mode permission-mode last-prompt ai-title pr-link attribution-snapshot attachment "
    "content-replacement worktree-state marble-origami-commit marble-origami-snapshot saved_hook_context "
    "speculation-accept started result".split()
)
_COMMAND = r"<command-name>\s*(/?[^<\s]+)\s*</command-name>"
_ARGUMENTS = r"<command-args>(.*?)</command-args>"
_SUMMARY = "This session is being continued from a previous conversation"


def find(home: Path) -> Iterator[Path]:
    """Where Claude Code keeps them."""
    yield from below(home / ".claude" / "projects", "**/*.jsonl")


def head(path: Path) -> TranscriptHead | None:
    """Whose session a file is."""
    for line in first_lines(path):
        if as_text(line.get("sessionId")) and as_text(line.get("cwd")) and as_text(line.get("timestamp")):
            return TranscriptHead(
                session_id=line["sessionId"], folder=line["cwd"], started_at=line["timestamp"]
            )
    return None


def read(path: Path, reading: TranscriptPass) -> Iterator[EventDict]:
    """The events of a file."""
    session = TranscriptLines()
    for line in json_lines(path, reading, _says_nothing):
        events = session.events(line, reading)
        if reading.is_new:
            yield from events


def _says_nothing(line: bytes) -> bool:
    if line.startswith(_COPIES):
        return True
    beginning = line[:700]
    return b'"type":"progress"' in beginning and any(mark in beginning for mark in _SCREEN)


class TranscriptLines:
    """Lines become events one by one. Kept from line to line: open calls, the branch, tokens not yet told."""

    def __init__(self) -> None:
        self._calls: dict[str, tuple[str, Payload]] = {}
        self._counted: dict[str, int] = {}
        self._tokens = 0
        self._branch = ""
        self._started: set[str] = set()

    def events(self, line: EventDict, reading: TranscriptPass) -> list[EventDict]:
        """What one line tells."""
        kind = line.get("type")
        if kind == "progress":
            return self._progress(line)
        if kind == "system":
            return _system(line)
        if kind not in ("user", "assistant"):
            if kind not in _KNOWN and reading.is_new:
                reading.unknown[str(kind)[:40]] += 1
            return []
        if not as_text(line.get("timestamp")) or not as_text(line.get("sessionId")):
            reading.bad += reading.is_new
            return []
        begun = self._begun(line)
        events = self._assistant(line) if kind == "assistant" else self._user(line)
        return [*begun, *events]

    def _begun(self, line: EventDict) -> list[EventDict]:
        session_id = line["sessionId"]
        if session_id in self._started or line.get("isSidechain"):
            return []
        self._started.add(session_id)
        self._branch = as_text(line.get("gitBranch"))
        data = {"source": "transcript", "branch": self._branch, "version": as_text(line.get("version"))}
        event_id = derive_id("session_started", CLIENT, session_id)
        return [make_event("session_started", id=event_id, **_common(line), data=data)]

    def _progress(self, line: EventDict) -> list[EventDict]:
        data = as_mapping(line.get("data"))
        inner = as_mapping(data.get("message"))
        if data.get("type") != "agent_progress" or inner.get("type") not in ("user", "assistant"):
            return []
        nested = {**line, **inner, "agentId": data.get("agentId"), "isSidechain": True}
        return self._assistant(nested) if inner["type"] == "assistant" else self._user(nested)

    def _assistant(self, line: EventDict) -> list[EventDict]:
        message = as_mapping(line.get("message"))
        self._count(as_text(message.get("id")), as_mapping(message.get("usage")))
        events: list[EventDict] = []
        blocks = message.get("content")
        for number, block in enumerate(map(as_mapping, blocks if isinstance(blocks, list) else [])):
            if block.get("type") == "text" and as_text(block.get("text")).strip():
                event_id = derive_id("assistant_text", CLIENT, as_text(line.get("uuid")), str(number))
                events.append(make_event("assistant_text", id=event_id, **_common(line), text=block["text"]))
            elif block.get("type") == "tool_use":
                events.append(self._call(line, block))
        if events and self._tokens:
            events[0]["data"] = events[0].get("data", {}) | {"tokens": self._tokens}
            self._tokens = 0
        return events

    def _count(self, message_id: str, usage: Payload) -> None:
        # Every line of a message repeats its usage, and the output grows with them.
        names = ("input_tokens", "cache_creation_input_tokens", "output_tokens")
        total = sum(as_whole_number(usage.get(name)) or 0 for name in names)
        self._tokens += max(0, total - self._counted.get(message_id, 0))
        self._counted[message_id] = max(total, self._counted.get(message_id, 0))

    def _call(self, line: EventDict, block: Payload) -> EventDict:
        call_id, tool, arguments = (
            as_text(block.get("id")),
            as_text(block.get("name")),
            as_mapping(block.get("input")),
        )
        self._calls[call_id] = (tool, arguments)
        return _tool_event("tool_called", line, call_id, describe_call(tool, arguments))

    def _user(self, line: EventDict) -> list[EventDict]:
        content = as_mapping(line.get("message")).get("content")
        if isinstance(content, str):
            return self._prompt(line, content, 0)
        blocks = [as_mapping(block) for block in content] if isinstance(content, list) else []
        results = [block for block in blocks if block.get("type") == "tool_result"]
        events = [self._result(line, block, alone=len(results) == 1) for block in results]
        for number, block in enumerate(blocks):
            if block.get("type") == "text":
                events += self._prompt(line, as_text(block.get("text")), number)
        return events

    def _result(self, line: EventDict, block: Payload, *, alone: bool) -> EventDict:
        call_id = as_text(block.get("tool_use_id"))
        tool, arguments = self._calls.pop(call_id, ("", {}))
        if block.get("is_error"):
            parts = failed(tool, arguments, extract_text(block.get("content")))
        else:
            answer = line.get("toolUseResult") if alone else None
            parts = finished(tool, arguments, answer if isinstance(answer, dict) else block.get("content"))
            if isinstance(answer, dict):
                parts["duration_ms"] = as_whole_number(
                    answer.get("durationMs") or answer.get("totalDurationMs")
                )
        return _tool_event("tool_finished", line, call_id, parts)

    def _prompt(self, line: EventDict, text: str, number: int) -> list[EventDict]:
        if not text.strip():
            return []
        uuid = as_text(line.get("uuid"))
        if line.get("isCompactSummary") or text.startswith(_SUMMARY):
            return [
                make_event("compacted", id=derive_id("compacted", CLIENT, uuid), **_common(line), text=text)
            ]
        data: EventDict = {}
        branch = as_text(line.get("gitBranch"))
        if branch and branch != self._branch and not line.get("isSidechain"):
            self._branch = data["branch"] = branch
        text, marks = _read_prompt(text, is_meta=bool(line.get("isMeta")) or bool(line.get("isSidechain")))
        event_id = derive_id("prompt", CLIENT, uuid, str(number))
        return [make_event("prompt", id=event_id, **_common(line), text=text, data=data | marks)]


def _read_prompt(text: str, *, is_meta: bool) -> tuple[str, EventDict]:
    """A prompt as it was typed, and its marks."""
    if command := re.search(_COMMAND, text):
        arguments = re.search(_ARGUMENTS, text, re.DOTALL)
        name = command[1] if command[1].startswith("/") else f"/{command[1]}"
        return f"{name} {arguments[1].strip() if arguments else ''}".strip(), {}
    if is_interrupt(text):
        return text, {"machine": True, "interrupted": True}
    return text, {"machine": True} if is_meta or is_machine_text(text) else {}


def _system(line: EventDict) -> list[EventDict]:
    if line.get("subtype") != "compact_boundary" or not as_text(line.get("timestamp")):
        return []
    data = {"trigger": as_text(as_mapping(line.get("compactMetadata")).get("trigger")), "boundary": True}
    event_id = derive_id("compacted", CLIENT, as_text(line.get("uuid")))
    return [make_event("compacted", id=event_id, **_common(line), data=data)]


def _common(line: EventDict) -> EventDict:
    agent = as_text(line.get("agentId")) or ("sidechain" if line.get("isSidechain") else "")
    return {
        "at": line["timestamp"],
        "session_id": as_text(line.get("sessionId")) or "unknown",
        "client": CLIENT,
        "folder": as_text(line.get("cwd")),
        "agent": agent,
    }


def _tool_event(kind: str, line: EventDict, call_id: str, parts: EventDict) -> EventDict:
    common = _common(line)
    event_id = tool_event_id(kind, CLIENT, common["session_id"], call_id)
    return make_event(kind, id=event_id, **common, call_id=call_id, **parts)
