"""What a channel of messages can do: send one, and tell which have come."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from recollect.model.value import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceivedMessage:
    """A message as a channel tells it. `foreign_id` is the channel's own name for it: it is taken in once."""

    foreign_id: str
    text: str
    peer: str = ""


class MessageChannel(Protocol):
    """A way to reach a person."""

    name: str

    def send(self, text: str) -> None:
        """Send a text; `ChannelDown` if it cannot be sent now."""
        ...

    def receive(self) -> Sequence[ReceivedMessage]:
        """What has come, also what came before; `ChannelDown` if nobody can tell."""
        ...
