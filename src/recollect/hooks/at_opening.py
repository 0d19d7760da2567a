"""When a client that has no ear at a session's start is asked something: the first time it is told its brief too."""

from __future__ import annotations

import os
from importlib import import_module

from recollect.hooks import at_session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.events.event_dict import Form
    from recollect.hooks.hook_context import Here
    from recollect.hooks.session_text import Spoken
    from recollect.hooks.watchdog import Watchdog


def speak(act: str, here: Here, worth: Form, watchdog: Watchdog) -> Spoken | None:
    """The first prompt begins the session, later ones are prompts like any other."""
    if os.path.exists(here.db) and not at_session.is_first_prompt(here):  # noqa: PTH110
        return at_session.speak(act, here, worth, watchdog)
    # What a start loads is not loaded for the prompts that follow.
    start = import_module("recollect.hooks.at_start")
    spoken: Spoken | None = start.first_prompt(here, worth, watchdog)
    return spoken
