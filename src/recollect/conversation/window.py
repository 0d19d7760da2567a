"""
The window: which messages go to the model, edited as little and as seldom as the limits allow.

It is given the history as it is, at every call, and gives back what to send. Nothing it was given is changed. What it
decided once it keeps to, so that what is sent begins as it did the last time and the provider's prompt cache holds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from operator import attrgetter

from recollect.conversation.anchor import anchor_text, find_request
from recollect.conversation.compaction import (
    WindowCut,
    plan_cut,
    store_checkpoint,
    summarise,
)
from recollect.conversation.edits import WindowEditor
from recollect.conversation.history import History, WindowSlot, count_same
from recollect.conversation.masking import handle_in
from recollect.conversation.message_shape import Message, MessageShape, UsageAnchor, estimate_message
from recollect.conversation.overflow import OverflowStore
from recollect.conversation.report import (
    CacheBreak,
    WindowCompaction,
    WindowReport,
    WindowView,
)
from recollect.conversation.shapes import SHAPES, detect_shape, find_shape
from recollect.conversation.summary import SummaryParts, summary_text
from recollect.conversation.summary_model import SummaryWriter
from recollect.model.tokens import estimate_tokens
from recollect.model.window_settings import WindowSettings

# To how many characters single texts are cut when nothing else helps, one after the other.
_LAST_RESORTS = (8_000, 2_000, 400)
_TOKENS = attrgetter("tokens")
_MESSAGE = attrgetter("message")


class Window:
    """
    A window over one conversation, for Anthropic- and OpenAI-shaped messages.

    >>> window = Window(overflow=OverflowStore(".agent/overflow"))
    >>> view = window.prepare(messages)          # at every call of the model
    >>> answer = client.create(messages=view.messages)
    >>> window.note_usage(answer.usage.input_tokens)
    """

    def __init__(
        self,
        settings: WindowSettings | None = None,
        *,
        shape: str = "auto",
        overflow: OverflowStore | None = None,
        writer: SummaryWriter | None = None,
        on_compaction: Callable[[WindowCompaction, SummaryParts], None] | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """`overflow` keeps long and dropped texts; `writer` is a model for summaries; both can be left out."""
        self.settings = settings or WindowSettings()
        self.overflow = overflow
        self._shape: MessageShape | None = None if shape == "auto" else find_shape(shape)
        self._writer = writer
        self._on_compaction = on_compaction
        self._clock = clock
        self._pinned: list[Message] = []
        self._has_new_pins = False
        self._overhead = 0
        self._history = History(self.settings.image_tokens)
        self._cut = WindowCut()
        self._summary: Message | None = None
        self._summary_tokens = 0
        self.parts = SummaryParts()
        self._usage = UsageAnchor()
        self._sent_estimate = 0
        self._body: list[Message] = []
        self._sent: list[Message] = []
        # How many slots the last call saw, and before which one nothing is left to mask.
        self._seen = 0
        self._unmasked = 0
        self._images: list[int] = []
        self._request: int | None = None
        # A compaction that did not help is not tried again below this.
        self._no_cut_below = 0

    def pin(self, *messages: Message) -> None:
        """Keep these very messages, verbatim, through every edit."""
        self._pinned += messages
        self._has_new_pins = True

    def note_usage(self, input_tokens: int) -> None:
        """What the provider counted for the messages prepared last, tokens from its cache included."""
        if input_tokens > 0:
            self._usage = UsageAnchor(reported=input_tokens, estimated=self._sent_estimate)

    def prepare(self, messages: Sequence[Message], *, overhead_tokens: int = 0) -> WindowView:
        """What to send for this history, and what was done to it. The system prompt and tools are the overhead."""
        self._overhead = overhead_tokens
        shape = self._shape_of(messages)
        notes = self._take_in(messages, shape)
        slots = self._history.slots
        editor = WindowEditor(self.settings, shape, self.overflow, self._clock())
        before = self._count(slots)
        self._overflow_new(editor)
        request = self._request
        compactions = self._shrink(editor, shape, request)
        body = self._assemble()
        broken = self._find_break(body)
        anchor = self._anchor(request)
        sent = _with_anchor(body, anchor, shape)
        self._sent, self._body, self._seen = sent, body, len(slots)
        self._sent_estimate = self._estimate(slots) + estimate_tokens(anchor)
        tokens = self._usage.count(self._sent_estimate)
        report = WindowReport(
            messages_before=len(messages),
            messages_after=len(sent),
            tokens_before=before,
            tokens_after=tokens,
            is_anchored=bool(self._usage.reported),
            edits=tuple(editor.edits),
            compactions=tuple(compactions),
            fixes=tuple(self._history.fixes),
            cache_break=broken,
            anchor=anchor,
            notes=(*notes, *self._warn(tokens)),
        )
        return WindowView(messages=sent, report=report, stable=len(body))

    # -- taking the history in -----------------------------------------------------------------------------

    def _shape_of(self, messages: Sequence[Message]) -> MessageShape:
        if self._shape is not None:
            return self._shape
        detected = detect_shape(messages)
        if detected is not None:
            self._shape = detected
        return detected or SHAPES["anthropic"]

    def _take_in(self, messages: Sequence[Message], shape: MessageShape) -> list[str]:
        """Read what is new. A history that is the last view with more after it goes on from that view."""
        history = self._history
        if not history.is_continued_by(messages) and self._sent and _begins_with(messages, self._sent):
            # Whoever calls keeps what we sent: the summary is one of the messages now.
            self._history, self._seen = History(self.settings.image_tokens), 0
            self._cut, self._summary, self._summary_tokens = WindowCut(), None, 0
        same = self._history.read(messages, shape)
        self._look_at_new(same)
        if same < self._cut.end:
            self._cut, self._summary, self._summary_tokens = WindowCut(), None, 0
            self.parts = SummaryParts()
            return ["The history is another one than before; it was read anew."]
        return []

    def _look_at_new(self, same: int) -> None:
        """Note what later steps ask for at every call, so that none of them walks over the whole history."""
        slots = self._history.slots
        self._seen = min(self._seen, same)
        self._unmasked = min(self._unmasked, same)
        self._images = [index for index in self._images if index < same]
        self._images += [index for index in range(same, len(slots)) if slots[index].parsed.images]
        newest = find_request([slot.parsed for slot in slots[same:]])
        if newest is not None:
            self._request = same + newest
        elif self._request is not None and self._request >= same:
            self._request = find_request([slot.parsed for slot in slots])
        self._mark_pinned(same)

    def _mark_pinned(self, first: int) -> None:
        """Mark what was pinned, by identity, else by equality; rules are pinned by themselves."""
        wanted = {id(message) for message in self._pinned}
        for slot in self._history.slots[0 if self._has_new_pins else first :]:
            slot.is_pinned = slot.parsed.is_rule or id(slot.source) in wanted or slot.source in self._pinned
        self._has_new_pins = False

    # -- edits -----------------------------------------------------------------------------------------------

    def _overflow_new(self, editor: WindowEditor) -> None:
        slots = self._history.slots
        first = len(slots)
        while first > self._cut.end and slots[first - 1].is_fresh:
            first -= 1
        start = first
        while start < len(slots):
            end = start + 1
            while end < len(slots) and slots[end].parsed.results and slots[end].tools is slots[start].tools:
                end += 1
            if slots[start].parsed.results:
                editor.overflow(slots[start:end], start)
            start = end
        for slot in slots[first:]:
            slot.is_fresh = False

    def _shrink(
        self, editor: WindowEditor, shape: MessageShape, request: int | None
    ) -> list[WindowCompaction]:
        settings, slots = self.settings, self._history.slots
        self._mask_stale(editor, is_urgent=False)
        compactions: list[WindowCompaction] = []
        if self._count(slots) > max(settings.summarise_above_tokens, self._no_cut_below):
            self._mask_stale(editor, is_urgent=True)
        if self._count(slots) > max(settings.summarise_above_tokens, self._no_cut_below):
            compactions += self._compact("summarised", settings.summarise_keep_messages, request, shape)
            self._mask_tail(editor)
        if self._count(slots) > settings.fallback_above_tokens:
            for keep in range(settings.fallback_keep_messages, settings.fallback_keep_least - 1, -5):
                compactions += self._compact("fallback", keep, request, shape)
                if self._count(slots) <= settings.fallback_above_tokens:
                    break
            self._fit(editor, request)
        return compactions

    def _mask_stale(self, editor: WindowEditor, *, is_urgent: bool) -> None:
        """Compress what is old, and drop old images: all at once, when it is worth breaking the cache."""
        settings, slots = self.settings, self._history.slots
        first = max(self._unmasked, self._cut.end)
        stale = range(first, max(first, len(slots) - settings.stale_after_messages))
        due = [(index, editor.saving_of_mask(slots[index])) for index in stale if slots[index].parsed.results]
        due = [(index, saving) for index, saving in due if saving > 0]
        images = self._old_images()
        saving = sum(saving for _, saving in due) + sum(
            settings.image_tokens * len(slots[index].parsed.images) for index in images
        )
        if saving < (1 if is_urgent else max(1, settings.edit_at_least_tokens)):
            # One at a time, as they become stale: the batch to come then writes nothing.
            any(editor.store_ahead(slots[index]) for index, _ in due)
            return
        for index, _ in due:
            editor.mask(slots[index], index)
        self._unmasked = stale.stop
        for index in images:
            editor.drop_images(slots[index], index)

    def _old_images(self) -> list[int]:
        """Messages whose images are older than so many iterations of the agent."""
        slots = self._history.slots
        holders = [i for i in self._images if i >= self._cut.end and slots[i].parsed.images]
        if not holders:
            return []
        iterations, place = 0, len(slots)
        while place > self._cut.end and iterations < self.settings.image_keep_iterations:
            place -= 1
            iterations += slots[place].parsed.role == "assistant"
        return [index for index in holders if index < place]

    def _mask_tail(self, editor: WindowEditor) -> None:
        """Where what stays is still too much, compress all of it but the newest step, whatever its age."""
        slots = self._history.slots
        if self._count(slots) <= self.settings.summarise_above_tokens:
            return
        newest = len(slots) - 1
        while newest > self._cut.end and slots[newest].parsed.role != "assistant":
            newest -= 1
        for index in range(self._cut.end, newest):
            editor.mask(slots[index], index, critical_too=True)

    def _fit(self, editor: WindowEditor, request: int | None) -> None:
        """No message alone may keep the window over its limit: the longest texts are cut, pinned ones last."""
        slots = self._history.slots
        pinned = self._pinned_slots(request)
        indexes = [*range(self._cut.end, len(slots)), *self._cut.pinned]
        for group in ([i for i in indexes if i not in pinned], [i for i in indexes if i in pinned]):
            for most in _LAST_RESORTS:
                for index in sorted(group, key=lambda place: -slots[place].tokens):
                    if self._count(slots) <= self.settings.fallback_above_tokens:
                        return
                    editor.shorten(slots[index], index, most)
                    if slots[index].parsed.images:
                        editor.drop_images(slots[index], index)

    # -- compaction ------------------------------------------------------------------------------------------

    def _compact(
        self, action: str, keep: int, request: int | None, shape: MessageShape
    ) -> list[WindowCompaction]:
        """Take old messages out, if that makes the window smaller; what came of it."""
        slots, settings, earlier = self._history.slots, self.settings, self._cut
        cut = plan_cut(slots, keep, self._pinned_slots(request), earlier)
        stay = set(cut.pinned)
        out = [i for i in (*earlier.pinned, *range(earlier.end, cut.end)) if i not in stay]
        before = self._count(slots)
        leaving = sum(slots[index].tokens for index in out)
        least = max(settings.shrink_share * self._estimate(slots), settings.summary_characters // 8)
        if not out or leaving < least:
            self._no_cut_below = round(before * (1 + settings.shrink_share))
            return []
        handle = store_checkpoint(self.overflow, [slots[i] for i in out], out[0], self._clock())
        self.parts, author, notes = summarise(
            [slots[i] for i in out], self.parts, writer=self._writer, settings=settings, handle=handle
        )
        text = summary_text(self.parts, settings.summary_characters)
        self._cut = cut
        self._summary = shape.note(text)
        self._summary_tokens = estimate_message(shape.parse(self._summary), settings.image_tokens)
        self._no_cut_below = 0
        done = WindowCompaction(
            action=action,
            messages=len(out),
            tokens_before=before,
            tokens_after=self._count(slots),
            handle=handle,
            text=text,
            written_by=author,
            notes=notes,
        )
        if done.tokens_after > settings.summarise_above_tokens:
            self._no_cut_below = round(done.tokens_after * (1 + settings.shrink_share))
        self._prune_overflow()
        if self._on_compaction is not None:
            self._on_compaction(done, self.parts)
        return [done]

    def _prune_overflow(self) -> None:
        """Let old files go, but none that the window still names."""
        if self.overflow is None:
            return
        texts = (part.text for slot in self._history.slots for part in slot.parsed.results)
        named = [*filter(None, map(handle_in, texts)), *self.parts.checkpoints]
        settings = self.settings
        self.overflow.prune(
            now=self._clock(),
            keep_files=settings.overflow_keep_files,
            keep_days=settings.overflow_keep_days,
            keep=named,
        )

    def _pinned_slots(self, request: int | None) -> set[int]:
        """Rules, the person's request, and what was pinned."""
        pinned = {index for index, slot in enumerate(self._history.slots) if slot.is_pinned}
        return pinned if request is None else pinned | {request}

    # -- what is sent ----------------------------------------------------------------------------------------

    def _assemble(self) -> list[Message]:
        slots, cut = self._history.slots, self._cut
        head = [slots[index].message for index in cut.pinned]
        summary = [self._summary] if self._summary is not None else []
        return [*head, *summary, *map(_MESSAGE, slots[cut.end :])]

    def _tokens_of_body(self) -> list[int]:
        slots, cut = self._history.slots, self._cut
        head = [slots[index].tokens for index in cut.pinned]
        summary = [self._summary_tokens] if self._summary is not None else []
        return [*head, *summary, *map(_TOKENS, slots[cut.end :])]

    def _anchor(self, request: int | None) -> str:
        every, slots = self.settings.anchor_every_calls, self._history.slots
        if not every or request is None:
            return ""
        calls = slots[-1].calls_until - slots[request].calls_until
        if calls < every:
            return ""
        return anchor_text(slots[request].original.text, calls, self.settings.anchor_goal_characters)

    def _find_break(self, body: Sequence[Message]) -> CacheBreak | None:
        """Where what is sent now stops being what was sent the last time, and what that costs."""
        last = self._body
        place = count_same(last, body)
        if place == len(last):
            return None
        # What stays of the old messages is written to the cache again; what is new would be written anyway.
        fresh = len(self._history.slots) - self._seen
        again = round(sum(self._tokens_of_body()[place : len(body) - fresh]) * self._usage.ratio)
        price = self.settings.cache_write_price - self.settings.cache_read_price
        return CacheBreak(message=place, tokens_again=again, cost=round(again * price))

    # -- counting --------------------------------------------------------------------------------------------

    def _estimate(self, slots: Sequence[WindowSlot]) -> int:
        standing: int = sum(map(_TOKENS, slots[self._cut.end :])) + sum(
            slots[i].tokens for i in self._cut.pinned
        )
        return standing + self._summary_tokens + self._overhead

    def _count(self, slots: Sequence[WindowSlot]) -> int:
        return self._usage.count(self._estimate(slots))

    def _warn(self, tokens: int) -> tuple[str, ...]:
        if tokens <= self.settings.fallback_above_tokens:
            return ()
        return (f"The window still holds about {tokens:,} tokens: what stays cannot be cut further.",)


def _with_anchor(body: Sequence[Message], anchor: str, shape: MessageShape) -> list[Message]:
    """The messages with the anchor at their end, where nothing that is cached comes after it."""
    if not anchor or not body:
        return list(body)
    attached = shape.attach(body[-1], anchor)
    if attached is not None:
        return [*body[:-1], attached]
    return [*body, shape.note(anchor)]


def _begins_with(messages: Sequence[Message], first: Sequence[Message]) -> bool:
    return count_same(first, messages) == len(first)
