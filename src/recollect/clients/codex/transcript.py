"""
Codex's transcripts: `~/.codex/sessions/YYYY/MM/DD/rollout-….jsonl`, lines of `{timestamp, type, payload}`.

Written from public descriptions; no real file was at hand. A prompt is told twice, for the model and for the
screen.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from recollect.clients.codex.payload import CLIENT, answer_parts, call_parts
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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recollect.events.event_dict import EventDict, Payload

NAME = "codex"
ENDINGS = (".jsonl",)

_KNOWN_ITEMS = frozenset(
    {"reasoning", "web_search_call", "ghost_snapshot", "compaction", "image_generation_call"}
)
# What Codex itself puts before the first prompt.
_PREFACE = (
    "<environment_context>",
    "<user_instructions>",
    "<permissions",
    "# AGENTS.md",
    "<turn_aborted>",
    "<INSTRUCTIONS>",
)
_EXITED = r"(?:Exit code: |Process exited with code |exited with code )(-?\d+)"


def find(home: Path) -> Iterator[Path]:
    """Where Codex keeps them."""
    for folder in ("sessions", "archived_sessions"):
        yield from below(home / ".codex" / folder, "**/rollout-*.jsonl")


def head(path: Path) -> TranscriptHead | None:
    """Whose session a file is."""
    for line in first_lines(path):
        meta = as_mapping(line.get("payload"))
        if line.get("type") == "session_meta" and as_text(meta.get("id")):
            at = as_text(line.get("timestamp")) or as_text(meta.get("timestamp"))
            return TranscriptHead(session_id=meta["id"], folder=as_text(meta.get("cwd")), started_at=at)
    return None


def read(path: Path, reading: TranscriptPass) -> Iterator[EventDict]:
    """The events of a file."""
    session = _CodexSession()
    for line in json_lines(path, reading):
        events = session.events(line, reading)
        if reading.is_new:
            yield from events
    if reading.is_new:
        yield from session.rest()


class _CodexSession:
    """What has to be kept from line to line."""

    def __init__(self) -> None:
        self._id = "unknown"
        self._folder = ""
        self._calls: dict[str, tuple[str, Payload]] = {}
        self._asked: EventDict | None = None
        self._tokens = 0
        self._total = 0

    def events(self, line: EventDict, reading: TranscriptPass) -> list[EventDict]:
        payload, at = as_mapping(line.get("payload")), as_text(line.get("timestamp"))
        if not payload or not at:
            reading.bad += reading.is_new
            return []
        match line.get("type"):
            case "session_meta":
                return self._begun(payload, at)
            case "turn_context":
                self._folder = as_text(payload.get("cwd")) or self._folder
                return []
            case "event_msg":
                return self._message(payload, at)
            case "response_item":
                return self._item(payload, at, reading)
            case "compacted":
                return [self._event("compacted", at, text=as_text(payload.get("message")))]
            case other:
                reading.unknown[str(other)[:40]] += reading.is_new
                return []

    def rest(self) -> list[EventDict]:
        """A prompt that nothing followed."""
        prompt, self._asked = self._asked, None
        return [prompt] if prompt else []

    def _begun(self, meta: Payload, at: str) -> list[EventDict]:
        self._id = as_text(meta.get("id")) or self._id
        self._folder = as_text(meta.get("cwd"))
        branch = as_text(as_mapping(meta.get("git")).get("branch"))
        data = {"source": "transcript", "version": as_text(meta.get("cli_version"))}
        data |= {"branch": branch} if branch else {}
        data |= {"parent": parent} if (parent := _parent(meta)) else {}
        known = derive_id("session_started", CLIENT, self._id)
        return [self._event("session_started", at, known=known, data=data)]

    def _message(self, payload: Payload, at: str) -> list[EventDict]:
        match payload.get("type"):
            case "user_message":
                self._asked = None
                return [self._event("prompt", at, text=as_text(payload.get("message")))]
            case "token_count":
                self._count(as_mapping(payload.get("info")))
            case "turn_aborted":
                marks = {"machine": True, "interrupted": True}
                return [self._event("prompt", at, text="[turn aborted]", data=marks)]
        return []

    def _count(self, info: Payload) -> None:
        total = _spent(as_mapping(info.get("total_token_usage")))
        last = as_mapping(info.get("last_token_usage"))
        self._tokens += _spent(last) if last else max(0, total - self._total)
        self._total = max(total, self._total)

    def _item(self, item: Payload, at: str, reading: TranscriptPass) -> list[EventDict]:
        kind = item.get("type")
        if kind == "message":
            return self._spoken(item, at)
        if kind in ("function_call", "custom_tool_call", "local_shell_call"):
            return [*self.rest(), self._call(item, at)]
        if kind in ("function_call_output", "custom_tool_call_output"):
            return [self._result(item, at)]
        if kind not in _KNOWN_ITEMS:
            reading.unknown[str(kind)[:40]] += reading.is_new
        return []

    def _spoken(self, item: Payload, at: str) -> list[EventDict]:
        text = extract_text(item.get("content"))
        if not text.strip():
            return []
        if item.get("role") == "assistant":
            return [*self.rest(), self._event("assistant_text", at, text=text)]
        if item.get("role") != "user" or text.lstrip().startswith(_PREFACE):
            return []
        before = self.rest()
        self._asked = self._event("prompt", at, text=text)
        return before

    def _call(self, item: Payload, at: str) -> EventDict:
        call_id, tool = as_text(item.get("call_id")), as_text(item.get("name")) or "shell"
        arguments = self._given(item)
        self._calls[call_id] = (tool, arguments)
        known = tool_event_id("tool_called", CLIENT, self._id, call_id)
        return self._event("tool_called", at, known=known, call_id=call_id, **call_parts(tool, arguments))

    def _given(self, item: Payload) -> Payload:
        if item.get("type") == "local_shell_call":
            return as_mapping(item.get("action"))
        if item.get("type") == "custom_tool_call":
            return {"input": as_text(item.get("input"))}
        try:
            return as_mapping(json.loads(as_text(item.get("arguments")) or "{}"))
        except ValueError:
            return {}

    def _result(self, item: Payload, at: str) -> EventDict:
        call_id = as_text(item.get("call_id"))
        tool, arguments = self._calls.pop(call_id, ("", {}))
        output, exit_code, seconds = _answer(item.get("output"))
        parts = answer_parts(tool, arguments, output)
        if exit_code is not None:
            parts |= {"ok": exit_code == 0}
            if parts["action"] == "run":
                parts["exit_code"] = exit_code
        if seconds is not None:
            parts["duration_ms"] = int(seconds * 1000)
        known = tool_event_id("tool_finished", CLIENT, self._id, call_id)
        return self._event("tool_finished", at, known=known, call_id=call_id, **parts)

    def _event(self, kind: str, at: str, *, known: str = "", **parts: Any) -> EventDict:
        event = make_event(
            kind,
            # A fork copies lines with their times and words, under another session.
            id=known or derive_id(kind, CLIENT, at, as_text(parts.get("text"))),
            at=at,
            session_id=self._id,
            client=CLIENT,
            folder=self._folder,
            **parts,
        )
        if self._tokens and kind in ("assistant_text", "tool_called", "tool_finished"):
            event["data"] = event.get("data", {}) | {"tokens": self._tokens}
            self._tokens = 0
        return event


def _parent(meta: Payload) -> str:
    """The session this one was forked from, or whose subagent it is."""
    source = as_mapping(as_mapping(as_mapping(meta.get("source")).get("subagent")).get("thread_spawn"))
    names = (meta.get("forked_from_id"), meta.get("parent_thread_id"), source.get("parent_thread_id"))
    return next((as_text(name) for name in names if as_text(name)), "")


def _spent(usage: Payload) -> int:
    total = as_whole_number(usage.get("total_tokens"))
    if total is None:
        total = (as_whole_number(usage.get("input_tokens")) or 0) + (
            as_whole_number(usage.get("output_tokens")) or 0
        )
    return max(0, total - (as_whole_number(usage.get("cached_input_tokens")) or 0))


def _answer(output: object) -> tuple[str, int | None, float | None]:
    """The text of an answer, its exit code and its seconds: in a field, in JSON as text, or in its first lines."""
    answer = output
    if isinstance(output, str) and output.startswith("{"):
        try:
            answer = json.loads(output)
        except ValueError:
            answer = output
    metadata = as_mapping(as_mapping(answer).get("metadata"))
    text = extract_text(answer)
    code, seconds = as_whole_number(metadata.get("exit_code")), metadata.get("duration_seconds")
    if code is None and (exited := re.search(_EXITED, text[:400])):
        code = int(exited[1])
    return text, code, float(seconds) if isinstance(seconds, int | float) else None
