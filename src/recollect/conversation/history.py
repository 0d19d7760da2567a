"""The history a window was given, read once: each message paired, parsed and counted, with the edits made to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from operator import is_

from recollect.conversation.anchor import ANCHOR_MARK
from recollect.conversation.message_shape import Message, MessageShape, ParsedMessage, estimate_message
from recollect.conversation.pairing import PairFix, is_of_model, pair_step


def count_same(ours: Sequence[Message], given: Sequence[Message]) -> int:
    """How many messages are the same at the beginning of both: the very same, or else equal."""
    length = min(len(ours), len(given))
    start = 0
    while start < length:
        # By identity first, and all at once: a history of a thousand messages is asked about at every call.
        same = list(map(is_, islice(ours, start, length), islice(given, start, length)))
        if all(same):
            return length
        start += same.index(False)
        if ours[start] != given[start]:
            return start
        start += 1
    return length


class WindowSlot:
    """One message of the history, and what stands for it in the window."""

    __slots__ = (
        "calls_until",
        "is_fresh",
        "is_pinned",
        "message",
        "original",
        "parsed",
        "saving",
        "source",
        "stored",
        "tokens",
        "tools",
    )

    def __init__(self, message: Message, parsed: ParsedMessage, tokens: int, tools: dict[str, str]) -> None:
        """A message as it came."""
        self.source = self.message = message
        # As it came, for checkpoints: edits do not change it.
        self.original = self.parsed = parsed
        self.tokens = tokens
        # The tool of each result, by the id of its call.
        self.tools = tools
        self.is_fresh = True
        # How many calls were made up to here.
        self.calls_until = 0
        self.is_pinned = False
        # What masking its results would save; None while nobody has looked.
        self.saving: int | None = None
        # Handles of results that lie in the store already, by the id of their call.
        self.stored: dict[str, str] = {}

    def edit(self, message: Message, shape: MessageShape, image_tokens: int) -> None:
        """Let another message stand for it."""
        self.message = message
        self.saving = None
        self.parsed = shape.parse(message)
        self.tokens = estimate_message(self.parsed, image_tokens)


class StepSpan:
    """Where a step lies: in the messages given, and in the slots."""

    __slots__ = ("fixes", "slot_start", "source_end", "source_start")

    def __init__(self, source_start: int, source_end: int, slot_start: int, fixes: Sequence[PairFix]) -> None:
        """A step from one place to another."""
        self.source_start = source_start
        self.source_end = source_end
        self.slot_start = slot_start
        self.fixes = fixes


class History:
    """What was given, step by step. Only what is new is read; from a step that changed on, all is read again."""

    def __init__(self, image_tokens: int) -> None:
        """A history without messages."""
        self._image_tokens = image_tokens
        self._source: list[Message] = []
        self._steps: list[StepSpan] = []
        self.slots: list[WindowSlot] = []
        # What had to be put right in the steps that were read last.
        self.fixes: list[PairFix] = []

    def read(self, messages: Sequence[Message], shape: MessageShape) -> int:
        """Take the messages in; how many slots are the ones that were there before."""
        same = self.count_same(messages)
        keep = len(self._steps)
        while keep and not _is_over(self._steps[keep - 1], same, messages):
            keep -= 1
        first_changed = self._steps[keep].slot_start if keep < len(self._steps) else len(self.slots)
        reusable = {id(slot.source): slot for slot in self.slots[first_changed:]}
        del self._steps[keep:], self.slots[first_changed:]
        self._source = list(messages)
        self.fixes = []
        place = self._steps[-1].source_end if self._steps else 0
        while place < len(messages):
            end = place + 1
            while end < len(messages) and not is_of_model(messages[end]):
                end += 1
            self._add_step(place, end, shape, reusable)
            place = end
        return first_changed

    def is_continued_by(self, messages: Sequence[Message]) -> bool:
        """Whether these messages are the ones that were read, perhaps with more after them."""
        return self.count_same(messages) == len(self._source)

    def count_same(self, messages: Sequence[Message]) -> int:
        """How many messages are at the beginning of both this history and these."""
        return count_same(self._source, messages)

    def _add_step(self, start: int, end: int, shape: MessageShape, reusable: dict[int, WindowSlot]) -> None:
        given = [_without_anchor(message, shape) for message in self._source[start:end]]
        step = [message for message in given if message is not None]
        span = StepSpan(start, end, len(self.slots), ())
        self._steps.append(span)
        if not step:
            return
        paired = pair_step(step, shape)
        span.fixes = paired.fixes
        self.fixes += paired.fixes
        tools = {call.call_id: call.name for parsed in paired.parsed for call in parsed.calls}
        for message, parsed in zip(paired.messages, paired.parsed, strict=True):
            slot = reusable.get(id(message))
            if slot is None:
                tokens = estimate_message(parsed, self._image_tokens)
                slot = WindowSlot(message, parsed, tokens, tools if parsed.results else {})
            before = self.slots[-1].calls_until if self.slots else 0
            slot.calls_until = before + len(parsed.calls)
            self.slots.append(slot)


def _is_over(step: StepSpan, same: int, messages: Sequence[Message]) -> bool:
    """Whether a step is as it was, and cannot get longer by what follows it now."""
    if step.source_end > same:
        return False
    return step.source_end == len(messages) or is_of_model(messages[step.source_end])


def _without_anchor(message: Message, shape: MessageShape) -> Message | None:
    """A message without an anchor of ours that came back with it."""
    content = message.get("content") if isinstance(message, Mapping) else None
    # An anchor is the last thing that a message says.
    last = content[-1] if isinstance(content, list | tuple) and content else content
    text = last.get("text") if isinstance(last, Mapping) else last
    if not isinstance(text, str) or not text.startswith(ANCHOR_MARK):
        return message
    return shape.without_text(message, ANCHOR_MARK)
