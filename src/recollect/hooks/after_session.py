"""
What follows a session, `python -m recollect.hooks.after_session DB FOLDER`: learning and upkeep.

Started by hooks in the background. One at a time does it; who comes meanwhile waits a little and then finds it done.
"""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from pathlib import Path

from recollect.api import Recollect
from recollect.config import load, project_folder
from recollect.errors import RecollectError
from recollect.hooks.log import log_of, note
from recollect.hooks.process_lock import its_turn
from recollect.model.provenance import Channel

_WAITS_SECONDS = 30.0


def main(db: str, folder: str) -> None:
    """Learn from every session that is over, then do what is due of upkeep."""
    try:
        with its_turn(f"{db}.learning", _WAITS_SECONDS):
            learn_and_look_after(db, folder)
    # Nobody listens to this process: whatever stops it is written down for `recollect doctor`.
    except Exception as error:  # noqa: BLE001
        note(
            log_of(db),
            "recollect",
            "afterwards",
            f"{type(error).__name__}: {error}",
            seconds=time.time(),
        )


def learn_and_look_after(db: str, folder: str) -> None:
    """The work itself."""
    place = Path(folder)
    settings = load(project_folder(place))
    with Recollect(
        db, folder=place, settings=settings, actor="agent", channel=Channel.AGENT, create=False
    ) as memory:
        memory.observer.learn_due()
        with suppress(RecollectError):
            memory.upkeep.run()


if __name__ == "__main__":
    main(*sys.argv[1:3])
