"""At the end of a session: it is learned from in the background, since nobody waits for this hook for long."""

from __future__ import annotations

from recollect.hooks import background

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.events.event_dict import Form
    from recollect.hooks.hook_context import Here
    from recollect.hooks.watchdog import Watchdog


def speak(act: str, here: Here, worth: Form, watchdog: Watchdog) -> None:
    """Start learning, say nothing."""
    background.learn(here.db, here.folder)
