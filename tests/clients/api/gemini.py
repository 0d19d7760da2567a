"""Google's generateContent, as the Gemini CLI asks for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tests.clients.api.script import Call, Turn

PATH = "enerateContent"  # generateContent, streamGenerateContent


def turns_taken(body: Mapping[str, Any]) -> int:
    return sum(content.get("role") == "model" for content in body["contents"])


def is_aside(body: Mapping[str, Any]) -> bool:
    return not body.get("tools")


def whole(body: Mapping[str, Any], turn: Turn, number: int) -> dict[str, Any]:
    content = {"role": "model", "parts": [_part(part) for part in turn]}
    return {
        "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 50, "candidatesTokenCount": 5, "totalTokenCount": 55},
        "modelVersion": "scripted",
        "responseId": f"response_{number:04}",
    }


def events(body: Mapping[str, Any], turn: Turn, number: int) -> Iterator[Mapping[str, Any]]:
    yield whole(body, turn, number)


def _part(part: Any) -> dict[str, Any]:
    if isinstance(part, Call):
        return {"functionCall": {"name": part.tool, "args": part.input}}
    return {"text": part.text}
