"""When a session begins, is asked something, starts a subagent or was compacted: its brief, or what fits."""

from __future__ import annotations

from datetime import UTC, datetime

from recollect.engine.moments import Moments, opened
from recollect.record.form import mapping, string
from recollect.surfaces.hooks import background, table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recollect.engine.moments import Spoken
    from recollect.record.form import Form
    from recollect.record.here import Here
    from recollect.surfaces.hooks.watchdog import Watchdog

# A session's start waits at most so long for what an earlier session taught, and leaves the rest of its time alone.
_WAITS = 0.4
_KEEPS = 0.25


def speak(act: str, here: Here, worth: Form, lines: Sequence[str], watchdog: Watchdog) -> Spoken | None:
    """Write the lines down before anything else is tried, then say what there is to say."""
    here.write(lines)
    with opened(here, lambda: datetime.now(UTC)) as moments:
        match act:
            case table.PROMPT | table.OPENING_PROMPT:
                return moments.prompted(string(worth.get("text")), opening=act == table.OPENING_PROMPT)
            case table.SUBAGENT:
                return moments.subagent_started()
            case _:
                return _started(act, moments, here, worth, watchdog)


def _started(act: str, moments: Moments, here: Here, worth: Form, watchdog: Watchdog) -> Spoken | None:
    data = mapping(worth.get("data"))
    unheard = act == table.START_UNHEARD
    if moments.learning_is_due(others_are_over=unheard and not data.get("parent")):
        child = background.start(here.db, here.folder)
        background.wait_for(child, min(_WAITS, watchdog.left() - _KEEPS))
    if unheard:
        return None
    return moments.after_compaction() if data.get("source") == "compact" else moments.brief()
