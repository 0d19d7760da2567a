"""At a tool's result: what is known about a file, or about an error."""

from __future__ import annotations

from recollect.hooks.tool_result import at_tool_result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.events.event_dict import Form
    from recollect.hooks.hook_context import Here
    from recollect.hooks.tool_result import Spoken
    from recollect.hooks.watchdog import Watchdog


def speak(act: str, here: Here, worth: Form, watchdog: Watchdog) -> Spoken | None:
    """Say what is known."""
    return at_tool_result(here, worth)
