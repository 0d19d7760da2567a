"""
Stream readers, one for each client's JSON lines: what the agent itself said, what it read, and what the run cost.

Who speaks is told by the client's own fields, never by the words. Lines that only hold what was read are kept as bytes
and taken apart when a memory has to be compared with them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from recollect.model.value import dataclass, replace

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentText:
    """Words of the agent itself: one block of a message, and where its line begins in the stream."""

    position: int
    text: str
    block: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadLine:
    """A line with what a tool, a subagent or a person gave to the agent."""

    line: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFigures:
    """What a run tells of itself. `structured` is the output that follows a schema, if the client has it."""

    model: str = ""
    agent_session: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float | None = None
    turns: int = 0
    result: str = ""
    error: str = ""
    structured: Json | None = None
    structured_position: int = 0


StreamPart = AgentText | ReadLine


class StreamReader:
    """Reads the lines of one run. `figures` is what is known of the run so far."""

    def __init__(self) -> None:
        self.figures = RunFigures()
        # Lines that are no JSON of this client: a banner, a warning, half a line after a kill.
        self.strange = 0

    def read(self, position: int, line: bytes) -> Iterator[StreamPart]:
        """What one line holds."""
        if line.startswith(self._passed_over):
            return
        if line.startswith(self._read_by_agent):
            yield ReadLine(line=line)
            return
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            self.strange += 1
            return
        if isinstance(value, dict):
            yield from self._take(position, line, value)

    def finish(self) -> Iterator[StreamPart]:
        """What was held back until more came."""
        return iter(())

    # How lines begin that need not be taken apart, and those that hold only what was read.
    _passed_over: tuple[bytes, ...] = ()
    _read_by_agent: tuple[bytes, ...] = ()

    def _take(self, position: int, line: bytes, value: Json) -> Iterator[StreamPart]:
        raise NotImplementedError

    def _note(self, **changes: Any) -> None:
        self.figures = replace(self.figures, **changes)


class ClaudeReader(StreamReader):
    """`claude -p --output-format stream-json --verbose`."""

    # Partial messages are repeated whole.
    _passed_over = (b'{"type":"stream_event"',)
    _read_by_agent = (b'{"type":"user"',)

    def _take(self, position: int, line: bytes, value: Json) -> Iterator[StreamPart]:
        kind = value.get("type")
        if kind == "assistant":
            if value.get("parent_tool_use_id") or value.get("isSidechain"):
                yield ReadLine(line=line)
                return
            for block, text in _text_blocks(_mapping(value.get("message")).get("content")):
                yield AgentText(position=position, text=text, block=block)
        elif kind == "user":
            yield ReadLine(line=line)
        elif kind == "result":
            self._take_result(position, value)
        elif kind == "system" and value.get("subtype") == "init":
            self._note(model=_text(value.get("model")), agent_session=_text(value.get("session_id")))

    def _take_result(self, position: int, value: Json) -> None:
        usage = _mapping(value.get("usage"))
        cached = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
        structured = value.get("structured_output")
        failed = bool(value.get("is_error"))
        self._note(
            tokens_in=sum(_number(usage.get(name)) for name in cached),
            tokens_out=_number(usage.get("output_tokens")),
            cost_usd=_amount(value.get("total_cost_usd")),
            turns=_number(value.get("num_turns")),
            result=_text(value.get("result")),
            error=_text(value.get("result")) or _text(value.get("subtype")) or "error" if failed else "",
            structured=structured if isinstance(structured, dict) else None,
            structured_position=position,
        )


class CodexReader(StreamReader):
    """`codex exec --json`. What follows a schema is the agent's last message."""

    def _take(self, position: int, line: bytes, value: Json) -> Iterator[StreamPart]:
        kind = value.get("type")
        if kind == "item.completed":
            item = _mapping(value.get("item"))
            if item.get("type") in ("agent_message", "assistant_message"):
                text = _text(item.get("text"))
                self._note(result=text, structured=_object_in(text), structured_position=position)
                yield AgentText(position=position, text=text)
            elif item.get("type") not in ("reasoning", "error"):
                yield ReadLine(line=line)
        elif kind == "thread.started":
            self._note(agent_session=_text(value.get("thread_id")))
        elif kind == "turn.completed":
            usage = _mapping(value.get("usage"))
            self._note(
                tokens_in=self.figures.tokens_in + _number(usage.get("input_tokens")),
                tokens_out=self.figures.tokens_out + _number(usage.get("output_tokens")),
                turns=self.figures.turns + 1,
                error="",
            )
        elif kind in ("turn.failed", "error"):
            problem = value.get("message") or _mapping(value.get("error")).get("message")
            self._note(error=_text(problem) or "error")


class GeminiReader(StreamReader):
    """`gemini --output-format stream-json`: the pieces of an answer belong together until something else comes."""

    def __init__(self) -> None:
        super().__init__()
        self._pieces: list[str] = []
        self._position = 0

    def _take(self, position: int, line: bytes, value: Json) -> Iterator[StreamPart]:
        kind = value.get("type")
        if kind == "message" and value.get("role") == "assistant":
            if not value.get("delta"):
                yield from self.finish()
            if not self._pieces:
                self._position = position
            self._pieces.append(_text(value.get("content")))
            return
        yield from self.finish()
        if kind == "init":
            self._note(model=_text(value.get("model")), agent_session=_text(value.get("session_id")))
        elif kind == "tool_result":
            # A message of the user is the prompt we gave, with what is remembered in it: nothing that was read.
            yield ReadLine(line=line)
        elif kind == "error" and value.get("severity") != "warning":
            self._note(error=_text(value.get("message")) or "error")
        elif kind == "result":
            stats = _mapping(value.get("stats"))
            failed = value.get("status") not in (None, "success")
            self._note(
                tokens_in=_number(stats.get("input_tokens")),
                tokens_out=_number(stats.get("output_tokens")),
                turns=self.figures.turns + 1,
                error=(self.figures.error or _text(value.get("status"))) if failed else "",
            )

    def finish(self) -> Iterator[StreamPart]:
        if self._pieces:
            text = "".join(self._pieces)
            self._pieces.clear()
            self._note(result=text, structured=_object_in(text), structured_position=self._position)
            yield AgentText(position=self._position, text=text)


class OpenCodeReader(StreamReader):
    """`opencode run --format json`."""

    def _take(self, position: int, line: bytes, value: Json) -> Iterator[StreamPart]:
        part = _mapping(value.get("part"))
        if not self.figures.agent_session and (session := _text(value.get("sessionID"))):
            self._note(agent_session=session)
        if value.get("type") == "text":
            text = _text(part.get("text"))
            self._note(result=text)
            yield AgentText(position=position, text=text)
        elif value.get("type") == "tool_use":
            yield ReadLine(line=line)
        elif value.get("type") == "step_finish":
            tokens = _mapping(part.get("tokens"))
            self._note(
                tokens_in=self.figures.tokens_in + _number(tokens.get("input")),
                tokens_out=self.figures.tokens_out + _number(tokens.get("output")),
                cost_usd=(self.figures.cost_usd or 0.0) + (_amount(part.get("cost")) or 0.0),
                turns=self.figures.turns + 1,
            )
        elif value.get("type") == "error":
            self._note(error=_text(_mapping(value.get("error")).get("name")) or "error")


class PlainReader(StreamReader):
    """A program that prints the agent's words and nothing else; they belong together until it ends."""

    MOST = 4 * 1024 * 1024

    def __init__(self) -> None:
        super().__init__()
        self._lines: list[str] = []
        self._size = 0
        self._position = 0

    def read(self, position: int, line: bytes) -> Iterator[StreamPart]:
        if not self._lines:
            self._position = position
        self._lines.append(line.decode("utf-8", "replace"))
        self._size += len(line)
        if self._size > self.MOST:
            yield from self.finish()

    def finish(self) -> Iterator[StreamPart]:
        if self._lines:
            text = "\n".join(self._lines)
            self._lines.clear()
            self._size = 0
            self._note(result=text[-4_000:], structured=_object_in(text), structured_position=self._position)
            yield AgentText(position=self._position, text=text)


READERS: Mapping[str, Callable[[], StreamReader]] = {
    "claude": ClaudeReader,
    "codex": CodexReader,
    "gemini": GeminiReader,
    "opencode": OpenCodeReader,
    "text": PlainReader,
}


def texts_of(line: bytes) -> list[str]:
    """Every longer text in a line of JSON: what was read, whatever the client calls it."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return [line.decode("utf-8", "replace")]
    return [text for text in _strings(value) if len(text) >= _SHORTEST_TEXT]


_SHORTEST_TEXT = 8
_DEEPEST = 40


def _strings(value: object, depth: int = 0) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif depth < _DEEPEST and isinstance(value, Mapping):
        for inner in value.values():
            yield from _strings(inner, depth + 1)
    elif depth < _DEEPEST and isinstance(value, list):
        for inner in value:
            yield from _strings(inner, depth + 1)


def _text_blocks(content: object) -> Iterator[tuple[int, str]]:
    """The text blocks of a message, one by one: a fence in one does not reach into the next."""
    blocks: Iterable[object] = content if isinstance(content, list) else ({"type": "text", "text": content},)
    for number, block in enumerate(blocks):
        if isinstance(block, dict) and block.get("type") == "text" and (text := _text(block.get("text"))):
            yield number, text


def _object_in(text: str) -> Json | None:
    """The JSON object that a whole text is, if it is one."""
    words = text.strip()
    if not (words.startswith("{") and words.endswith("}")):
        return None
    try:
        value = json.loads(words)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _mapping(value: object) -> Json:
    return value if isinstance(value, Mapping) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number(value: object) -> int:
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0


def _amount(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
