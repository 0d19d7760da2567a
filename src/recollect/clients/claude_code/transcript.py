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
from recollect.clients.transcript_reader import Head, Reading, below, first_lines, json_lines
from recollect.events.event_dict import derived_id, form, mapping, string, text_of, tool_event_id, whole
from recollect.events.machine_prompts import is_interrupt, is_machine_text
from recollect.events.tool_actions import called

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.events.event_dict import Form, Payload

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


def head(path: Path) -> Head | None:
    """Whose session a file is."""
    for line in first_lines(path):
        if string(line.get("sessionId")) and string(line.get("cwd")) and string(line.get("timestamp")):
            return Head(session_id=line["sessionId"], folder=line["cwd"], started_at=line["timestamp"])
    return None


def read(path: Path, reading: Reading) -> Iterator[Form]:
    """The events of a file."""
    session = _Session()
    for line in json_lines(path, reading, _says_nothing):
        found = session.events(line, reading)
        if reading.is_new:
            yield from found


def _says_nothing(line: bytes) -> bool:
    if line.startswith(_COPIES):
        return True
    beginning = line[:700]
    return b'"type":"progress"' in beginning and any(mark in beginning for mark in _SCREEN)


class _Session:
    """What has to be kept from line to line: open calls, the branch, tokens not yet told."""

    def __init__(self) -> None:
        self._calls: dict[str, tuple[str, Payload]] = {}
        self._counted: dict[str, int] = {}
        self._tokens = 0
        self._branch = ""
        self._started: set[str] = set()

    def events(self, line: Form, reading: Reading) -> list[Form]:
        kind = line.get("type")
        if kind == "progress":
            return self._progress(line)
        if kind == "system":
            return _system(line)
        if kind not in ("user", "assistant"):
            if kind not in _KNOWN and reading.is_new:
                reading.unknown[str(kind)[:40]] += 1
            return []
        if not string(line.get("timestamp")) or not string(line.get("sessionId")):
            reading.bad += reading.is_new
            return []
        begun = self._begun(line)
        told = self._assistant(line) if kind == "assistant" else self._user(line)
        return [*begun, *told]

    def _begun(self, line: Form) -> list[Form]:
        session_id = line["sessionId"]
        if session_id in self._started or line.get("isSidechain"):
            return []
        self._started.add(session_id)
        self._branch = string(line.get("gitBranch"))
        data = {"source": "transcript", "branch": self._branch, "version": string(line.get("version"))}
        known = derived_id("session_started", CLIENT, session_id)
        return [form("session_started", id=known, **_common(line), data=data)]

    def _progress(self, line: Form) -> list[Form]:
        data = mapping(line.get("data"))
        inner = mapping(data.get("message"))
        if data.get("type") != "agent_progress" or inner.get("type") not in ("user", "assistant"):
            return []
        nested = {**line, **inner, "agentId": data.get("agentId"), "isSidechain": True}
        return self._assistant(nested) if inner["type"] == "assistant" else self._user(nested)

    def _assistant(self, line: Form) -> list[Form]:
        message = mapping(line.get("message"))
        self._count(string(message.get("id")), mapping(message.get("usage")))
        told: list[Form] = []
        blocks = message.get("content")
        for number, block in enumerate(map(mapping, blocks if isinstance(blocks, list) else [])):
            if block.get("type") == "text" and string(block.get("text")).strip():
                known = derived_id("assistant_text", CLIENT, string(line.get("uuid")), str(number))
                told.append(form("assistant_text", id=known, **_common(line), text=block["text"]))
            elif block.get("type") == "tool_use":
                told.append(self._call(line, block))
        if told and self._tokens:
            told[0]["data"] = told[0].get("data", {}) | {"tokens": self._tokens}
            self._tokens = 0
        return told

    def _count(self, message_id: str, usage: Payload) -> None:
        # Every line of a message repeats its usage, and the output grows with them.
        names = ("input_tokens", "cache_creation_input_tokens", "output_tokens")
        total = sum(whole(usage.get(name)) or 0 for name in names)
        self._tokens += max(0, total - self._counted.get(message_id, 0))
        self._counted[message_id] = max(total, self._counted.get(message_id, 0))

    def _call(self, line: Form, block: Payload) -> Form:
        call_id, tool, given = string(block.get("id")), string(block.get("name")), mapping(block.get("input"))
        self._calls[call_id] = (tool, given)
        return _tool_event("tool_called", line, call_id, called(tool, given))

    def _user(self, line: Form) -> list[Form]:
        content = mapping(line.get("message")).get("content")
        if isinstance(content, str):
            return self._prompt(line, content, 0)
        blocks = [mapping(block) for block in content] if isinstance(content, list) else []
        results = [block for block in blocks if block.get("type") == "tool_result"]
        told = [self._result(line, block, alone=len(results) == 1) for block in results]
        for number, block in enumerate(blocks):
            if block.get("type") == "text":
                told += self._prompt(line, string(block.get("text")), number)
        return told

    def _result(self, line: Form, block: Payload, *, alone: bool) -> Form:
        call_id = string(block.get("tool_use_id"))
        tool, given = self._calls.pop(call_id, ("", {}))
        if block.get("is_error"):
            parts = failed(tool, given, text_of(block.get("content")))
        else:
            answer = line.get("toolUseResult") if alone else None
            parts = finished(tool, given, answer if isinstance(answer, dict) else block.get("content"))
            if isinstance(answer, dict):
                parts["duration_ms"] = whole(answer.get("durationMs") or answer.get("totalDurationMs"))
        return _tool_event("tool_finished", line, call_id, parts)

    def _prompt(self, line: Form, text: str, number: int) -> list[Form]:
        if not text.strip():
            return []
        uuid = string(line.get("uuid"))
        if line.get("isCompactSummary") or text.startswith(_SUMMARY):
            return [form("compacted", id=derived_id("compacted", CLIENT, uuid), **_common(line), text=text)]
        data: Form = {}
        branch = string(line.get("gitBranch"))
        if branch and branch != self._branch and not line.get("isSidechain"):
            self._branch = data["branch"] = branch
        text, marks = _read_prompt(text, is_meta=bool(line.get("isMeta")) or bool(line.get("isSidechain")))
        known = derived_id("prompt", CLIENT, uuid, str(number))
        return [form("prompt", id=known, **_common(line), text=text, data=data | marks)]


def _read_prompt(text: str, *, is_meta: bool) -> tuple[str, Form]:
    """A prompt as it was typed, and its marks."""
    if command := re.search(_COMMAND, text):
        arguments = re.search(_ARGUMENTS, text, re.DOTALL)
        name = command[1] if command[1].startswith("/") else f"/{command[1]}"
        return f"{name} {arguments[1].strip() if arguments else ''}".strip(), {}
    if is_interrupt(text):
        return text, {"machine": True, "interrupted": True}
    return text, {"machine": True} if is_meta or is_machine_text(text) else {}


def _system(line: Form) -> list[Form]:
    if line.get("subtype") != "compact_boundary" or not string(line.get("timestamp")):
        return []
    data = {"trigger": string(mapping(line.get("compactMetadata")).get("trigger")), "boundary": True}
    known = derived_id("compacted", CLIENT, string(line.get("uuid")))
    return [form("compacted", id=known, **_common(line), data=data)]


def _common(line: Form) -> Form:
    agent = string(line.get("agentId")) or ("sidechain" if line.get("isSidechain") else "")
    return {
        "at": line["timestamp"],
        "session_id": string(line.get("sessionId")) or "unknown",
        "client": CLIENT,
        "folder": string(line.get("cwd")),
        "agent": agent,
    }


def _tool_event(kind: str, line: Form, call_id: str, parts: Form) -> Form:
    common = _common(line)
    known = tool_event_id(kind, CLIENT, common["session_id"], call_id)
    return form(kind, id=known, **common, call_id=call_id, **parts)
