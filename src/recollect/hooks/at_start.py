"""When a session begins or was compacted: what is due is learned, and it is told its brief."""

from __future__ import annotations

from datetime import UTC, datetime

from recollect.clients import hook_events
from recollect.events.event_dict import mapping, string
from recollect.hooks import background
from recollect.hooks.session_start import SessionStart, opened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.events.event_dict import Form
    from recollect.hooks.hook_context import Here
    from recollect.hooks.session_text import Spoken
    from recollect.hooks.watchdog import Watchdog

# Of the time that is left to it, a start waits so much for what an earlier session taught.
_SHARE = 0.5


def speak(act: str, here: Here, worth: Form, watchdog: Watchdog) -> Spoken | None:
    """Learn what is due; tell the brief."""
    data = mapping(worth.get("data"))
    with opened(here, lambda: datetime.now(UTC)) as start:
        _learn(
            start, here, watchdog, tells_no_end=act == hook_events.START_UNHEARD and not data.get("parent")
        )
        if act == hook_events.START_UNHEARD:
            return None
        return start.moments.after_compaction() if data.get("source") == "compact" else start.moments.brief()


def first_prompt(here: Here, worth: Form, watchdog: Watchdog) -> Spoken | None:
    """The first prompt of a client that had no ear at the start; its start may still be under way beside this."""
    with opened(here, lambda: datetime.now(UTC)) as start:
        _learn(start, here, watchdog, tells_no_end=not start.is_of_another())
        return start.moments.prompted(string(worth.get("text")), opening=True)


def _learn(start: SessionStart, here: Here, watchdog: Watchdog, *, tells_no_end: bool) -> None:
    """In a process of its own: it may take longer than anybody waits here."""
    if tells_no_end:
        start.end_others()
    if start.learning_is_due():
        background.learn(here.db, here.folder, wait=watchdog.left() * _SHARE)
