"""What a window did to the messages: every edit, what it saved, and what it cost the provider's prompt cache."""

from __future__ import annotations

from recollect.conversation.message_shape import Message
from recollect.conversation.pairing import PairFix
from recollect.model.value import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowEdit:
    """One edit: what was done, to which message of the history, and where the whole text is."""

    # overflowed, masked, image_dropped, shortened
    action: str
    message: int
    tool: str = ""
    call_id: str = ""
    characters_before: int = 0
    characters_after: int = 0
    handle: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowCompaction:
    """Old messages that were replaced by a summary."""

    # summarised or fallback
    action: str
    messages: int
    tokens_before: int
    tokens_after: int
    handle: str
    text: str
    # Who wrote it: extractive, or the name of a model.
    written_by: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheBreak:
    """The provider's prompt cache holds up to here; what comes after is read and written anew."""

    message: int
    tokens_again: int
    # In plain input tokens: writing what stood in the cache once more, less reading it.
    cost: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowReport:
    """What was done for one call of the model."""

    messages_before: int
    messages_after: int
    tokens_before: int
    tokens_after: int
    # Whether the counts stand on usage that the provider reported.
    is_anchored: bool
    edits: tuple[WindowEdit, ...] = ()
    compactions: tuple[WindowCompaction, ...] = ()
    fixes: tuple[PairFix, ...] = ()
    cache_break: CacheBreak | None = None
    anchor: str = ""
    notes: tuple[str, ...] = ()

    @property
    def is_untouched(self) -> bool:
        """Whether what was sent is what came."""
        return not (self.edits or self.compactions or self.fixes or self.anchor)


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowView:
    """The messages to send, and what was done to make them so."""

    messages: list[Message]
    report: WindowReport
    # How many of the messages stay as they are for the next call: where a cache mark belongs.
    stable: int
