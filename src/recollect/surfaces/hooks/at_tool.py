"""At a tool's result: what is known about a file, or about an error."""

from __future__ import annotations

from recollect.engine.tool_time import at_tool_result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.engine.tool_time import Spoken
    from recollect.record.form import Form
    from recollect.record.here import Here
    from recollect.surfaces.hooks.watchdog import Watchdog


def speak(act: str, here: Here, worth: Form, watchdog: Watchdog) -> Spoken | None:
    """Say what is known."""
    return at_tool_result(here, worth)
