"""Anthropic's messages, as Claude Code asks for them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.clients.api.script import Call, Turn

PATH = "/v1/messages"
_USAGE = {
    "input_tokens": 50,
    "cache_creation_input_tokens": 0,
    "cache_read_input_tokens": 0,
    "output_tokens": 5,
}


def turns_taken(body: Mapping[str, Any]) -> int:
    return sum(message["role"] == "assistant" for message in body["messages"])


def is_aside(body: Mapping[str, Any]) -> bool:
    return not body.get("tools") or (body.get("tool_choice") or {}).get("type") == "none"


def whole(body: Mapping[str, Any], turn: Turn, number: int) -> dict[str, Any]:
    called = any(isinstance(part, Call) for part in turn)
    return {
        "id": f"msg_{number:04}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model"),
        "content": [_block(part, f"toolu_{number:04}_{place}") for place, part in enumerate(turn)],
        "stop_reason": "tool_use" if called else "end_turn",
        "stop_sequence": None,
        "usage": _USAGE,
    }


def events(body: Mapping[str, Any], turn: Turn, number: int) -> Iterator[Mapping[str, Any]]:
    message = whole(body, turn, number)
    yield {"type": "message_start", "message": message | {"content": [], "stop_reason": None}}
    for index, block in enumerate(message["content"]):
        yield from _block_events(index, block)
    ending = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": ending, "usage": _USAGE}
    yield {"type": "message_stop"}


def _block(part: Any, number: str) -> dict[str, Any]:
    if isinstance(part, Call):
        return {"type": "tool_use", "id": number, "name": part.tool, "input": part.input}
    return {"type": "text", "text": part.text}


def _block_events(index: int, block: dict[str, Any]) -> Iterator[Mapping[str, Any]]:
    if block["type"] == "text":
        empty, delta = {"text": ""}, {"type": "text_delta", "text": block["text"]}
    else:
        empty, delta = {"input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    yield {"type": "content_block_start", "index": index, "content_block": block | empty}
    yield {"type": "content_block_delta", "index": index, "delta": delta}
    yield {"type": "content_block_stop", "index": index}
