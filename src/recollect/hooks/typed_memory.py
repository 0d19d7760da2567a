"""
What a person typed to be remembered, `/recollect:remember …`: kept at once, as theirs.

A process of its own, since the door and a model take longer than an agent waits; the words come by standard input, so
they are on no command line and in no file.
"""

from __future__ import annotations

import sys
import time

from recollect.api import Recollect
from recollect.config import load_settings
from recollect.hooks.log import log_of, note
from recollect.learn.directives import find_directives
from recollect.model.provenance import Channel

_DEFAULT_KIND = "preference"


def remember_typed(db: str, folder: str, session_id: str, text: str) -> None:
    """Keep a person's words, as the kind of rule they are."""
    kind = next((str(directive.kind) for directive in find_directives(text)), _DEFAULT_KIND)
    with _open_memory(db, folder) as memory:
        memory.remember(text, kind=kind, session=session_id, why="typed with /recollect:remember")


def _open_memory(db: str, folder: str) -> Recollect:
    settings = load_settings()
    if settings.text("url"):
        # Loaded here: most memories are on this machine.
        from recollect.remote.remote_memory import RemoteMemory

        return RemoteMemory(folder=folder or None, settings=settings)
    return Recollect(db, folder=folder or None, actor="user", channel=Channel.USER)


def main() -> None:
    """Remember what standard input holds; whatever fails is written down where `doctor` looks."""
    db, folder, session_id = sys.argv[1:4]
    try:
        remember_typed(db, folder, session_id, sys.stdin.read())
    except Exception as error:  # noqa: BLE001
        note(log_of(db), "recollect", "typed memory", repr(error), seconds=time.time())


if __name__ == "__main__":
    main()
