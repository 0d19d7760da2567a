"""
What follows a session, `python -m recollect.hooks.after_session DB FOLDER`: learning, upkeep, a sync of the vault.

Started by hooks in the background. One at a time does it; who comes meanwhile waits a little and then finds it done.
"""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from pathlib import Path

from recollect.api import Recollect
from recollect.config import load_settings, project_folder
from recollect.errors import RecollectError
from recollect.events.locks import process_lock
from recollect.hooks.log import log_of, note
from recollect.model.provenance import Channel

_MAX_WAIT_SECONDS = 30.0


def main(db: str, folder: str) -> None:
    """Learn from every session that is over, do what is due of upkeep, then bring the vault in step."""
    try:
        with process_lock(f"{db}.learning", _MAX_WAIT_SECONDS):
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
    settings = load_settings(project_folder(place))
    with Recollect(
        db, folder=place, settings=settings, actor="agent", channel=Channel.AGENT, create=False
    ) as memory:
        memory.observer.learn_due()
        with suppress(RecollectError):
            memory.upkeep.run()
        with suppress(RecollectError):
            if memory.vault.exists():
                memory.vault.sync()


if __name__ == "__main__":
    main(*sys.argv[1:3])
