"""Messages as OpenAI's chat API writes them, and the many servers that copy it: one message for each result."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from recollect.conversation.anthropic_shape import dump_json, read_string, shorten_values
from recollect.conversation.message_shape import (
    Message,
    ParsedMessage,
    Position,
    Shortener,
    ToolCallPart,
    ToolResultPart,
)

_IMAGES = ("image_url", "input_image", "file", "input_audio", "image")


class OpenAiShape:
    """The shape of `/v1/chat/completions`."""

    name = "openai"

    def parse(self, message: Message) -> ParsedMessage:
        """What the message says."""
        if not isinstance(message, Mapping):
            return ParsedMessage(role="", text="")
        role = read_string(message.get("role"))
        text = _text_of(message)
        results: tuple[ToolResultPart, ...] = ()
        if role == "tool":
            call_id = read_string(message.get("tool_call_id"))
            results = (ToolResultPart(call_id=call_id, position=(0,), text=text),)
        calls = _calls_of(message) if role == "assistant" else ()
        images = tuple((number,) for number, part in enumerate(_parts_of(message)) if _is_image(part))
        sizes = sum(len(call.arguments) + len(call.name) for call in calls)
        reasoning = len(read_string(message.get("reasoning_content"))) + len(
            read_string(message.get("refusal"))
        )
        return ParsedMessage(
            role=role,
            text="" if results else text,
            calls=calls,
            results=results,
            images=images,
            characters=len(text) + sizes + reasoning,
        )

    def replace_results(self, message: Message, texts: Mapping[Position, str]) -> Message:
        """The message with the text of its result replaced."""
        return {**message, "content": next(iter(texts.values()))} if texts else message

    def replace_images(self, message: Message, text: str) -> Message:
        """The message with a text in place of every image."""
        note = {"type": "text", "text": text}
        return {**message, "content": [note if _is_image(part) else part for part in _parts_of(message)]}

    def without_parts(
        self, message: Message, *, calls: Sequence[Position] = (), results: Sequence[Position] = ()
    ) -> Message | None:
        """The message without some calls; None if it was a result, or if nothing is left."""
        if results:
            return None
        dropped = {number for (number,) in calls}
        rest = [call for number, call in enumerate(_listed_calls(message)) if number not in dropped]
        if rest:
            return {**message, "tool_calls": rest}
        bare = {name: value for name, value in message.items() if name != "tool_calls"}
        return bare if _text_of(bare).strip() else None

    def result_messages(self, calls: Sequence[ToolCallPart], text: str) -> list[Message]:
        """One message for each call, answering it with a text."""
        return [{"role": "tool", "tool_call_id": call.call_id, "content": text} for call in calls]

    def join_results(self, messages: Sequence[Message]) -> list[Message]:
        """The results in a row, as the API wants them."""
        return list(messages)

    def note(self, text: str) -> Message:
        """A user message: some servers take a system message only at the beginning."""
        return {"role": "user", "content": text}

    def attach(self, message: Message, text: str) -> Message | None:
        """Never: a note after results is a message of its own here."""
        return None

    def without_text(self, message: Message, mark: str) -> Message | None:
        """The message; None if its text begins with a mark, for here a note is a message of its own."""
        return None if message.get("role") == "user" and _text_of(message).startswith(mark) else message

    def shorten(self, message: Message, replace: Shortener) -> Message:
        """The message with every long text in it given to `replace`."""
        changed: dict[str, Any] = dict(message)
        content = message.get("content")
        if isinstance(content, str):
            changed["content"] = replace(content)
        elif isinstance(content, list | tuple):
            changed["content"] = [_shorten_part(part, replace) for part in content]
        if calls := _listed_calls(message):
            changed["tool_calls"] = [_shorten_call(call, replace) for call in calls]
        return changed


def _text_of(message: Message) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    texts = (part if isinstance(part, str) else _part_text(part) for part in _parts_of(message))
    return "\n".join(text for text in texts if text)


def _part_text(part: object) -> str:
    return read_string(part.get("text")) if isinstance(part, Mapping) else ""


def _parts_of(message: Message) -> list[Any]:
    content = message.get("content")
    return list(content) if isinstance(content, list | tuple) else []


def _is_image(part: object) -> bool:
    return isinstance(part, Mapping) and part.get("type") in _IMAGES


def _listed_calls(message: Message) -> list[Any]:
    calls = message.get("tool_calls")
    return list(calls) if isinstance(calls, list | tuple) else []


def _calls_of(message: Message) -> tuple[ToolCallPart, ...]:
    return tuple(_parse_call(call, number) for number, call in enumerate(_listed_calls(message)))


def _parse_call(call: object, number: int) -> ToolCallPart:
    given: Mapping[str, Any] = call if isinstance(call, Mapping) else {}
    function = given.get("function")
    called: Mapping[str, Any] = function if isinstance(function, Mapping) else {}
    arguments = called.get("arguments", "")
    return ToolCallPart(
        call_id=read_string(given.get("id")),
        name=read_string(called.get("name")) or "tool",
        position=(number,),
        arguments=arguments if isinstance(arguments, str) else dump_json(arguments),
    )


def _shorten_part(part: Any, replace: Shortener) -> Any:
    if isinstance(part, Mapping) and isinstance(part.get("text"), str):
        return {**part, "text": replace(part["text"])}
    return replace(part) if isinstance(part, str) else part


def _shorten_call(call: Any, replace: Shortener) -> Any:
    function = call.get("function") if isinstance(call, Mapping) else None
    if not isinstance(function, Mapping) or not isinstance(function.get("arguments"), str):
        return call
    try:
        arguments = shorten_values(json.loads(function["arguments"]), replace)
    except (ValueError, RecursionError):
        # Not JSON, so nobody could have read it as arguments either.
        arguments = {"unreadable": replace(function["arguments"])}
    return {**call, "function": {**function, "arguments": json.dumps(arguments, ensure_ascii=False)}}
