"""What a loop asks of a model: two methods. Anything that has them can run a loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from recollect.conversation.message_shape import ToolCallPart
from recollect.model.agent_tool import AgentTool
from recollect.model.value import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelUsage:
    """What a call cost in tokens. `input_tokens` counts all that was read, from the cache or not."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0

    def __add__(self, other: ModelUsage) -> ModelUsage:
        return ModelUsage(**{name: getattr(self, name) + getattr(other, name) for name in self.__slots__})


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPrice:
    """What a million tokens cost."""

    input: float = 0.0
    output: float = 0.0
    cache_read: float = 0.0
    cache_write: float = 0.0

    def of(self, usage: ModelUsage) -> float:
        """What a call cost."""
        plain = usage.input_tokens - usage.cache_read_tokens - usage.cache_write_tokens
        parts = (
            (plain, self.input),
            (usage.output_tokens, self.output),
            (usage.cache_read_tokens, self.cache_read),
            (usage.cache_write_tokens, self.cache_write),
        )
        return sum(tokens * price for tokens, price in parts) / 1_000_000

    @property
    def is_known(self) -> bool:
        """Whether anybody said what tokens cost."""
        return bool(self.input or self.output)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """One question to the model."""

    system: str
    messages: Sequence[Mapping[str, Any]]
    tools: Sequence[AgentTool]
    # Which iteration of the run this is, from 1 on.
    iteration: int
    # How many messages stay as they are in the next request: up to there a cache is worth it.
    stable: int
    max_tokens: int = 8_192
    temperature: float = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReply:
    """What the model answered: its message as its API writes it, the words in it, and the calls."""

    message: Mapping[str, Any]
    text: str
    calls: tuple[ToolCallPart, ...] = ()
    usage: ModelUsage = field(default_factory=ModelUsage)
    stop: str = ""


class ModelClient(Protocol):
    """A model that can use tools. `shape` says how it writes messages: anthropic or openai."""

    name: str
    shape: str

    def send(self, request: ModelRequest) -> ModelReply:
        """Ask the model."""
        ...

    def cost(self, usage: ModelUsage) -> float:
        """What so many tokens cost, in the user's currency; 0 where nobody knows."""
        ...
