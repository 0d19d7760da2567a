"""
A message as the window sees it, whatever provider's shape it has: who speaks, which calls and results, what it costs.

Token counts are anchored on the usage the provider reported; only what changed since is estimated. Characters over four
is far off for some texts, so the estimate is scaled by how far it was off for what the provider has counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from recollect.model.tokens import CHARACTERS_PER_TOKEN
from recollect.model.value import dataclass

Message = Mapping[str, Any]
# Where a text of a message stands: the numbers of its block, and of the part inside the block.
Position = tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallPart:
    """A call that the model asks for."""

    call_id: str
    name: str
    position: Position
    # The arguments as text, for counting and for summaries.
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResultPart:
    """What a tool gave back."""

    call_id: str
    position: Position
    text: str
    is_error: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedMessage:
    """What the window needs to know of one message; made once for each."""

    role: str
    # What is said besides calls and results.
    text: str
    calls: tuple[ToolCallPart, ...] = ()
    results: tuple[ToolResultPart, ...] = ()
    images: tuple[Position, ...] = ()
    # Characters that cost tokens: images are counted apart.
    characters: int = 0
    # Thinking that the provider signed: it goes as it came or with its whole message.
    is_signed: bool = False

    @property
    def is_rule(self) -> bool:
        """Whether it is an instruction of whoever runs the agent."""
        return self.role in ("system", "developer")


class MessageShape(Protocol):
    """How one provider writes messages. Every function takes any message and copies what it changes."""

    name: str

    def parse(self, message: Message) -> ParsedMessage:
        """What the message says."""
        ...

    def replace_results(self, message: Message, texts: Mapping[Position, str]) -> Message:
        """The message with the text of some results replaced."""
        ...

    def replace_images(self, message: Message, text: str) -> Message:
        """The message with a text in place of every image."""
        ...

    def without_parts(
        self, message: Message, *, calls: Sequence[Position] = (), results: Sequence[Position] = ()
    ) -> Message | None:
        """The message without some calls or results; None if nothing is left of it."""
        ...

    def result_messages(self, calls: Sequence[ToolCallPart], text: str) -> list[Message]:
        """Messages that answer these calls with a text."""
        ...

    def join_results(self, messages: Sequence[Message]) -> list[Message]:
        """Results that arrived apart, put as the provider wants them after the message that asked."""
        ...

    def note(self, text: str) -> Message:
        """A message of the window's own."""
        ...

    def attach(self, message: Message, text: str) -> Message | None:
        """The message with a text at its end; None where that cannot be."""
        ...

    def without_text(self, message: Message, mark: str) -> Message | None:
        """The message without texts that begin with a mark; None if nothing is left of it."""
        ...

    def shorten(self, message: Message, replace: Shortener) -> Message:
        """The message with every long text in it, arguments of calls too, given to `replace`."""
        ...


class Shortener(Protocol):
    """Gives a shorter text, or the same one."""

    def __call__(self, text: str) -> str: ...


# What a message costs besides its text.
_MESSAGE_TOKENS = 4
_RATIO_BOUNDS = (0.5, 4.0)


def estimate_message(message: ParsedMessage, image_tokens: int) -> int:
    """About how many tokens a message costs."""
    texts = -(-message.characters // CHARACTERS_PER_TOKEN)
    return texts + _MESSAGE_TOKENS + image_tokens * len(message.images)


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageAnchor:
    """What the provider counted for what was sent last, beside our estimate of the same."""

    reported: int = 0
    estimated: int = 0

    @property
    def ratio(self) -> float:
        """How many real tokens an estimated one stands for."""
        if not self.reported or not self.estimated:
            return 1.0
        low, high = _RATIO_BOUNDS
        return min(high, max(low, self.reported / self.estimated))

    def count(self, estimated: int) -> int:
        """Tokens of something whose estimate is this: what was counted, and the difference scaled."""
        if not self.reported:
            return estimated
        return max(0, round(self.reported + self.ratio * (estimated - self.estimated)))
