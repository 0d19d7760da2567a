"""Saying something to an agent, once: what is said is written down in the same step."""

from __future__ import annotations

from recollect.events.inbox import append_after_a_look
from recollect.events.injected import injected_form, told_in
from recollect.hooks.recording import line_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from recollect.hooks.hook_context import Here
    from recollect.inject.injection import Spoken

    # Given what was told before, what to say now.
    Say = Callable[[Collection[str]], Spoken | None]


def say_once(here: Here, say: Say, told_before: Callable[[], set[str]]) -> Spoken | None:
    """Write what is said now into the inbox, with no other hook in between: nothing is told twice."""
    spoken: Spoken | None = None

    def decide(waiting: bytes) -> Sequence[str]:
        nonlocal spoken
        told, forgot = told_in(waiting, here.session_id, here.agent)
        spoken = say(told if forgot else told | told_before())
        return [_ledger_line(here, spoken)] if spoken and spoken.lines else []

    kept = append_after_a_look(here.inbox, decide, most_bytes=here.most_bytes)
    # Unwritten, it would be said again at the next step.
    return spoken if kept or (spoken and not spoken.lines) else None


def _ledger_line(here: Here, spoken: Spoken) -> str:
    return line_of(
        injected_form(
            spoken.ledger(),
            moment=spoken.moment,
            bar=spoken.bar,
            id=here.new_id(),
            at=here.at,
            session_id=here.session_id,
            client=here.client,
            folder=here.folder,
            agent=here.agent,
        )
    )
