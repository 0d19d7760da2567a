"""OpenAI's responses, as Codex asks for them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.clients.api.script import Call, Turn

PATH = "/responses"
_USAGE = {
    "input_tokens": 50,
    "input_tokens_details": {"cached_tokens": 0},
    "output_tokens": 5,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 55,
}


def turns_taken(body: Mapping[str, Any]) -> int:
    """A turn is a run of items by the model; what a tool gave back ends it."""
    taken, by_the_model_before = 0, False
    for item in body["input"]:
        by_the_model = _is_by_the_model(item)
        taken += by_the_model and not by_the_model_before
        by_the_model_before = by_the_model
    return taken


def is_aside(body: Mapping[str, Any]) -> bool:
    return not body.get("tools")


def whole(body: Mapping[str, Any], turn: Turn, number: int) -> dict[str, Any]:
    return {
        "id": f"resp_{number:04}",
        "object": "response",
        "created_at": 0,
        "status": "completed",
        "model": body.get("model"),
        "output": [_item(part, f"{number:04}_{place}") for place, part in enumerate(turn)],
        "usage": _USAGE,
    }


def events(body: Mapping[str, Any], turn: Turn, number: int) -> Iterator[Mapping[str, Any]]:
    response = whole(body, turn, number)
    yield {"type": "response.created", "response": response | {"status": "in_progress", "output": []}}
    for index, item in enumerate(response["output"]):
        yield from _item_events(index, item)
    yield {"type": "response.completed", "response": response}


def _is_by_the_model(item: Mapping[str, Any]) -> bool:
    kind = item.get("type", "message")
    return item.get("role") == "assistant" if kind == "message" else kind.endswith("_call")


def _item(part: Any, number: str) -> dict[str, Any]:
    if not isinstance(part, Call):
        said = {"type": "output_text", "text": part.text, "annotations": []}
        item: dict[str, Any] = {
            "type": "message",
            "id": f"m_{number}",
            "role": "assistant",
            "content": [said],
        }
    elif isinstance(part.input, str):
        item = {"type": "custom_tool_call", "id": f"ct_{number}", "call_id": f"call_{number}"}
        item |= {"name": part.tool, "input": part.input}
    else:
        item = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}"}
        item |= {"name": part.tool, "arguments": json.dumps(part.input)}
        item |= {"namespace": part.namespace} if part.namespace else {}
    return item | {"status": "completed"}


def _item_events(index: int, item: dict[str, Any]) -> Iterator[Mapping[str, Any]]:
    is_message = item["type"] == "message"
    begun = item | {"content": []} if is_message else item
    yield {"type": "response.output_item.added", "output_index": index, "item": begun}
    if is_message:
        where = {"item_id": item["id"], "output_index": index, "content_index": 0}
        yield {"type": "response.output_text.delta", "delta": item["content"][0]["text"], **where}
    yield {"type": "response.output_item.done", "output_index": index, "item": item}
