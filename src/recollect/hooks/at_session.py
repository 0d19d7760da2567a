"""When a session is asked something or starts a subagent: what fits."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from recollect.clients import hook_events
from recollect.events.event_dict import string
from recollect.hooks.session_text import opened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.events.event_dict import Form
    from recollect.hooks.hook_context import Here
    from recollect.hooks.session_text import Spoken
    from recollect.hooks.watchdog import Watchdog


def speak(act: str, here: Here, worth: Form, watchdog: Watchdog) -> Spoken | None:
    """Say what there is to say."""
    # Our matrices are small: a second thread costs more to start than it saves. Set before numpy is imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if not os.path.exists(here.db):  # noqa: PTH110
        return None
    with opened(here, lambda: datetime.now(UTC)) as moments:
        if act == hook_events.SUBAGENT:
            return moments.subagent_started()
        return moments.prompted(string(worth.get("text")))


def is_first_prompt(here: Here) -> bool:
    """Whether nothing was asked in this session before."""
    with opened(here, lambda: datetime.now(UTC)) as moments:
        return moments.is_first_prompt()
