"""At a tool's result: what is known about a file, or about an error."""

from __future__ import annotations

import time

from recollect.engine.tool_time import at_tool_result
from recollect.record.hook_log import log_of, note

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recollect.engine.tool_time import Spoken
    from recollect.record.form import Form
    from recollect.record.here import Here
    from recollect.surfaces.hooks.watchdog import Watchdog


def speak(act: str, here: Here, worth: Form, lines: Sequence[str], watchdog: Watchdog) -> Spoken | None:
    """Write the lines down, and say what is known; where that cannot be read, the lines are written all the same."""
    try:
        return at_tool_result(here, worth, lines)
    # Whatever is wrong with the store, what happened must reach the inbox.
    except Exception as error:  # noqa: BLE001
        here.write(lines)
        note(log_of(here.db), here.client, act, f"{type(error).__name__}: {error}", seconds=time.time())
        return None
