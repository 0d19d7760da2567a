"""Injecting a text into an agent's conversation once: what is said is written down in the same step."""

from __future__ import annotations

from recollect.events.inbox import append_after_reading
from recollect.events.injected import make_injected_event, read_told_ids
from recollect.hooks.hook_context import event_to_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from recollect.hooks.hook_context import HookContext
    from recollect.inject.injection import InjectionText

    # Given the ids of what was told before, the text to say now.
    WriteText = Callable[[Collection[str]], InjectionText | None]


def inject_once(
    context: HookContext, write_text: WriteText, list_told_before: Callable[[], set[str]]
) -> InjectionText | None:
    """Write what is said now into the inbox, with no other hook in between: nothing is told twice."""
    text: InjectionText | None = None

    def decide(waiting: bytes) -> Sequence[str]:
        nonlocal text
        told_ids, has_forgotten = read_told_ids(waiting, context.session_id, context.agent)
        text = write_text(told_ids if has_forgotten else told_ids | list_told_before())
        return [_injection_line(context, text)] if text and text.lines else []

    written = append_after_reading(context.inbox, decide, most_bytes=context.most_bytes)
    # Unwritten, it would be said again at the next step.
    return text if written or (text and not text.lines) else None


def _injection_line(context: HookContext, text: InjectionText) -> str:
    return event_to_line(
        make_injected_event(
            text.ledger(),
            moment=text.moment,
            bar=text.min_probability,
            id=context.new_id(),
            at=context.at,
            session_id=context.session_id,
            client=context.client,
            folder=context.folder,
            agent=context.agent,
        )
    )
