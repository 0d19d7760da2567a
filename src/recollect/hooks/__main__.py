"""
One hook: `python -m recollect.hooks CLIENT EVENT`, with the client's payload on standard input.

It always ends with 0, after its deadline at the latest, and prints valid JSON or nothing: an agent never fails because
its memory does. What went wrong is written to a small log that `recollect doctor` reads.
"""

from __future__ import annotations

import gc
import os
import sys
import time

from recollect.hooks import hook_settings, log
from recollect.hooks.dispatch import hear
from recollect.hooks.watchdog import Watchdog

_MOST_PAYLOAD = 16 * 1024 * 1024
_PIECE = 1 << 20


def main(arguments: list[str]) -> None:
    """Listen to one event. Whatever happens, nobody hears of it here."""
    client, event = (*arguments, "", "")[:2]
    # A hook is over before it has left anything worth collecting, and looking for it takes time.
    gc.disable()
    try:
        # Before all else: the settings themselves may lie on a disk that does not answer.
        watchdog = Watchdog(hook_settings.at_first(), lambda: _note(client, event, "no answer in time"))
        if not hook_settings.is_off():
            _say(hear(client, event, _payload(), watchdog))
            if hook_settings.is_gate_missing():
                _open_gate()
    # The one place for it: a hook must not break the agent that called it.
    except BaseException as error:  # noqa: BLE001
        _note(client, event, f"{type(error).__name__}: {error}")
    finally:
        # Without tidying up: there is nothing left to do, and an agent waits.
        os._exit(0)


def _open_gate() -> None:
    """Let the next call be spared a Python that has nothing to say."""
    # Loaded only here: after the agent was answered, and only when the store has changed.
    from recollect.hooks.gate_refresh import refresh_gate_words

    refresh_gate_words(hook_settings.read("").db, hook_settings.usual_db())


def _payload() -> bytes:
    """What the client sends. More than we can use is read all the same: its pipe must not break."""
    pieces: list[bytes] = []
    size = 0
    while piece := os.read(0, _PIECE):
        size += len(piece)
        if size <= _MOST_PAYLOAD:
            pieces.append(piece)
    if size > _MOST_PAYLOAD:
        raise ValueError(f"the payload has {size} bytes, more than {_MOST_PAYLOAD}")
    return b"".join(pieces)


def _say(answer: str) -> None:
    written = answer.encode("utf-8", "replace")
    while written:
        written = written[os.write(1, written) :]


def _note(client: str, event: str, trouble: str) -> None:
    try:
        db = hook_settings.read("").db
    except (OSError, ValueError):
        db = hook_settings.default_db()
    if os.path.isabs(db):  # noqa: PTH117
        log.note(log.log_of(db), client, event, trouble, seconds=time.time())


if __name__ == "__main__":
    main(sys.argv[1:])
