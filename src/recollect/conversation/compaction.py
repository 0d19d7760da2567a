"""
Compaction: old messages leave the window, a summary and a checkpoint take their place, and pinned ones stay verbatim.

A compaction shrinks the window or is not made. Which messages stay is decided for whole steps, so no call is parted
from its result.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from recollect.conversation.history import WindowSlot
from recollect.conversation.overflow import OverflowStore
from recollect.conversation.summary import SummaryParts, extract, summary_text
from recollect.conversation.summary_model import SummaryWriter, render_messages, write_summary
from recollect.model.value import dataclass, replace
from recollect.model.window_settings import WindowSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowCut:
    """Which slots are out of the window: all before `end` but those that are pinned."""

    end: int = 0
    pinned: tuple[int, ...] = ()


def plan_cut(
    slots: Sequence[WindowSlot], keep: int, pinned: Collection[int], earlier: WindowCut
) -> WindowCut:
    """A cut that leaves the last so many messages and what is pinned, and parts no call from its result."""
    end = max(earlier.end, len(slots) - keep)
    while 0 < end < len(slots) and slots[end].parsed.results:
        end -= 1
    stay = {index for index in pinned if index < end}
    for index in list(stay):
        stay |= _step_around(slots, index)
    return WindowCut(end=end, pinned=tuple(sorted(index for index in stay if index < end)))


def summarise(
    slots: Sequence[WindowSlot],
    so_far: SummaryParts,
    *,
    writer: SummaryWriter | None,
    settings: WindowSettings,
    handle: str,
) -> tuple[SummaryParts, str, tuple[str, ...]]:
    """What is known of these messages and those before; who wrote it; and what went wrong with that."""
    messages = [slot.original for slot in slots]
    parts = so_far.join(extract(messages))
    if handle:
        parts = replace(parts, checkpoints=(*parts.checkpoints, handle))
    if writer is None:
        return parts, "extractive", ()
    earlier = so_far.prose or (summary_text(so_far, settings.summary_characters) if so_far.messages else "")
    try:
        prose = write_summary(writer, messages, so_far=earlier, tokens=settings.summariser_tokens)
    except Exception as error:  # noqa: BLE001 - a writer may be anybody's code, and a window must not fail for it
        return parts, "extractive", (f"The summarising model failed: {error}",)
    if not prose:
        return parts, "extractive", ("The summarising model answered nothing.",)
    return replace(parts, prose=prose[: settings.summary_characters // 2]), writer.name, ()


def store_checkpoint(
    store: OverflowStore | None, slots: Sequence[WindowSlot], first: int, now: datetime
) -> str:
    """Keep messages word for word as they came; the handle they are read by."""
    if store is None or not slots:
        return ""
    text = render_messages([slot.original for slot in slots], first)
    return store.put(text, tool="checkpoint", now=now, kind="c")


def _step_around(slots: Sequence[WindowSlot], index: int) -> set[int]:
    """The call and all the results that a message belongs with."""
    if not (slots[index].parsed.calls or slots[index].parsed.results):
        return set()
    first = index
    while first > 0 and slots[first].parsed.results:
        first -= 1
    together = {first}
    for place in range(first + 1, len(slots)):
        if not slots[place].parsed.results:
            break
        together.add(place)
    return together
