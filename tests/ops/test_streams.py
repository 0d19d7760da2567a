"""Who speaks in each client's stream, what a run cost, and lines of every shape."""

from __future__ import annotations

import json
from typing import Any

import pytest

from recollect.ops.lines import LineSplitter
from recollect.ops.streams import READERS, AgentText, ReadLine, StreamReader

CODEX: list[dict[str, Any]] = [
    {"type": "thread.started", "thread_id": "t-1"},
    {"type": "turn.started"},
    {"type": "item.completed", "item": {"type": "reasoning", "text": "thinking aloud"}},
    {"type": "item.started", "item": {"type": "command_execution", "command": "ls"}},
    {"type": "item.completed", "item": {"type": "command_execution", "aggregated_output": "a long listing"}},
    {"type": "item.completed", "item": {"type": "agent_message", "text": "All is well."}},
    {"type": "turn.completed", "usage": {"input_tokens": 10, "cached_input_tokens": 4, "output_tokens": 3}},
]
GEMINI: list[dict[str, Any]] = [
    {"type": "init", "session_id": "g-1", "model": "gemini-2.5-flash"},
    {"type": "message", "role": "user", "content": "Check."},
    {"type": "message", "role": "assistant", "content": "[MEMORY:tim", "delta": True},
    {"type": "message", "role": "assistant", "content": "ing:x] Takes", "delta": True},
    {"type": "message", "role": "assistant", "content": " a minute", "delta": True},
    {"type": "tool_use", "tool_name": "run_shell_command", "parameters": {}},
    {"type": "tool_result", "status": "success", "output": "a long listing"},
    {"type": "message", "role": "assistant", "content": "All is well.", "delta": True},
    {"type": "result", "status": "success", "stats": {"input_tokens": 10, "output_tokens": 3}},
]
OPENCODE: list[dict[str, Any]] = [
    {"type": "step_start", "part": {}},
    {"type": "tool_use", "part": {"tool": "bash", "state": {"output": "a long listing"}}},
    {"type": "text", "part": {"text": "All is well."}},
    {"type": "step_finish", "part": {"cost": 0.5, "tokens": {"input": 10, "output": 3}}},
]


def read(stream: str, lines: list[Any]) -> tuple[StreamReader, list[str], int]:
    """The reader after these lines, what the agent said, and how many lines it had read."""
    reader = READERS[stream]()
    splitter = LineSplitter()
    whole = b"".join(
        (line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n" for line in lines
    )
    parts = [part for place, line in splitter.feed(whole) for part in reader.read(place, line)]
    parts += reader.finish()
    texts = [part.text for part in parts if isinstance(part, AgentText)]
    return reader, texts, sum(isinstance(part, ReadLine) for part in parts)


def test_codex() -> None:
    reader, texts, count = read("codex", CODEX)
    assert (texts, count) == (["All is well."], 1)
    figures = reader.figures
    assert (figures.agent_session, figures.tokens_in, figures.tokens_out, figures.turns) == ("t-1", 10, 3, 1)


def test_codex_that_fails_says_why() -> None:
    reader, _, _ = read("codex", [{"type": "turn.failed", "error": {"message": "no quota"}}])
    assert reader.figures.error == "no quota"


def test_codex_held_to_a_schema_answers_with_an_object() -> None:
    answer = {"type": "item.completed", "item": {"type": "agent_message", "text": '{"summary": "ok"}'}}
    assert read("codex", [answer])[0].figures.structured == {"summary": "ok"}


def test_gemini_speaks_in_pieces_that_belong_together() -> None:
    reader, texts, count = read("gemini", GEMINI)
    assert (texts, count) == (["[MEMORY:timing:x] Takes a minute", "All is well."], 1)
    assert (reader.figures.model, reader.figures.tokens_in) == ("gemini-2.5-flash", 10)


def test_gemini_that_was_cut_off_has_still_said_what_it_said() -> None:
    assert read("gemini", GEMINI[:4])[1] == ["[MEMORY:timing:x] Takes"]


def test_opencode() -> None:
    reader, texts, count = read("opencode", OPENCODE)
    assert (texts, count, reader.figures.cost_usd) == (["All is well."], 1, 0.5)


def test_plain_text_belongs_together_until_the_end() -> None:
    assert read("text", [b"one", b"```", b"two", b"```"])[1] == ["one\n```\ntwo\n```"]


def test_each_text_block_of_a_message_stands_for_itself() -> None:
    content = [{"type": "text", "text": "```"}, {"type": "tool_use"}, {"type": "text", "text": "after"}]
    assert read("claude", [{"type": "assistant", "message": {"content": content}}])[1] == ["```", "after"]


@pytest.mark.parametrize("stream", READERS)
@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"banner",
        b"{",
        b"[]",
        b"null",
        b'"x"',
        b"{}",
        b'{"type": 3}',
        b'{"type":"assistant","message":null}',
        b'{"type":"assistant","message":{"content":[null,{"type":"text","text":7}]}}',
        b'{"type":"result","usage":[],"total_cost_usd":"x","structured_output":[]}',
        b'{"type":"item.completed","item":[]}',
        b'{"type":"message","role":"assistant","content":null}',
        b'{"type":"text","part":"x"}',
        b"\xff\xfe\x00",
        b"[" * 100_000,
        b'{"type":"user"' + b"\x00" * 50,
    ],
    ids=lambda line: repr(line[:24]),
)
def test_no_line_breaks_a_reader(stream: str, line: bytes) -> None:
    reader, texts, _ = read(stream, [line])
    assert all(isinstance(text, str) for text in texts)
    assert reader.figures.tokens_in == 0


def test_a_line_beyond_the_limit_is_counted_and_the_next_is_read() -> None:
    splitter = LineSplitter(most=100)
    lines = [line for piece in (b"a" * 60, b"a" * 60, b"\nnext\n", b"last") for line in splitter.feed(piece)]
    lines += splitter.finish()
    assert (lines, splitter.oversized) == ([(121, b"next"), (126, b"last")], 1)
