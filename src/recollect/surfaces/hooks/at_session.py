"""When a session is asked something or starts a subagent: what fits."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from recollect.engine.moments import opened
from recollect.record.form import string
from recollect.surfaces.hooks import table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recollect.engine.moments import Spoken
    from recollect.record.form import Form
    from recollect.record.here import Here
    from recollect.surfaces.hooks.watchdog import Watchdog


def speak(act: str, here: Here, worth: Form, lines: Sequence[str], watchdog: Watchdog) -> Spoken | None:
    """Write the lines down before anything else is tried, then say what there is to say."""
    # Our matrices are small: a second thread costs more to start than it saves. Set before numpy is imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    here.write(lines)
    if not os.path.exists(here.db):  # noqa: PTH110
        return None
    with opened(here, lambda: datetime.now(UTC)) as moments:
        if act == table.SUBAGENT:
            return moments.subagent_started()
        return moments.prompted(string(worth.get("text")))


def is_first_prompt(here: Here) -> bool:
    """Whether nothing was asked in this session before."""
    with opened(here, lambda: datetime.now(UTC)) as moments:
        return moments.is_first_prompt()
