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
from recollect.api.learning import describe_day
from recollect.config import load_settings, project_folder
from recollect.errors import RecollectError
from recollect.events.gate_words import recording_prefix
from recollect.events.locks import process_lock
from recollect.hooks import hook_settings
from recollect.hooks.gate_refresh import refresh_gate_words
from recollect.hooks.log import log_of, note
from recollect.model.provenance import Channel

_MAX_WAIT_SECONDS = 30.0
# Longer than any hook runs.
_MAX_RECORDING_SECONDS = 5.0
_POLL_SECONDS = 0.01
# So long notes are embedded after each session; what is left has its turn after the next.
_EMBEDDING_SECONDS = 20.0


def main(db: str, folder: str) -> None:
    """Learn from every session that is over, do what is due of upkeep, then bring the vault in step."""
    try:
        with process_lock(f"{db}.learning", _MAX_WAIT_SECONDS):
            learn_and_look_after(db, folder)
        # The next session's first step need not wait for it.
        refresh_gate_words(db, hook_settings.usual_db())
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
    wait_for_recorders(db)
    place = Path(folder)
    settings = load_settings(project_folder(place))
    if settings.text("url"):
        # Loaded here: most memories are on this machine.
        from recollect.remote.sync import sync_with_server

        sync_with_server(settings, place)
        return
    with Recollect(
        db, folder=place, settings=settings, actor="agent", channel=Channel.AGENT, create=False
    ) as memory:
        memory.observer.learn_due()
        with suppress(RecollectError):
            memory.learning.run_due()
        with suppress(RecollectError):
            memory.upkeep.run()
        for root in memory.vault.here():
            bring_in_step(memory, root)


def bring_in_step(memory: Recollect, root: Path) -> None:
    """The notes of a vault and memory; what goes wrong in one of the acts stops no other."""
    memory.vault.use(root)
    if not memory.vault.is_of_project:  # in a repository every session would leave something to commit
        with suppress(RecollectError):
            memory.vault.journal.generate_daily_summary(describe_day(memory.learning.day()))
    with suppress(RecollectError):
        memory.vault.sync()
        memory.vault.embed(seconds=_EMBEDDING_SECONDS)


def wait_for_recorders(db: str) -> None:
    """Until what the gate records behind the agent's back is written, unless it never will be."""
    prefix = Path(recording_prefix(db))
    until = time.time() + _MAX_RECORDING_SECONDS
    while time.time() < until and any(map(_is_recording, prefix.parent.glob(f"{prefix.name}*"))):
        time.sleep(_POLL_SECONDS)


def _is_recording(mark: Path) -> bool:
    """Whether a mark is of a recorder that may still be at work; one that was killed leaves its mark behind."""
    try:
        age = time.time() - mark.stat().st_mtime
    except OSError:
        return False
    if age >= _MAX_RECORDING_SECONDS:
        mark.unlink(missing_ok=True)
    return age < _MAX_RECORDING_SECONDS


if __name__ == "__main__":
    main(*sys.argv[1:3])
