"""Which shape a list of messages has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from recollect.conversation.anthropic_shape import AnthropicShape, list_blocks
from recollect.conversation.message_shape import Message, MessageShape
from recollect.conversation.openai_shape import OpenAiShape
from recollect.errors import BadInput

SHAPES: Mapping[str, MessageShape] = {"anthropic": AnthropicShape(), "openai": OpenAiShape()}
_OPENAI_ROLES = ("system", "developer", "tool")
_OPENAI_PARTS = ("image_url", "input_audio", "file", "refusal")


def find_shape(name: str) -> MessageShape:
    """The shape with this name."""
    if name not in SHAPES:
        raise BadInput(reason=f"there is no shape {name!r}; there are {' and '.join(SHAPES)}")
    return SHAPES[name]


def detect_shape(messages: Iterable[Message]) -> MessageShape | None:
    """The shape the messages show; None while they are plain texts, which both write alike."""
    for message in messages:
        if not isinstance(message, Mapping):
            continue
        if message.get("role") in _OPENAI_ROLES or "tool_calls" in message:
            return SHAPES["openai"]
        if not isinstance(message.get("content"), list | tuple):
            continue
        kinds = [block.get("type") for block in list_blocks(message)]
        if any(kind in _OPENAI_PARTS for kind in kinds):
            return SHAPES["openai"]
        if any(kind not in (None, "text") for kind in kinds):
            return SHAPES["anthropic"]
    return None
