"""When a session begins or was compacted: what is due is learned, and it is told its brief."""

from __future__ import annotations

from datetime import UTC, datetime

from recollect.engine.session_start import SessionStart, opened
from recollect.record.form import mapping
from recollect.surfaces.hooks import background, table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recollect.engine.moments import Spoken
    from recollect.record.form import Form
    from recollect.record.here import Here
    from recollect.surfaces.hooks.watchdog import Watchdog

# A start waits at most so many seconds for what an earlier session taught, and keeps some of its time for the brief.
_WAITS = 0.4
_KEEPS = 0.25


def speak(act: str, here: Here, worth: Form, lines: Sequence[str], watchdog: Watchdog) -> Spoken | None:
    """Write the lines down before anything else is tried; learn what is due; tell the brief."""
    here.write(lines)
    data = mapping(worth.get("data"))
    unheard = act == table.START_UNHEARD
    with opened(here, lambda: datetime.now(UTC)) as start:
        if unheard and not data.get("parent"):
            start.end_others()
        _learn(start, here, watchdog)
        if unheard:
            return None
        return start.moments.after_compaction() if data.get("source") == "compact" else start.moments.brief()


def _learn(start: SessionStart, here: Here, watchdog: Watchdog) -> None:
    """In a process of its own: it may take longer than anybody waits here."""
    if start.learning_is_due():
        background.learn(here.db, here.folder, wait=min(_WAITS, watchdog.left() - _KEEPS))
