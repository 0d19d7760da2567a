"""Messages as Anthropic's API writes them: blocks in a list, results inside the next user message."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from recollect.conversation.message_shape import (
    Message,
    ParsedMessage,
    Position,
    Shortener,
    ToolCallPart,
    ToolResultPart,
)

_IMAGES = ("image", "document")
_THOUGHTS = ("thinking", "redacted_thinking")


class AnthropicShape:
    """The shape of `/v1/messages`."""

    name = "anthropic"

    def parse(self, message: Message) -> ParsedMessage:
        """What the message says."""
        if not isinstance(message, Mapping):
            return ParsedMessage(role="", text="")
        texts: list[str] = []
        calls: list[ToolCallPart] = []
        results: list[ToolResultPart] = []
        images: list[Position] = []
        thoughts = 0
        blocks = list_blocks(message)
        for number, block in enumerate(blocks):
            kind = block.get("type")
            if kind == "text":
                texts.append(read_string(block.get("text")))
            elif kind == "tool_use":
                calls.append(_parse_call(block, number))
            elif kind == "tool_result":
                results.append(_parse_result(block, number))
                images += [(number, inner) for inner in _images_in(block)]
            elif kind in _IMAGES:
                images.append((number,))
            elif kind in _THOUGHTS:
                thoughts += len(read_string(block.get("thinking"))) + len(read_string(block.get("data")))
            else:
                # A kind of block that is newer than this version: counted, and left as it is.
                thoughts += len(dump_json(block))
        text = "\n".join(texts)
        sizes = (len(call.arguments) + len(call.name) for call in calls)
        return ParsedMessage(
            role=read_string(message.get("role")),
            text=text,
            calls=tuple(calls),
            results=tuple(results),
            images=tuple(images),
            characters=len(text) + thoughts + sum(sizes) + sum(len(result.text) for result in results),
            is_signed=any(block.get("type") in _THOUGHTS for block in blocks),
        )

    def replace_results(self, message: Message, texts: Mapping[Position, str]) -> Message:
        """The message with the text of some results replaced."""
        blocks: list[Any] = list_blocks(message)
        for (number,), text in texts.items():
            images = [part for part in list_inner(blocks[number]) if _is_image(part)]
            content = [{"type": "text", "text": text}, *images] if images else text
            blocks[number] = {**blocks[number], "content": content}
        return {**message, "content": blocks}

    def replace_images(self, message: Message, text: str) -> Message:
        """The message with a text in place of every image."""
        note = {"type": "text", "text": text}
        blocks: list[Any] = []
        for block in list_blocks(message):
            if block.get("type") in _IMAGES:
                blocks.append(note)
            elif block.get("type") == "tool_result" and _images_in(block):
                inner = [note if _is_image(part) else part for part in block["content"]]
                blocks.append({**block, "content": inner})
            else:
                blocks.append(block)
        return {**message, "content": blocks}

    def without_parts(
        self, message: Message, *, calls: Sequence[Position] = (), results: Sequence[Position] = ()
    ) -> Message | None:
        """The message without some calls or results; None if nothing but thoughts is left of it."""
        dropped = {number for (number,) in (*calls, *results)}
        blocks = [block for number, block in enumerate(list_blocks(message)) if number not in dropped]
        if all(block.get("type") in _THOUGHTS for block in blocks):
            return None
        return {**message, "content": blocks}

    def result_messages(self, calls: Sequence[ToolCallPart], text: str) -> list[Message]:
        """One user message that answers these calls with a text."""
        blocks = [
            {"type": "tool_result", "tool_use_id": call.call_id, "content": text, "is_error": True}
            for call in calls
        ]
        return [{"role": "user", "content": blocks}] if blocks else []

    def join_results(self, messages: Sequence[Message]) -> list[Message]:
        """One user message: all results first, as the API wants them, then what else was said."""
        blocks = [block for message in messages for block in list_blocks(message)]
        results = [block for block in blocks if block.get("type") == "tool_result"]
        others = [block for block in blocks if block.get("type") != "tool_result"]
        return [{"role": "user", "content": [*results, *others]}]

    def note(self, text: str) -> Message:
        """A user message: there is no other role for it inside a conversation."""
        return {"role": "user", "content": [{"type": "text", "text": text}]}

    def attach(self, message: Message, text: str) -> Message | None:
        """The user message with a text after its results."""
        if message.get("role") != "user":
            return None
        return {**message, "content": [*list_blocks(message), {"type": "text", "text": text}]}

    def without_text(self, message: Message, mark: str) -> Message | None:
        """The message without text blocks that begin with a mark; None if nothing is left of it."""
        blocks = list_blocks(message)
        rest = [block for block in blocks if not read_string(block.get("text")).startswith(mark)]
        if len(rest) == len(blocks):
            return message
        return {**message, "content": rest} if rest else None

    def shorten(self, message: Message, replace: Shortener) -> Message:
        """The message with every long text in it given to `replace`; thoughts stay as they were signed."""
        return {**message, "content": [_shorten_block(block, replace) for block in list_blocks(message)]}


def list_blocks(message: Message) -> list[Mapping[str, Any]]:
    """The blocks of a message; a plain text is one block, and what is no block is left out."""
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    if not isinstance(content, list | tuple):
        return []
    blocks = ({"type": "text", "text": part} if isinstance(part, str) else part for part in content)
    return [block for block in blocks if isinstance(block, Mapping)]


def read_string(value: object) -> str:
    """A text, or an empty one for anything else."""
    return value if isinstance(value, str) else ""


def dump_json(value: object) -> str:
    """A value as JSON; what JSON cannot say is written as Python shows it."""
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (TypeError, ValueError, RecursionError):
        return str(type(value).__name__)


def shorten_values(value: Any, replace: Shortener) -> Any:
    """A JSON value with every text in it given to `replace`."""
    if isinstance(value, str):
        return replace(value)
    if isinstance(value, Mapping):
        return {key: shorten_values(part, replace) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [shorten_values(part, replace) for part in value]
    return value


def _parse_call(block: Mapping[str, Any], number: int) -> ToolCallPart:
    return ToolCallPart(
        call_id=read_string(block.get("id")),
        name=read_string(block.get("name")) or "tool",
        position=(number,),
        arguments=dump_json(block.get("input", {})),
    )


def _parse_result(block: Mapping[str, Any], number: int) -> ToolResultPart:
    content = block.get("content")
    parts = content if isinstance(content, list | tuple) else [content]
    texts = [
        part if isinstance(part, str) else read_string(part.get("text")) if isinstance(part, Mapping) else ""
        for part in parts
    ]
    return ToolResultPart(
        call_id=read_string(block.get("tool_use_id")),
        position=(number,),
        text="\n".join(text for text in texts if text),
        is_error=block.get("is_error") is True,
    )


def list_inner(block: Mapping[str, Any]) -> list[Any]:
    """The parts of a result, where it has parts."""
    content = block.get("content")
    return list(content) if isinstance(content, list | tuple) else []


def _images_in(block: Mapping[str, Any]) -> list[int]:
    return [number for number, part in enumerate(list_inner(block)) if _is_image(part)]


def _is_image(part: object) -> bool:
    return isinstance(part, Mapping) and part.get("type") in _IMAGES


def _shorten_block(block: Mapping[str, Any], replace: Shortener) -> Mapping[str, Any]:
    match block.get("type"):
        case "text" if isinstance(block.get("text"), str):
            return {**block, "text": replace(block["text"])}
        case "tool_use":
            return {**block, "input": shorten_values(block.get("input", {}), replace)}
        case "tool_result":
            shortened = replace(_parse_result(block, 0).text)
            has_images = bool(_images_in(block))
            return block if has_images and len(shortened) < 2 else {**block, "content": shortened}
        case _:
            return block
