"""The edits a window makes to single messages: overflow, masks, images, and texts that alone are too long."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from recollect.conversation.history import WindowSlot
from recollect.conversation.masking import (
    IMAGE_NOTE,
    READ_TOOL,
    cut_text,
    handle_in,
    is_critical,
    is_masked,
    mask_text,
    preview_text,
)
from recollect.conversation.message_shape import MessageShape, Position, ToolResultPart
from recollect.conversation.overflow import OverflowStore
from recollect.conversation.report import WindowEdit
from recollect.model.tokens import CHARACTERS_PER_TOKEN
from recollect.model.window_settings import WindowSettings

# A mask must save at least so much to be worth an edit.
_MIN_SAVED = 120


class WindowEditor:
    """Edits slots and says what it did. Whole texts go to the overflow store, if there is one."""

    def __init__(
        self, settings: WindowSettings, shape: MessageShape, store: OverflowStore | None, now: datetime
    ) -> None:
        """An editor for one call of the model."""
        self._settings = settings
        self._shape = shape
        self._store = store
        self._now = now
        self.edits: list[WindowEdit] = []

    def overflow(self, slots: Sequence[WindowSlot], first: int) -> None:
        """Long results that just arrived go to files; of several at once, the longest until all fit together."""
        arrived = [
            (first + number, slot, part)
            for number, slot in enumerate(slots)
            if not slot.is_pinned
            for part in slot.parsed.results
        ]
        together = sum(len(part.text) for _, _, part in arrived)
        most = self._settings.overflow_together_factor * max(
            (self._limits(slot, part)[0] for _, slot, part in arrived), default=0
        )
        texts: dict[int, dict[Position, str]] = {}
        for index, slot, part in sorted(arrived, key=lambda arrival: -len(arrival[2].text)):
            limit, preview = self._limits(slot, part)
            size = len(part.text)
            if size <= limit and (together <= most or size <= preview + _MIN_SAVED):
                continue
            text = self._preview(index, slot, part, preview)
            if text is not None:
                texts.setdefault(index - first, {})[part.position] = text
                together += len(text) - size
        for number, replacements in texts.items():
            self._replace(slots[number], replacements)

    def _preview(self, index: int, slot: WindowSlot, part: ToolResultPart, characters: int) -> str | None:
        tool = _tool_of(slot, part)
        if self._store is None or handle_in(part.text):
            return None
        handle = self._store.put(part.text, tool=tool, now=self._now)
        text = preview_text(part.text, tool=tool, handle=handle, characters=characters)
        self._note("overflowed", index, slot, part, text, handle)
        return text

    def saving_of_mask(self, slot: WindowSlot) -> int:
        """How many tokens masking the results of a message would save."""
        if slot.saving is None:
            spare = self._settings.stale_characters + _MIN_SAVED
            saved = sum(len(part.text) - spare for part in self._maskable(slot, critical_too=False))
            slot.saving = saved // CHARACTERS_PER_TOKEN
        return slot.saving

    def store_ahead(self, slot: WindowSlot) -> bool:
        """Store what masking a message will need, so that a batch of masks writes no files; whether it did."""
        if self._store is None:
            return False
        ahead = [
            part
            for part in self._maskable(slot, critical_too=False)
            if part.call_id not in slot.stored and not handle_in(part.text)
        ]
        for part in ahead:
            slot.stored[part.call_id] = self._store.put(part.text, tool=_tool_of(slot, part), now=self._now)
        return bool(ahead)

    def mask(self, slot: WindowSlot, index: int, *, critical_too: bool = False) -> None:
        """Compress the results of a message; what they said goes to the store first."""
        texts: dict[Position, str] = {}
        for part in self._maskable(slot, critical_too=critical_too):
            tool = _tool_of(slot, part)
            whole = next(
                (result.text for result in slot.original.results if result.call_id == part.call_id), part.text
            )
            handle = handle_in(part.text) or slot.stored.get(part.call_id, "")
            if not handle and self._store is not None:
                handle = self._store.put(whole, tool=tool, now=self._now)
            text = mask_text(
                part.text,
                tool=tool,
                handle=handle,
                size=len(whole),
                characters=self._settings.stale_characters,
                is_error=part.is_error,
            )
            if len(text) < len(part.text):
                texts[part.position] = text
                self._note("masked", index, slot, part, text, handle)
        if texts:
            self._replace(slot, texts)

    def drop_images(self, slot: WindowSlot, index: int) -> None:
        """Put a sentence where the images of a message were."""
        self.edits.append(WindowEdit(action="image_dropped", message=index))
        slot.edit(
            self._shape.replace_images(slot.message, IMAGE_NOTE), self._shape, self._settings.image_tokens
        )

    def shorten(self, slot: WindowSlot, index: int, most: int) -> None:
        """Cut every text of a message that is longer than so many characters; the whole goes to the store."""
        before = slot.parsed.characters
        handles: list[str] = []

        def cut(text: str) -> str:
            if len(text) <= most + _MIN_SAVED:
                return text
            handle = handle_in(text)
            if not handle and self._store is not None:
                handle = self._store.put(text, tool="message", now=self._now)
            handles.append(handle)
            return cut_text(text, handle=handle, characters=most)

        message = self._shape.shorten(slot.message, cut)
        if not handles:
            return
        slot.edit(message, self._shape, self._settings.image_tokens)
        self.edits.append(
            WindowEdit(
                action="shortened",
                message=index,
                characters_before=before,
                characters_after=slot.parsed.characters,
                handle=", ".join(filter(None, handles)),
            )
        )

    def _maskable(self, slot: WindowSlot, *, critical_too: bool) -> list[ToolResultPart]:
        settings = self._settings
        if slot.is_pinned:
            return []
        least = settings.stale_characters + _MIN_SAVED
        return [
            part
            for part in slot.parsed.results
            if len(part.text) > least
            and not is_masked(part.text, settings.stale_characters)
            and (critical_too or not is_critical(_tool_of(slot, part), settings.critical_tools))
        ]

    def _limits(self, slot: WindowSlot, part: ToolResultPart) -> tuple[int, int]:
        settings = self._settings
        tool = _tool_of(slot, part)
        # What was read back from a file must not go into one again.
        if tool == READ_TOOL or is_critical(tool, settings.critical_tools):
            return settings.critical_overflow_characters, settings.critical_preview_characters
        return settings.overflow_characters, settings.preview_characters

    def _replace(self, slot: WindowSlot, texts: dict[Position, str]) -> None:
        message = self._shape.replace_results(slot.message, texts)
        slot.edit(message, self._shape, self._settings.image_tokens)

    def _note(
        self, action: str, index: int, slot: WindowSlot, part: ToolResultPart, text: str, handle: str
    ) -> None:
        self.edits.append(
            WindowEdit(
                action=action,
                message=index,
                tool=_tool_of(slot, part),
                call_id=part.call_id,
                characters_before=len(part.text),
                characters_after=len(text),
                handle=handle,
            )
        )


def _tool_of(slot: WindowSlot, part: ToolResultPart) -> str:
    return slot.tools.get(part.call_id, "tool")
