"""OpenAI's chat completions, as OpenCode asks for them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.clients.api.script import Call, Say, Turn

PATH = "/chat/completions"
_USAGE = {"prompt_tokens": 50, "completion_tokens": 5, "total_tokens": 55}


def turns_taken(body: Mapping[str, Any]) -> int:
    return sum(message["role"] == "assistant" for message in body["messages"])


def is_aside(body: Mapping[str, Any]) -> bool:
    return not body.get("tools")


def whole(body: Mapping[str, Any], turn: Turn, number: int) -> dict[str, Any]:
    calls = [part for part in turn if isinstance(part, Call)]
    text = "".join(part.text for part in turn if isinstance(part, Say))
    message: dict[str, Any] = {"role": "assistant", "content": text or None}
    if calls:
        message["tool_calls"] = [_call(call, number, place) for place, call in enumerate(calls)]
    ended = "tool_calls" if calls else "stop"
    choice = {"index": 0, "message": message, "finish_reason": ended}
    return _about(body, number, "chat.completion") | {"choices": [choice], "usage": _USAGE}


def events(body: Mapping[str, Any], turn: Turn, number: int) -> Iterator[Mapping[str, Any]]:
    about = _about(body, number, "chat.completion.chunk")
    choice = whole(body, turn, number)["choices"][0]
    ended = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
    yield about | {"choices": [{"index": 0, "delta": choice["message"], "finish_reason": None}]}
    yield about | {"choices": [ended]}
    yield about | {"choices": [], "usage": _USAGE}


def _about(body: Mapping[str, Any], number: int, kind: str) -> dict[str, Any]:
    return {"id": f"chat_{number:04}", "object": kind, "created": 0, "model": body.get("model")}


def _call(call: Call, number: int, place: int) -> dict[str, Any]:
    function = {"name": call.tool, "arguments": json.dumps(call.input)}
    return {"index": place, "id": f"call_{number:04}_{place}", "type": "function", "function": function}
