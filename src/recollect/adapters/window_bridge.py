"""
A window over messages of another form: they are written as OpenAI's chat API would, edited, and written back.

What the window left alone comes back as the very object that was given. Only what it edited or added is made anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from recollect.conversation import Window, WindowReport
from recollect.conversation.message_shape import Message
from recollect.model.value import dataclass

N = TypeVar("N")

SHAPE = "openai"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatMessage(Generic[N]):
    """One message in the form of the chat API, and what it was written from."""

    message: Message
    origin: N


class BridgedWindow(Generic[N]):
    """A window for one conversation in another form. `rebuild` makes a message from an edited one and its origin."""

    def __init__(
        self,
        window: Window | None,
        *,
        write: Callable[[Sequence[N]], list[ChatMessage[N]]],
        rebuild: Callable[[Message, N | None], N],
    ) -> None:
        """Without a window, one with the usual settings."""
        self.window = window or Window(shape=SHAPE)
        self._write = write
        self._rebuild = rebuild
        self.report: WindowReport | None = None

    def edit(self, messages: Sequence[N], *, overhead_tokens: int = 0) -> list[tuple[N, bool]]:
        """What to send for these messages, each with whether it is as it was given; the report is kept."""
        written = self._write(messages)
        by_identity = {id(one.message): one.origin for one in written}
        by_call = {
            str(one.message.get("tool_call_id")): one.origin
            for one in written
            if one.message.get("role") == "tool"
        }
        view = self.window.prepare([one.message for one in written], overhead_tokens=overhead_tokens)
        self.report = view.report
        edited: list[tuple[N, bool]] = []
        for message in view.messages:
            origin = by_identity.get(id(message))
            if origin is not None:
                edited.append((origin, True))
            else:
                edited.append((self._rebuild(message, by_call.get(str(message.get("tool_call_id")))), False))
        return edited


def text_of(message: Message) -> str:
    """What a message in the form of the chat API says."""
    content: Any = message.get("content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(str(part["text"]) for part in parts if isinstance(part, dict) and part.get("text"))
