"""
Work that no agent should wait for: a process of its own, which outlives the hook that started it.

Clients end a session's last hooks after a second or so, and kill what runs on behalf of them. So the child leaves the
session, the terminal and the client's files; what it does not finish is done at the start of the next session.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess

_POLL_SECONDS = 0.01
_MODULE = "recollect.hooks.after_session"
_TYPED_MODULE = "recollect.hooks.typed_memory"
# Windows' words for a process without a console and a group of its own; elsewhere there are none.
_DETACHED_FLAGS = ("DETACHED_PROCESS", "CREATE_NEW_PROCESS_GROUP")


def start_learning(db: str, folder: str, *, wait: float = 0.0) -> None:
    """Learn from what is over, and look after memories; wait so many seconds at most, then let it go on by itself."""
    child = _start_process(db, folder)
    until = time.monotonic() + wait
    while child.poll() is None and time.monotonic() < until:
        time.sleep(_POLL_SECONDS)
    if child.returncode is None:
        # It outlives us: that is what it is for. Python would complain that nobody waits for it.
        child.returncode = 0


def start_remembering(db: str, folder: str, session_id: str, text: str) -> None:
    """Keep what a person typed to be remembered; the words go by a pipe."""
    child = _start_process(db, folder, session_id, module=_TYPED_MODULE, is_fed=True)
    if child.stdin is not None:
        child.stdin.write(text.encode("utf-8", "replace"))
        child.stdin.close()
    child.returncode = 0


def _start_process(
    db: str, folder: str, *more: str, module: str = _MODULE, is_fed: bool = False
) -> subprocess.Popen[bytes]:
    # Here alone: most sessions begin with nothing to learn.
    import subprocess

    return subprocess.Popen(
        # -P: no module is looked for in the folder we stand in.
        [sys.executable, "-P", "-m", module, db, folder, *more],
        stdin=subprocess.PIPE if is_fed else subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        # Not in the project: a folder that a process stands in cannot be removed everywhere.
        cwd=Path(db).parent,
        start_new_session=True,
        creationflags=sum(getattr(subprocess, name, 0) for name in _DETACHED_FLAGS),
    )
